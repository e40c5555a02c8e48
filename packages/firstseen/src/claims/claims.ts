// Claims on keys: a key is pending while its record is being delivered, and marked seen once the record is delivered.

import { checkOptions } from '../base/check.js';
import { Described } from '../base/description.js';
import type { Detector, Verdict } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { keysIn } from '../detectors/keybatch.js';
import { type Answer, answerFor } from './answer.js';
import { AnswerStore } from './answers.js';
import { type Claim, type ClaimAnswer, type ClaimRefusal, type CommitOutcome, claimAll, claimOf } from './claim.js';
import {
  type AskedClaim,
  askedOf,
  type ClaimContext,
  type ClaimStats,
  checkToken,
  checkTokens,
  noAnswers,
} from './context.js';
import { addElement, isRepeat, isSeen } from './elements.js';
import { EndedLeases } from './ended.js';
import { checkedClaims, type HeldClaim, heldClaim, leftOf, termsOf } from './held.js';
import { ENDLESS, isLease, isOther, type Lease, type LeaseTerms, type Settled } from './lease.js';
import { type Holding, observedWords, observeFreeBatch } from './observe.js';
import { type ClaimsOptions, checkSame, claimsOptionNames, filled, timeOf } from './options.js';
import { type HeldMemory, isDefined, PendingTable, withoutRepeats } from './pending.js';
import { claimWithin, type WaitContext, waitOf } from './wait.js';
import { WaitingList } from './waiting.js';

/**
 * The pending keys of one detector, for all that claim keys of it: a detector has one table. A snapshot of the detector contains
 * only committed keys.
 */
