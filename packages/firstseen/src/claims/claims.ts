// Claims on keys: a key is pending while its record is being delivered, and marked seen once the record is delivered.

import { isBytes } from '../base/bytes.js';
import { checkOptions, type OptionNames } from '../base/check.js';
import { formatCount } from '../base/count.js';
import { Described } from '../base/description.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { checkOpen, checkSoloDetector } from '../detectors/checkdetector.js';
import type { Detector, Verdict } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { type Answer, type AnswerStats, AnswerStore, answerFor } from './answers.js';
import { type ClaimAnswer, type CommitOutcome, claimOf } from './claim.js';
import { observeFree } from './observe.js';
import { type ClaimsOptions, checkSame, claimsOptionNames, filled } from './options.js';
import { type Lease, PendingTable } from './pending.js';
import { WaitingList } from './waiting.js';

/** The number of claims answered `distinct` is pending + committed + aborted + expired. */
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

/** What a claim says besides its key. */
export interface ClaimContext {
  /**
   * What is done for the key: the body of a request, or what identifies it, of at most 1 MiB. If the key is pending or seen with another
   * body, the answer is `mismatch`. It requires the option `answers`, and is known as long as the answer of the key is kept.
   */
  body?: string | Uint8Array | undefined;
}

const contextNames: OptionNames<ClaimContext> = { body: true };

/** @throws FirstseenError E_PARAMETER unless it is text or bytes. */
function checkBody(body: unknown): string | Uint8Array {
  if (typeof body === 'string' || isBytes(body)) return body;
  throw invalidOption({ option: 'body', given: body, expected: 'text or a Uint8Array' });
}

