// The answer of one committed claim.

import { bytesIn, isBytes } from '../base/bytes.js';
import { checkAttached } from '../base/check.js';
import { invalidOption } from '../base/errors.js';

/** The answer of a committed claim: text, such as the JSON of a response, or bytes. */
export type Answer = string | Uint8Array;

/** A copy of a text. A part of a long text would keep all of it in memory: what JSON.parse makes is a text of its own. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** A copy of an answer, which its program may change. @throws FirstseenError E_PARAMETER unless it is text, bytes or undefined. */
export function checkAnswer(answer: Answer | undefined): Answer | undefined {
  if (answer === undefined) return undefined;
  if (typeof answer === 'string') return copyOf(answer);
  if (!isBytes(answer)) throw invalidOption({ option: 'answer', given: answer, expected: 'text or a Uint8Array' });
  checkAttached(answer, 'answer', 'E_PARAMETER');
  return new Uint8Array(bytesIn(answer));
}

/** An answer for a program, which may change its bytes. */
export function answerFor(answer: Answer): Answer {
  return typeof answer === 'string' ? answer : answer.slice();
}