export class Claims extends Described {
  readonly #detector: Detector;
  readonly #table = new PendingTable();
  readonly #waiting = new WaitingList(() => this.advance(), this.#table);
  readonly #ended = new EndedLeases();
  readonly #counts = { committed: 0, aborted: 0, expired: 0, late: 0, duplicates: 0 };
  #options = filled({});
  #answers: AnswerStore | undefined;
  /** True if a program has set the options. Streams do not depend on them. */
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
   * @throws FirstseenError E_PARAMETER. @internal
   */
  configure(askedOptions: ClaimsOptions): void {
    const options = filled(checkOptions(askedOptions, claimsOptionNames));
    if (this.#isConfigured) {
      checkSame(this.#options, askedOptions);
      return;
    }
    this.#time = timeOf(options);
    this.#options = options;
    if (options.answers > 0) this.#answers = new AnswerStore(options.answers);
    this.#isConfigured = true;
  }

  /**
   * Tells if the key is seen, pending or neither. If neither, the returned claim holds it.
   * @throws FirstseenError E_KEY for a key that cannot be fingerprinted; E_CLAIMS_FULL when the maximum number of keys is
   * pending and this one is neither seen nor pending; E_FULL when a full detector has no room for its commit, and E_OVERLOAD when the
   * detector refuses elements (`onOverload`). The claims are unchanged then. E_PARAMETER for a body without `answers`.
   */
  claim(key: Key, context?: ClaimContext): ClaimAnswer {
    return this.claimNow(askedOf(this.#detector, key, context, this.#answers));
  }

  /**
   * Claims a key, or waits for the claim that holds it. When that claim is committed, the answer is `duplicate` with the answer of the commit,
   * even if no memory was left to keep it. If that claim is aborted or expires, the first caller that waits is answered
   * `distinct`. After `timeout` the answer is `pending`. A key that no claim holds is answered at once.
   * @throws FirstseenError as `claim`; E_PARAMETER for an invalid `timeout` or `signal`; the reason of the signal.
   */
  async wait(key: Key, context?: WaitContext): Promise<ClaimAnswer> {
    const [claimed, patience] = waitOf(context);
    return claimWithin(this, askedOf(this.#detector, key, claimed, this.#answers), patience);
  }

  /** `claim` of what is asked for. @internal */
  claimNow(asked: AskedClaim, time: number = this.advance()): ClaimAnswer {
    const taken = this.take(time, asked);
    return isLease(taken) ? claimOf(this, taken) : taken;
  }

  /**
   * `claim` over keys, in order, at one time of the clock. `contexts` has what is said of each key.
   * @throws FirstseenError as `claim`; the claims that this call gave are aborted then.
   */
  claimMany(keys: Iterable<Key>, contexts: readonly (ClaimContext | undefined)[] = []): ClaimAnswer[] {
    const asked = keysIn(keys).map((key, i) => askedOf(this.#detector, key, contexts[i], this.#answers));
    const time = this.advance();
    const isFree = ({ fingerprint }: AskedClaim) => this.#table.get(fingerprint) === undefined;
    return claimAll(asked, isFree, (one) => this.claimNow(one, time));
  }

  /** The claim that holds the key, if it has this token. @throws FirstseenError E_KEY as `claim`; E_PARAMETER for an invalid token. */
  find(key: Key, token: string): Claim | undefined {
    this.advance();
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
    return this.#settleMany(keys, tokens, 'committed');
  }

  /** Aborts the claims that hold these keys with these tokens. @returns for each key whether its claim was aborted */
  abortMany(keys: Iterable<Key>, tokens: readonly string[]): boolean[] {
    return this.#settleMany(keys, tokens, 'aborted');
  }

  #settleMany(keys: Iterable<Key>, tokens: readonly string[], outcome: Settled): boolean[] {
    const keyLeases = this.#leasesOf(keys, tokens);
    const leases = keyLeases.filter(isDefined);
    // First, because it may fail, and the claims must remain then.
    if (outcome === 'committed')
      this.#detector.observeBatch(BigUint64Array.from(leases, ({ fingerprint }) => fingerprint));
    for (const lease of leases) this.#settle(lease, outcome);
    // Last, because what waits for a key may claim it at once.
    for (const lease of leases) this.#waiting.end(lease);
    return keyLeases.map(isDefined);
  }

  #settle(lease: Lease, outcome: Settled): void {
    lease.outcome = outcome;
    if (outcome === 'committed') this.#answers?.keep(lease, lease, undefined);
    this.#counts[outcome]++;
    this.#table.release(lease);
  }

  /** Ends a lease that holds its key, and marks nothing seen. What waits for the key may claim it before this returns. @internal */
  endLease(lease: Lease, outcome: Settled): void {
    this.#settle(lease, outcome);
    this.#waiting.end(lease);
  }

  /** True if anything waits for a key that is held. @internal */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
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
    const time = this.advance();
    const leases = this.#table.all().filter(({ isLimited }) => isLimited);
    return leases.map((lease) => heldClaim(lease, time, wallMilliseconds));
  }

  /**
   * Holds keys as `heldClaims` found them, with the rest of their leases, also more keys than `pending`. What has expired is
   * left out, and so are keys that are seen or held. Find a restored claim by its token.
   * @returns the number of claims that hold their keys again
   * @throws FirstseenError E_PARAMETER for an invalid claim; E_FULL when the detector has no room for their commits.
   */
  restoreClaims(held: Iterable<HeldClaim>, wallMilliseconds: number = Date.now()): number {
    const isFree = ({ fingerprint }: HeldClaim) => !this.isHeld(fingerprint) && !isSeen(this.#detector, fingerprint);
    return checkedClaims(held).filter((claim) => {
      if (leftOf(claim, wallMilliseconds) <= 0 || !isFree(claim)) return false;
      this.#checkRoom();
      return this.holdAgain(claim, wallMilliseconds);
    }).length;
  }

  /**
   * Holds a key for the rest of its lease, without asking the detector: of a key that is known to be held, and of a detector whose window may
   * be at an earlier time than the claim.
   * @returns false for a lease that has ended, and for a key that is held
   * @internal
   */
  holdAgain(claim: HeldClaim, wallMilliseconds: number = Date.now()): boolean {
    const [leftMilliseconds, time] = [leftOf(claim, wallMilliseconds), this.advance()];
    if (leftMilliseconds <= 0 || this.#table.get(claim.fingerprint) !== undefined) return false;
    this.#hold(claim.fingerprint, termsOf(claim), time + leftMilliseconds);
    return true;
  }

  /**
   * `observe` for a key that a claim may hold: it is not added then, and the answer is `pending`. `Detector.observe` adds a key whether or
   * not a claim holds it, and may take the room that is kept for the keys that are held.
   * @throws FirstseenError as `Detector.observe`; E_FULL also when there is room only for the keys that are held.
   */
  observe(key: Key): Verdict | 'pending' {
    if (this.#table.size === 0) return this.#detector.observe(key);
    const [verdict] = this.observeBatch(BigUint64Array.of(this.#detector.fingerprint(key)));
    return observedWords[verdict as number] as Verdict | 'pending';
  }

  /**
   * The same over fingerprints, in order. Writes one byte each to `verdicts`: 0 distinct, 1 duplicate, 2 pending.
   * @throws FirstseenError as `Detector.observeBatch`; E_FULL also as `observe`.
   */
  observeBatch(fingerprints: BigUint64Array, verdicts?: Uint8Array): Uint8Array {
    if (this.#table.size === 0) return this.#detector.observeBatch(fingerprints, verdicts);
    this.advance();
    return observeFreeBatch(this.#detector, this.#table, fingerprints, verdicts);
  }

  /**
   * Holds a key at a time, or says why not.
   * @param isKnown false if the detector was asked, and does not know the key
   * @throws FirstseenError as `claim`.
   * @internal
   */
  take(time: number, request: AskedClaim, isKnown?: boolean): Lease | ClaimRefusal {
    const { fingerprint, body, token, leaseMilliseconds } = request;
    const holder = this.#table.get(fingerprint);
    if (holder) {
      if (isOther(holder.body, body)) return this.mismatch();
      const isAgain = request.isRepeatable && token !== undefined && holder.token === token;
      if (!isAgain) return { verdict: 'pending', remainingMilliseconds: holder.expiresAt - time };
      // Its lease begins again, because its program reckons from this answer.
      this.#table.renew(holder, time, leaseMilliseconds);
      return holder;
    }
    if (isKnown !== false && isRepeat(this.#detector, fingerprint)) return this.#answerRepeat(fingerprint, body);
    this.#table.checkRoom(this.#options.pending);
    this.#checkRoom();
    const milliseconds = leaseMilliseconds ?? this.#options.lease;
    return this.#hold(fingerprint, { milliseconds, isLimited: true, body, token }, time + milliseconds);
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
    this.advance();
    return withoutRepeats(all.map((key, i) => this.#leaseOf(key, tokens[i] as string)));
  }

  /** Keeps room for the keys that are held, which cannot be refused after delivery. @throws FirstseenError E_FULL, E_OVERLOAD as `claim` */
  #checkRoom(): void {
    this.#detector.checkRoom(1, this.#table.size);
  }

  /** Holds a key that the detector does not know, or no longer. */
  #hold(fingerprint: bigint, terms: LeaseTerms, expiresAt: number): Lease {
    // The next answer of the key belongs to another operation.
    this.#answers?.remove(fingerprint);
    return this.#table.hold(fingerprint, terms, expiresAt);
  }

  /** @internal */
  mismatch(): ClaimRefusal {
    this.#answers?.countMismatch();
    return { verdict: 'mismatch' };
  }

  #answerRepeat(fingerprint: bigint, body: bigint | undefined): ClaimRefusal {
    const kept = this.#answers?.get(fingerprint);
    if (kept && isOther(kept.body, body)) return this.mismatch();
    this.#counts.duplicates++;
    return { verdict: 'duplicate', ...(kept?.answer === undefined ? {} : { answer: answerFor(kept.answer) }) };
  }

  /** Claims a free key for a stream, which ends the claim and limits their number; undefined if it is seen. @internal */
  claimFree(fingerprint: bigint): Lease | undefined {
    if (isRepeat(this.#detector, fingerprint)) {
      this.#counts.duplicates++;
      return undefined;
    }
    this.#checkRoom();
    return this.#hold(fingerprint, ENDLESS, Number.POSITIVE_INFINITY);
  }

  /** Counts held keys in a memory, which refuses new ones when it is full. @internal */
  countHeld(memory: HeldMemory): void {
    this.#table.memory = memory;
  }

  /** The keys that are held, as of the latest `advance`. @internal */
  get holding(): Holding {
    return this.#table;
  }

  /** Tells if a claim holds the key. @internal */
  isHeld(fingerprint: bigint): boolean {
    if (this.#table.size > 0) this.advance();
    return this.#table.get(fingerprint) !== undefined;
  }

  /** As `WaitingList.whenFree`. @internal */
  whenFree(fingerprint: bigint, callback: (ended: Lease | undefined) => void): () => void {
    return this.#waiting.whenFree(fingerprint, callback);
  }

  /** Ends all claims, as those of a detector that was cleared or removed. @internal */
  endAll(): void {
    this.#ended.clear();
    for (const lease of this.#table.all()) this.#release(lease);
  }

  /** Returns the counts of the claims so far, by their outcome. */
  stats(): ClaimStats {
    this.advance();
    return this.toJSON();
  }

  /** The counts as they were when the claims last looked at the clock, for logs. */
  toJSON(): ClaimStats {
    return { pending: this.#table.size, ...this.#counts, ...(this.#answers && { answers: this.#answers.stats() }) };
  }

  /**
   * Marks the key of a lease seen, whether or not the lease still holds it, because its record was delivered. Another lease
   * on the key ends, so that its `extend` returns false. Later claims are answered `duplicate`.
   * @internal
   */
  commitLease(lease: Lease, answer?: Answer): CommitOutcome {
    if (answer !== undefined && !this.#answers) throw noAnswers('answer', 'an answer is kept in');
    this.advance();
    const holder = this.#table.get(lease.fingerprint);
    // A lease that has ended has no room.
    if (!holder && !isSeen(this.#detector, lease.fingerprint)) this.#checkRoom();
    // First, because it may fail, and the claim must remain then.
    addElement(this.#detector, lease.fingerprint);
    if (holder !== lease) this.#counts.late++;
    this.#answers?.keep(lease, holder, answer);
    if (holder === lease) Object.assign(lease, { outcome: 'committed', answer });
    if (holder) {
      this.#counts.committed++;
      this.#release(holder);
    }
    return holder === lease ? 'committed' : 'late';
  }

  /** Counts a commit of a key that the claim does not hold, if its lease has expired. @param isMeant tells whether it is the lease @internal */
  countIfLate(fingerprint: bigint, isMeant: (lease: Lease) => boolean): void {
    if (this.#ended.take(fingerprint, isMeant)) this.#counts.late++;
  }

  /** @internal */
  abortLease(lease: Lease): boolean {
    this.advance();
    const { isHeld } = lease;
    if (isHeld) this.endLease(lease, 'aborted');
    return isHeld;
  }

  /** @internal */
  extendLease(lease: Lease, milliseconds?: number): boolean {
    const time = this.advance();
    if (lease.isHeld) this.#table.renew(lease, time, milliseconds);
    return lease.isHeld;
  }

  /** Reads the clock and ends the leases that have expired. @returns the time @internal */
  advance(): number {
    const time = this.#options.now();
    if (time > this.#time) this.#time = time;
    const ended = this.#table.expire(this.#time);
    this.#counts.expired += ended.length;
    this.#ended.add(ended);
    for (const lease of ended) this.#waiting.end(lease);
    return this.#time;
  }

  /** Ends a lease that holds its key. To be called last, because what waits for the key may claim it at once. */
  #release(lease: Lease): void {
    this.#table.release(lease);
    this.#waiting.end(lease);
  }
}