/** Whether two bodies are known, and differ. */
function isOther(one: bigint | undefined, other: bigint | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function noAnswers(option: string, what: string): FirstseenError {
  return new FirstseenError(
    'E_PARAMETER',
    phrase`${what} the memory ${optionName('answers')}, which the claims do not have`,
    {
      option,
      remedy: phrase`give createClaims ${optionName('answers')}, such as 16MiB`,
    },
  );
}

/**
 * The pending keys of one detector, for all that claim keys of it: a detector has one table. A snapshot of the detector contains
 * only committed keys.
 */
export class Claims extends Described {
  readonly #detector: Detector;
  readonly #table = new PendingTable();
  readonly #waiting = new WaitingList(() => this.#advance());
  readonly #counts = { committed: 0, aborted: 0, expired: 0, late: 0, duplicates: 0 };
  #options = filled({});
  #answers: AnswerStore | undefined;
  /** Whether a program has set the options. Streams do not depend on them. */
  #isConfigured = false;
  /** The latest time of the clock. */
  #time = 0;
  readonly #fingerprint = new BigUint64Array(1);
  readonly #verdict = new Uint8Array(1);

  /** @internal */
  constructor(detector: Detector) {
    super();
    this.#detector = detector;
  }

  /**
   * Sets the options, once. Later calls may only repeat them.
   * @throws FirstseenError E_PARAMETER.
   * @internal
   */
  configure(asked: ClaimsOptions): void {
    const options = filled(checkOptions(asked, claimsOptionNames));
    if (this.#isConfigured) {
      checkSame(this.#options, asked);
      return;
    }
    const time = options.now();
    if (!Number.isFinite(time)) {
      throw new FirstseenError('E_PARAMETER', phrase`${optionName('now')} returned ${String(time)}`, {
        option: 'now',
        given: time,
        expected: 'a number of milliseconds',
        remedy: 'return a number of milliseconds',
      });
    }
    this.#options = options;
    if (options.answers > 0) this.#answers = new AnswerStore(options.answers);
    this.#time = time;
    this.#isConfigured = true;
  }

  /**
   * Whether the key is seen, pending or neither. If neither, the returned claim holds it.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted; E_CLAIMS_FULL when the maximum number of keys is
   * pending and this one is neither seen nor pending; E_FULL when a full detector has no room for its commit, and E_OVERLOAD when the
   * detector refuses elements (`onOverload`). The claims are unchanged then. E_PARAMETER for a body without `answers`.
   */
  claim(key: Key, context: ClaimContext = {}): ClaimAnswer {
    const body = this.#bodyOf(checkOptions(context, contextNames));
    return this.claimFingerprint(this.#detector.fingerprint(key), body);
  }

  /**
   * `observe` for a key that a claim may hold: it is not added then, and the answer is `pending`. `Detector.observe` adds a key whether or
   * not a claim holds it.
   * @throws FirstseenError as `Detector.observe`.
   */
  observe(key: Key): Verdict | 'pending' {
    return this.isHolding && this.isHeld(this.#detector.fingerprint(key)) ? 'pending' : this.#detector.observe(key);
  }

  /**
   * The same over fingerprints, in order. Writes one byte each to `verdicts`: 0 distinct, 1 duplicate, 2 pending.
   * @throws FirstseenError as `Detector.observeBatch`.
   */
  observeBatch(fingerprints: BigUint64Array, verdicts?: Uint8Array): Uint8Array {
    if (!this.isHolding) return this.#detector.observeBatch(fingerprints, verdicts);
    this.#advance();
    const isHeld = (fingerprint: bigint) => this.#table.get(fingerprint) !== undefined;
    return observeFree(this.#detector, isHeld, { fingerprints, verdicts });
  }

  /** The fingerprint of a body. */
  #bodyOf({ body }: ClaimContext): bigint | undefined {
    if (body === undefined) return undefined;
    if (this.#answers) return this.#detector.fingerprint(checkBody(body));
    throw noAnswers('body', 'a body is compared with');
  }

  /**
   * `claim` for a fingerprint of the detector.
   * @internal
   */
  claimFingerprint(fingerprint: bigint, body?: bigint): ClaimAnswer {
    const time = this.#advance();
    const holder = this.#table.get(fingerprint);
    if (holder && isOther(holder.body, body)) return this.#mismatch();
    if (holder) return { verdict: 'pending', remainingMilliseconds: holder.expiresAt - time };
    if (this.#isRepeat(fingerprint)) return this.#answerRepeat(fingerprint, body);
    if (this.#table.limited >= this.#options.pending) throw this.#fullError();
    return claimOf(this, this.#hold(fingerprint, { expiresAt: time + this.#options.lease, isLimited: true, body }));
  }

  /** Holds a key that the detector does not know, or no longer. @throws FirstseenError E_FULL, E_OVERLOAD as `claim`. */
  #hold(fingerprint: bigint, terms: Pick<Lease, 'expiresAt' | 'isLimited' | 'body'>): Lease {
    // With room for the keys that are held: after its record is delivered, it would be too late to refuse a key.
    this.#detector.checkRoom(this.#table.size + 1);
    // The next answer of the key belongs to another operation.
    this.#answers?.remove(fingerprint);
    return this.#table.hold(fingerprint, terms);
  }

  #answerRepeat(fingerprint: bigint, body: bigint | undefined): ClaimAnswer {
    const kept = this.#answers?.get(fingerprint);
    if (kept && isOther(kept.body, body)) return this.#mismatch();
    this.#counts.duplicates++;
    return { verdict: 'duplicate', ...(kept?.answer === undefined ? {} : { answer: answerFor(kept.answer) }) };
  }

  #mismatch(): ClaimAnswer {
    this.#answers?.countMismatch();
    return { verdict: 'mismatch' };
  }

  /**
   * Claims a key that no claim holds, for a stream; undefined if the key is seen. The stream decides how the claim ends, and limits the
   * number.
   * @internal
   */
  claimFree(fingerprint: bigint): Lease | undefined {
    if (this.#isRepeat(fingerprint)) {
      this.#counts.duplicates++;
      return undefined;
    }
    return this.#hold(fingerprint, { expiresAt: Number.POSITIVE_INFINITY, isLimited: false });
  }

  /**
   * Whether a claim may hold any key.
   * @internal
   */
  get isHolding(): boolean {
    return this.#table.size > 0;
  }

  /**
   * Whether a claim holds the key.
   * @internal
   */
  isHeld(fingerprint: bigint): boolean {
    if (!this.isHolding) return false;
    this.#advance();
    return this.#table.get(fingerprint) !== undefined;
  }

  /**
   * Calls back as soon as no claim holds the key: at once, or when the claim ends that holds it, in the order of the calls. So the
   * key is free during the callback. Returns how to stop waiting.
   * @internal
   */
  whenFree(fingerprint: bigint, callback: () => void): () => void {
    const time = this.#advance();
    const holder = this.#table.get(fingerprint);
    if (!holder) {
      callback();
      return () => undefined;
    }
    let stop = this.#waiting.add(holder, time, () => {
      stop = this.whenFree(fingerprint, callback);
    });
    return () => stop();
  }

  /** What has become of the claims so far. */
  stats(): ClaimStats {
    this.#advance();
    return this.toJSON();
  }

  /** The counts as they were when the claims last looked at the clock, for logs. */
  toJSON(): ClaimStats {
    const answers = this.#answers?.stats();
    return { pending: this.#table.size, ...this.#counts, ...(answers ? { answers } : {}) };
  }

  /**
   * Marks the key of a lease seen, whether or not the lease still holds it, because its record was delivered. Another lease
   * on the key ends, so that its `extend` returns false. Later claims are answered `duplicate`.
   * @internal
   */
  commitLease(lease: Lease, answer?: Answer): CommitOutcome {
    if (answer !== undefined && !this.#answers) throw noAnswers('answer', 'an answer is kept in');
    this.#advance();
    // First, because it may fail, and the claim must remain then.
    this.#add(lease.fingerprint);
    const holder = this.#table.get(lease.fingerprint);
    if (holder !== lease) this.#counts.late++;
    this.#keepAnswer(lease, holder, answer);
    if (holder) {
      this.#counts.committed++;
      this.#release(holder);
    }
    return holder === lease ? 'committed' : 'late';
  }

  /**
   * Keeps the answer of a commit. That of a late one is kept too, unless another was committed before: repeats may have that one already.
   * It may also belong to an earlier operation, if what is done for the key has another body now.
   */
  #keepAnswer({ fingerprint: key, body }: Lease, holder: Lease | undefined, answer: Answer | undefined): void {
    if (answer === undefined && body === undefined) return;
    const before = this.#answers?.get(key);
    if (before?.answer !== undefined || isOther(before?.body, body) || isOther(holder?.body, body)) return;
    this.#answers?.set({ key, body: body ?? before?.body, answer });
  }

  /** @internal */
  abortLease(lease: Lease): boolean {
    this.#advance();
    if (!this.#table.has(lease)) return false;
    this.#counts.aborted++;
    this.#release(lease);
    return true;
  }

  /** @internal */
  extendLease(lease: Lease): boolean {
    const time = this.#advance();
    if (!this.#table.has(lease)) return false;
    this.#table.renew(lease, time + this.#options.lease);
    return true;
  }

  /** Reads the clock and ends the leases that have expired. */
  #advance(): number {
    const time = this.#options.now();
    if (time > this.#time) this.#time = time;
    const ended = this.#table.expire(this.#time);
    this.#counts.expired += ended.length;
    for (const lease of ended) this.#waiting.end(lease);
    return this.#time;
  }

  /** Ends a lease that holds its key. To be called last, because what waits for the key may claim it at once. */
  #release(lease: Lease): void {
    this.#table.release(lease);
    this.#waiting.end(lease);
  }

  /** Whether the key is seen. If so, the repeat is observed. */
  #isRepeat(fingerprint: bigint): boolean {
    this.#fingerprint[0] = fingerprint;
    if (this.#detector.testBatch(this.#fingerprint, this.#verdict)[0] !== 1) return false;
    // As `observe` does: families that keep repeated elements must see the repeat. It marks nothing that was unseen.
    this.#add(fingerprint);
    return true;
  }

  #add(fingerprint: bigint): void {
    this.#fingerprint[0] = fingerprint;
    this.#detector.observeBatch(this.#fingerprint, this.#verdict);
  }

  #fullError(): FirstseenError {
    return new FirstseenError(
      'E_CLAIMS_FULL',
      phrase`a new key was claimed, but ${formatCount(this.#options.pending)} keys are pending, the maximum`,
      { remedy: phrase`commit or abort a claim, wait for a lease to expire, or raise ${optionName('pending')}` },
    );
  }
}

/** The claims of each detector, once there are any, so that all that claim keys of it share them. */
const claimsByDetector = new WeakMap<Detector, Claims>();

/** The claims of a detector, if there are any. */
export function claimsSoFar(detector: Detector): Claims | undefined {
  return claimsByDetector.get(detector);
}

/**
 * The claims of a detector, for those who need no options of their own.
 * @internal
 */
export function claimsOf(detector: Detector): Claims {
  const known = claimsByDetector.get(detector);
  if (known) return known;
  const claims = new Claims(detector);
  claimsByDetector.set(detector, claims);
  return claims;
}

/**
 * Whether claims hold keys of a detector now.
 * @internal
 */
export function isHoldingKeys(detector: Detector): boolean {
  const claims = claimsSoFar(detector);
  return claims !== undefined && claims.stats().pending > 0;
}

/**
 * Claims on the keys of a detector, for records that are marked seen only once they are delivered. A detector has one table of
 * claims: all calls return it, and streams with `deliver` hold their keys in it. The first call sets its options.
 * @throws FirstseenError E_PARAMETER, also when an option differs from that of an earlier call, and for a detector on threads, which
 * takes batches in turns and so cannot hold keys; E_CLOSED when the detector was closed.
 */
export function createClaims(detector: Detector, options: ClaimsOptions = {}): Claims {
  const claims = claimsOf(checkSoloDetector('detector', detector));
  checkOpen(detector);
  claims.configure(options);
  return claims;
}
