// Waits for the outcome of the claim that holds a key.

import { checkOptions, checkTimer, type OptionNames } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import { answerFor } from './answer.js';
import type { ClaimAnswer, ClaimRefusal } from './claim.js';
import { type AskedClaim, type ClaimContext, contextNames } from './context.js';
import { isOther, type Lease } from './lease.js';

/** The options of a claim that waits for its key, besides the key. */
export interface WaitContext extends ClaimContext {
  /**
   * The longest time to wait: milliseconds, or a duration such as `30s`. The default is `1m`; `Infinity` means no
   * limit. After that the answer is `pending`.
   */
  timeout?: number | string | undefined;
  /** Ends the wait when it is aborted, as when the client has left: the promise rejects with its reason. */
  signal?: AbortSignal | undefined;
}

const waitContextNames: OptionNames<WaitContext> = { ...contextNames, timeout: true, signal: true };

const DEFAULT_TIMEOUT = '1m';

/** The time for which a claim waits, and the signal that ends the wait. */
interface Patience {
  milliseconds: number;
  signal: AbortSignal | undefined;
}

/** @throws FirstseenError E_PARAMETER unless it is a signal or absent; its reason if it is aborted. */
export function checkSignal(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal === undefined) return undefined;
  if (typeof (signal as unknown) !== 'object' || signal === null || !('throwIfAborted' in signal)) {
    throw invalidOption({ option: 'signal', given: signal, expected: 'an AbortSignal' });
  }
  signal.throwIfAborted();
  return signal;
}

/** The parts of a context. @throws FirstseenError E_PARAMETER for what is not an option or has another type; the reason of an aborted signal. */
export function waitOf(context: WaitContext = {}): [context: ClaimContext, patience: Patience] {
  const { timeout = DEFAULT_TIMEOUT, signal, ...others } = checkOptions(context, waitContextNames);
  const milliseconds = timeout === Number.POSITIVE_INFINITY ? timeout : checkTimer('timeout', timeout);
  return [others, { milliseconds, signal: checkSignal(signal) }];
}

/** The claims that hold the keys. */
export interface Waitable {
  /** Claims a key at once. */
  claimNow(asked: AskedClaim): ClaimAnswer;
  /** Calls back once no claim holds the key, with the lease that held it last. */
  whenFree(fingerprint: bigint, callback: (ended: Lease | undefined) => void): () => void;
  mismatch(): ClaimAnswer;
}

/** The answer of the commit that was waited for is given to all who have waited, whether or not there was memory to keep it. */
export function withAnswer(refusal: ClaimRefusal, ended: Lease | undefined): ClaimRefusal {
  const isCommitted = refusal.verdict === 'duplicate' && ended?.outcome === 'committed';
  return isCommitted && ended.answer !== undefined ? { ...refusal, answer: answerFor(ended.answer) } : refusal;
}

/** Claims a key after the lease that held it has ended. */
function claimAfter(claims: Waitable, asked: AskedClaim, ended: Lease | undefined): ClaimAnswer {
  const answer = claims.claimNow(asked);
  if (answer.verdict !== 'duplicate') return answer;
  const isMismatch = ended?.outcome === 'committed' && isOther(ended.body, asked.body);
  return isMismatch ? claims.mismatch() : withAnswer(answer, ended);
}

/** Claims a key: at once, or when no other claim holds it, or when the time is over. */
export async function claimWithin(claims: Waitable, request: AskedClaim, patience: Patience): Promise<ClaimAnswer> {
  const { milliseconds, signal } = patience;
  const first = claims.claimNow(request);
  if (first.verdict !== 'pending') return first;
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      stop();
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const claim = (endedLease?: Lease) =>
      end(() => {
        try {
          resolve(claimAfter(claims, request, endedLease));
        } catch (error) {
          reject(error);
        }
      });
    const abort = () => end(() => reject(signal?.reason));
    let stop = (): void => undefined;
    const timer = milliseconds < Number.POSITIVE_INFINITY ? setTimeout(claim, milliseconds) : undefined;
    signal?.addEventListener('abort', abort);
    stop = claims.whenFree(request.fingerprint, claim);
  });
}
