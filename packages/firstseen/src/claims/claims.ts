// Claims on keys: a key is pending while its record is being delivered, and marked seen once the record is delivered.

import { checkOptions } from '../base/check.js';
import { Described } from '../base/description.js';
import type { Detector, Verdict } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { keysIn } from '../detectors/keybatch.js';
import { type Answer, AnswerStore, answerFor, mismatchIn } from './answers.js';
import { type Claim, type ClaimAnswer, type CommitOutcome, claimOf } from './claim.js';
import {
  type AskedClaim,
  type ClaimContext,
  type ClaimStats,
  checkContext,
  checkToken,
  checkTokens,
  isOther,
  noAnswers,
} from './context.js';
import { addElement, isRepeat, isSeen } from './elements.js';
import { type HeldClaim, heldClaim, leftOf, termsOf } from './held.js';
import { ENDLESS, type Lease, type LeaseTerms } from './lease.js';
import { observeFree } from './observe.js';
import { type ClaimsOptions, checkSame, claimsOptionNames, filled, timeOf } from './options.js';
import { type HeldMemory, isDefined, PendingTable, withoutRepeats } from './pending.js';
import { WaitingList } from './waiting.js';

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
    this.#time = timeOf(options);
    this.#options = options;
    if (options.answers > 0) this.#answers = new AnswerStore(options.answers);
    this.#isConfigured = true;
  }

  /**
   * Whether the key is seen, pending or neither. If neither, the returned claim holds it.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted; E_CLAIMS_FULL when the maximum number of keys is
   * pending and this one is neither seen nor pending; E_FULL when a full detector has no room for its commit, and E_OVERLOAD when the
   * detector refuses elements (`onOverload`). The claims are unchanged then. E_PARAMETER for a body without `answers`.
   */
  claim(key: Key, context?: ClaimContext): ClaimAnswer {
    const asked = this.#askedOf(key, context);
    return this.#claimAt(this.#advance(), asked);
  }

  /**
   * `claim` over keys, in order, at one time of the clock. `contexts` has what is said of each key.
   * @throws FirstseenError as `claim`; the claims that this call gave are aborted then.
   */
  claimMany(keys: Iterable<Key>, contexts: readonly (ClaimContext | undefined)[] = []): ClaimAnswer[] {
    const asked = keysIn(keys).map((key, i) => this.#askedOf(key, contexts[i]));
    const time = this.#advance();
    const given: Claim[] = [];
    try {
      return asked.map((one) => {
        const isFree = this.#table.get(one.fingerprint) === undefined;
        const answer = this.#claimAt(time, one);
        if (isFree && answer.verdict === 'distinct') given.push(answer);
        return answer;
      });
    } catch (error) {
      for (const claim of given) claim.abort();
      throw error;
    }
  }

  /** The claim that holds the key, if it has this token. @throws FirstseenError E_KEY as `claim`; E_PARAMETER for an invalid token. */
  find(key: Key, token: string): Claim | undefined {
    this.#advance();
    const lease = this.#leaseOf(key, token);
    return lease && claimOf(this, lease);
  }

  /**
   * Commits the claims that hold these keys with these tokens, as `find(key, token)?.commit()` for each. A key whose claim has another token,
   * or has ended, is not marked seen.
   * @returns for each key whether its claim was committed
   * @throws FirstseenError as `find`; E_FULL from a full exact detector, and all these claims remain.
   */
  commitMany(keys: Iterable<Key>, tokens: readonly string[]): boolean[] {
    const found = this.#leasesOf(keys, tokens);
    // First, because it may fail, and the claims must remain then.
    this.#detector.observeBatch(BigUint64Array.from(found.filter(isDefined), (lease) => lease.fingerprint));
    return this.#endEach(found, (lease) => {
      lease.outcome = 'committed';
      this.#keepAnswer(lease, lease, undefined);
      this.#counts.committed++;
    });
  }

  /** Aborts the claims that hold these keys with these tokens. @returns for each key whether its claim was aborted */
  abortMany(keys: Iterable<Key>, tokens: readonly string[]): boolean[] {
    return this.#endEach(this.#leasesOf(keys, tokens), (lease) => {
      lease.outcome = 'aborted';
      this.#counts.aborted++;
    });
  }

  /** Restarts the leases of the claims that hold these keys with these tokens. @returns for each key whether its lease was restarted */
  extendMany(keys: Iterable<Key>, tokens: readonly string[]): boolean[] {
    return this.#leasesOf(keys, tokens).map((lease) => {
      if (lease) this.#table.renew(lease, this.#time);
      return lease !== undefined;
    });
  }

  /**
   * The claims that hold keys now, to be restored after a restart. Keys that streams deliver are not among them. The ends of the leases are
   * times of a wall clock, so they pass while the program does not run.
   * @param wallMilliseconds the wall clock, in milliseconds since 1970; by default that of the machine
   */
  heldClaims(wallMilliseconds: number = Date.now()): HeldClaim[] {
    const time = this.#advance();
    return this.#table.limitedLeases().map((lease) => heldClaim(lease, time, wallMilliseconds));
  }

  /**
   * The claim that holds a key, as `heldClaims` has it.
   * @internal
   */
  heldClaim(fingerprint: bigint, wallMilliseconds: number = Date.now()): HeldClaim | undefined {
    const time = this.#advance();
    const lease = this.#table.get(fingerprint);
    return lease && heldClaim(lease, time, wallMilliseconds);
  }

  /**
   * Holds keys as `heldClaims` found them, with the rest of their leases, also more keys than `pending`. What has expired is
   * left out, and so are keys that are seen or held. Find a restored claim by its token.
   * @returns the number of claims that hold their keys again
   * @throws FirstseenError E_PARAMETER for an invalid claim; E_FULL when the detector has no room for their commits.
   */
  restoreClaims(held: Iterable<HeldClaim>, wallMilliseconds: number = Date.now()): number {
    const all = Array.from(held, (claim) => ({ claim, terms: termsOf(claim), fingerprint: claim.fingerprint }));
    const time = this.#advance();
    let restored = 0;
    for (const { claim, terms, fingerprint } of all) {
      const leftMilliseconds = leftOf(claim, wallMilliseconds);
      const isKnown = this.#table.get(fingerprint) !== undefined || isSeen(this.#detector, fingerprint);
      if (leftMilliseconds <= 0 || isKnown) continue;
      this.#hold(fingerprint, terms, time + leftMilliseconds);
      restored++;
    }
    return restored;
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
    return observeFree(this.#detector, (one) => this.#table.get(one) !== undefined, { fingerprints, verdicts });
  }

  /** What a claim asks for. */
  #askedOf(key: Key, context: ClaimContext | undefined): AskedClaim {
    const { body, token, leaseMilliseconds } = checkContext(context);
    if (body !== undefined && !this.#answers) throw noAnswers('body', 'a body is compared with');
    return {
      body: body === undefined ? undefined : this.#detector.fingerprint(body),
      fingerprint: this.#detector.fingerprint(key),
      token,
      leaseMilliseconds,
    };
  }

  #claimAt(time: number, { fingerprint, body, token, leaseMilliseconds }: AskedClaim): ClaimAnswer {
    const holder = this.#table.get(fingerprint);
    if (holder && isOther(holder.body, body)) return mismatchIn(this.#answers);
    if (holder && token !== undefined && holder.token === token) {
      // Its lease begins again, because its program reckons from this answer.
      this.#table.renew(holder, time, leaseMilliseconds);
      return claimOf(this, holder);
    }
    if (holder) return { verdict: 'pending', remainingMilliseconds: holder.expiresAt - time };
    if (isRepeat(this.#detector, fingerprint)) return this.#answerRepeat(fingerprint, body);
    this.#table.checkRoom(this.#options.pending);
    const milliseconds = leaseMilliseconds ?? this.#options.lease;
    return claimOf(this, this.#hold(fingerprint, { milliseconds, isLimited: true, body, token }, time + milliseconds));
  }

  /** The lease that holds a key with this token. */
  #leaseOf(key: Key, token: string): Lease | undefined {
    checkToken(token);
    const lease = this.#table.get(this.#detector.fingerprint(key));
    return lease?.token === token ? lease : undefined;
  }

  /** The leases that hold keys with these tokens; undefined for a key that has none, and for one that came before. */
  #leasesOf(keys: Iterable<Key>, tokens: readonly string[]): (Lease | undefined)[] {
    const all = keysIn(keys);
    checkTokens(tokens, all.length);
    this.#advance();
    return withoutRepeats(all.map((key, i) => this.#leaseOf(key, tokens[i] as string)));
  }

  /** Ends the leases that were found, and says which. */
  #endEach(found: readonly (Lease | undefined)[], settle: (lease: Lease) => void): boolean[] {
    const leases = found.filter(isDefined);
    for (const lease of leases) {
      settle(lease);
      this.#table.release(lease);
    }
    // Last, because what waits for a key may claim it at once.
    for (const lease of leases) this.#waiting.end(lease);
    return found.map(isDefined);
  }

  /** Holds a key that the detector does not know, or no longer. @throws FirstseenError E_FULL, E_OVERLOAD as `claim`. */
  #hold(fingerprint: bigint, terms: LeaseTerms, expiresAt: number): Lease {
    // With room for the keys that are held: after its record is delivered, it would be too late to refuse a key.
    this.#detector.checkRoom(this.#table.size + 1);
    // The next answer of the key belongs to another operation.
    this.#answers?.remove(fingerprint);
    return this.#table.hold(fingerprint, terms, expiresAt);
  }

  #answerRepeat(fingerprint: bigint, body: bigint | undefined): ClaimAnswer {
    const kept = this.#answers?.get(fingerprint);
    if (kept && isOther(kept.body, body)) return mismatchIn(this.#answers);
    this.#counts.duplicates++;
    return { verdict: 'duplicate', ...(kept?.answer === undefined ? {} : { answer: answerFor(kept.answer) }) };
  }

  /**
   * Claims a key that no claim holds, for a stream; undefined if the key is seen. The stream decides how the claim ends, and limits the
   * number.
   * @internal
   */
  claimFree(fingerprint: bigint): Lease | undefined {
    if (isRepeat(this.#detector, fingerprint)) {
      this.#counts.duplicates++;
      return undefined;
    }
    return this.#hold(fingerprint, ENDLESS, Number.POSITIVE_INFINITY);
  }

  /**
   * Has the keys that claims hold counted, and new ones refused for which there is no room.
   * @internal
   */
  countHeld(memory: HeldMemory): void {
    this.#table.memory = memory;
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
    addElement(this.#detector, lease.fingerprint);
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
    if (!lease.isHeld) return false;
    this.#counts.aborted++;
    this.#release(lease);
    return true;
  }

  /** @internal */
  extendLease(lease: Lease): boolean {
    const time = this.#advance();
    if (!lease.isHeld) return false;
    this.#table.renew(lease, time);
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
}
