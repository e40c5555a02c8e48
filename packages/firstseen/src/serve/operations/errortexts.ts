// Errors in the words of clients, whatever their protocol.

import { FirstseenError, type OptionNaming } from '../../base/errors.js';
import { longFlag } from '../../options/longflag.js';
import { serveRows } from '../../options/serve.js';
import { claimWords, createWords } from './createoptions.js';

export const madeForClaimsText =
  'the detector was made for claims, and this command has no answer for a key that is held; use FS.CLAIM, or FS.OBSERVE, which answers pending';

/** The names of options in replies: the words of FS.CREATE, and the flags of the server. Both have a memory. */
const optionTexts: ReadonlyMap<string, string> = new Map([
  ...serveRows.map((row) => [row.name, longFlag(row)] as const),
  ...Array.from(createWords, ([word, { name }]) => [name, word] as const),
  ...Object.keys(claimWords).map((word) => [word.toLowerCase(), word] as const),
]);

export const nameInReplies: OptionNaming = (option) => optionTexts.get(option) ?? option;

/** Why the log cannot be written, as clients are told it. */
export function logProblemText(problem: unknown): string {
  return problem instanceof FirstseenError ? problem.render(nameInReplies) : (problem as Error).message;
}
