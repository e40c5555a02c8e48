// What a program says with a claim, and what claims tell of themselves.

import { isBytes } from '../base/bytes.js';
import { checkOptions, millisecondsOf, type OptionNames } from '../base/check.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import type { AnswerStats, AnswerStore } from './answers.js';

/** The number of claims answered `distinct` is pending + committed + aborted + expired, without those repeated by their token. */
export interface ClaimStats {
  /** Keys that are held now. */
  pending: number;
  /** Claims that ended by a commit of their key. */
  committed: number;
  /** Claims that ended by an abort. */
  aborted: number;
  /** Claims that ended because their lease did. */
  expired: number;
  /** Commits after the end of their claim. If there are many, use a longer lease. */
  late: number;
  /** Claims answered `duplicate`. */
  duplicates: number;
  /** The answers that are kept, for claims with the option `answers`. */
  answers?: AnswerStats;
}

/** The options of a claim besides its key. */
export interface ClaimContext {
  /**
   * The work that is done for the key: the body of a request, or what identifies it, of at most 1 MiB. If the key is
   * pending or seen with another body, the answer is `mismatch`. It requires the option `answers`, and is known as long
   * as the answer of the key is kept, and for many more keys after that.
   */
  body?: string | Uint8Array | undefined;
  /**
   * The name by which you know the claim, such as the id of a request. If the claim that holds the key has the same
   * token, the answer is `distinct` again, and its lease begins again: so a request can be repeated whose reply was
   * lost.
   */
  token?: string | undefined;
  /**
   * The time for which this claim holds its key, from now on and from each extension on; that of `createClaims` by
   * default.
   */
  lease?: number | string | undefined;
}

export const contextNames: OptionNames<ClaimContext> = { body: true, token: true, lease: true };

/** The context, with the lease in milliseconds. */
interface CheckedContext {
  body?: string | Uint8Array | undefined;
  token?: string | undefined;
  leaseMilliseconds?: number | undefined;
}

const nothing: CheckedContext = {};

/** @throws FirstseenError E_PARAMETER unless it is a text, and not an empty one. */
export function checkToken(token: unknown): string {
  if (typeof token === 'string' && token !== '') return token;
  throw invalidOption({ option: 'token', given: token, expected: 'a text that is not empty' });
}

/** @throws FirstseenError E_PARAMETER unless there is a token for each key. */
export function checkTokens(tokens: readonly string[], keys: number): void {
  if (Array.isArray(tokens) && tokens.length === keys) return;
  throw invalidOption({ option: 'tokens', given: tokens, expected: `an array of ${keys} tokens, one for each key` });
}

/** @throws FirstseenError E_PARAMETER for what is not an option or has another type. */
function checkContext(context: ClaimContext | undefined): CheckedContext {
  if (context === undefined) return nothing;
  const { body, token, lease } = checkOptions(context, contextNames);
  if (body !== undefined && typeof body !== 'string' && !isBytes(body))
    throw invalidOption({ option: 'body', given: body, expected: 'text or a Uint8Array' });
  return {
    body,
    token: token === undefined ? undefined : checkToken(token),
    leaseMilliseconds: lease === undefined ? undefined : millisecondsOf('lease', lease),
  };
}

/** The error for claims without memory for what was given. */
export function noAnswers(option: string, what: string): FirstseenError {
  return new FirstseenError(
    'E_PARAMETER',
    phrase`${what} the memory ${optionName('answers')}, which the claims do not have`,
    {
      option,
      remedy: phrase`give createClaims ${optionName('answers')}, such as 16MiB`,
    },
  );
}

/** The request for a claim, with the fingerprints of its key and of its body. */
export interface AskedClaim {
  fingerprint: bigint;
  body: bigint | undefined;
  token: string | undefined;
  leaseMilliseconds: number | undefined;
  /** True if a caller with the token of the claim that holds the key gets the claim again. */
  isRepeatable: boolean;
}

/**
 * Returns the request for a claim on a key.
 * @throws FirstseenError E_KEY for a key that cannot be fingerprinted; E_PARAMETER for a context that is not one, or a
 * body without answers.
 */
export function askedOf(
  detector: Detector,
  key: Key,
  context: ClaimContext | undefined,
  answers: AnswerStore | undefined,
): AskedClaim {
  const { body, token, leaseMilliseconds } = checkContext(context);
  if (body !== undefined && !answers) throw noAnswers('body', 'a body is compared with');
  return {
    body: body === undefined ? undefined : detector.fingerprint(body),
    fingerprint: detector.fingerprint(key),
    token,
    leaseMilliseconds,
    isRepeatable: true,
  };
}
