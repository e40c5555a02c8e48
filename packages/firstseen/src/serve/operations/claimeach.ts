// Claims keys that follow one another, and settles their claims: the kernel hashes and asks about all of them at once. Answers, claims and the
// log are those of one key after the other.

import { FirstseenError } from '../../base/errors.js';
import type { Answer } from '../../claims/answer.js';
import type { ClaimRefusal } from '../../claims/claim.js';
import type { Claims } from '../../claims/claims.js';
import type { AskedClaim } from '../../claims/context.js';
import { heldClaim } from '../../claims/held.js';
import { isLease, type Lease } from '../../claims/lease.js';
import { observeBesides } from '../../claims/observe.js';
import { isDefined } from '../../claims/pending.js';
import type { PlacedElements } from '../../detectors/batches.js';
import { hashCheckedSpans, observeChecked, testCheckedSpans } from '../../detectors/checked.js';
import { DUPLICATE } from '../../kernel/abi.js';
import type { DetectorEntry } from '../store/entry.js';
import { fingerprintsOf, type Spans } from './ask.js';

/** A detector that was made for claims. */
export interface Claiming {
  readonly entry: DetectorEntry;
  readonly claims: Claims;
}

/** The outcome of a claim: a lease, or why there is none. */
export type Taken = Lease | ClaimRefusal;

/** Is told the answer for each key, in order. */
type OnAnswer<Answer> = (index: number, answer: Answer | FirstseenError) => void;

/** The terms on which each key is claimed. */
export interface ClaimingEach {
  readonly leaseMilliseconds: number | undefined;
  /** True if who has the token of the claim that holds a key gets it again. */
  readonly isRepeatable: boolean;
  tokenOf(index: number): string;
}

/** The error of the library that a function throws, as a value. */
function orError<Result>(run: () => Result): Result | FirstseenError {
  try {
    return run();
  } catch (error) {
    if (error instanceof FirstseenError) return error;
    throw error;
  }
}

/** Counts and answers a key that is refused. */
function refuse<Answer>({ entry }: Claiming, index: number, error: unknown, onAnswer: OnAnswer<Answer>): void {
  entry.refused.add(error);
  onAnswer(index, error as FirstseenError);
}

/** Answers the key that cannot be hashed, if there is one. @returns the number of keys that were answered */
function withLast<Answer>(
  claiming: Claiming,
  { count, error }: { count: number; error?: unknown },
  onAnswer: OnAnswer<Answer>,
): number {
  if (error === undefined) return count;
  refuse(claiming, count, error, onAnswer);
  return count + 1;
}

/** Notes in the log what became of a claim. */
function record({ entry }: Claiming, request: AskedClaim, outcome: Taken, time: number): void {
  if (!entry.isRecorded) return;
  if (isLease(outcome)) entry.record('held', heldClaim(outcome, time, Date.now()));
  // A repeat is observed, as by FS.OBSERVE.
  else if (outcome.verdict === 'duplicate') entry.record('observed', BigUint64Array.of(request.fingerprint));
}

/** Claims keys, up to one that cannot be hashed. @returns the number of keys that were answered */
export function claimEach(claiming: Claiming, keys: Spans, each: ClaimingEach, onAnswer: OnAnswer<Taken>): number {
  const { entry, claims } = claiming;
  // First, because what waits for a key that becomes free may observe it.
  const time = claims.advance();
  entry.keepTime();
  const { verdicts } = keys;
  const fingerprints = fingerprintsOf(keys);
  const tested = testCheckedSpans(entry.detector, keys, { verdicts, fingerprints });
  const { leaseMilliseconds, isRepeatable } = each;
  let isChanged = false;
  for (let i = 0; i < tested.count; i++) {
    const fingerprint = fingerprints[i] as bigint;
    const request = { fingerprint, body: undefined, token: each.tokenOf(i), leaseMilliseconds, isRepeatable };
    // A repeat that is observed may have changed what the detector knows of the keys after it.
    const isKnown = isChanged ? undefined : verdicts[i] === DUPLICATE;
    const outcome = orError(() => claims.take(time, request, isKnown));
    if (outcome instanceof Error) {
      refuse(claiming, i, outcome, onAnswer);
      continue;
    }
    record(claiming, request, outcome, time);
    if (!isLease(outcome) && outcome.verdict === 'duplicate') isChanged = true;
    onAnswer(i, outcome);
  }
  return withLast(claiming, tested, onAnswer);
}

/** The selection of the claims that are settled: those that hold a key, if `holds` accepts them. */
export interface SettlingEach {
  holds(lease: Lease, index: number): boolean;
  /** True if a commit also marks a key seen that none of these claims holds. */
  readonly marksAll?: boolean;
  /** The answer of a commit to those who wait for the keys. */
  readonly answer?: Answer | undefined;
}

/** Settles or extends the claims of keys, up to a key that cannot be hashed. @returns the number of keys that were answered */
export type SettleEach = (claiming: Claiming, keys: Spans, each: SettlingEach, onAnswer: OnAnswer<boolean>) => number;

/** The lease that holds a key, if it is one of those that are settled. */
function leaseOf({ claims }: Claiming, fingerprint: bigint, each: SettlingEach, index: number): Lease | undefined {
  const lease = claims.holding.get(fingerprint);
  return lease && each.holds(lease, index) ? lease : undefined;
}

/** Settles the lease of each key, one after the other. */
function eachBy(settle: (claiming: Claiming, lease: Lease) => void): SettleEach {
  return (claiming, keys, each, onAnswer) => {
    claiming.claims.advance();
    const fingerprints = fingerprintsOf(keys);
    const hashed = hashCheckedSpans(claiming.entry.detector, keys, fingerprints);
    for (let i = 0; i < hashed.count; i++) {
      const lease = leaseOf(claiming, fingerprints[i] as bigint, each, i);
      if (lease) settle(claiming, lease);
      onAnswer(i, lease !== undefined);
    }
    return withLast(claiming, hashed, onAnswer);
  };
}

/** Releases the keys of claims. The log is told first: what waits for a key may claim it before the lease has ended, and its record must follow. */
export const abortEach = eachBy(({ entry, claims }, lease) => {
  entry.record('released', lease.fingerprint);
  claims.endLease(lease, 'aborted');
});

/** Begins the leases of claims again, with another length if that is given. */
export function extendBy(milliseconds?: number): SettleEach {
  return eachBy(({ entry, claims }, lease) => {
    claims.extendLease(lease, milliseconds);
    entry.record('held', heldClaim(lease, claims.advance(), Date.now()));
  });
}

/** Begins the leases of claims again. */
export const extendEach = extendBy();

/** Keys to be committed. */
interface Part {
  readonly fingerprints: BigUint64Array;
  readonly verdicts: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** The leases of keys; undefined for a key that has none, and for one that came before. Those that were found count as committed. */
function takeLeases(claiming: Claiming, { fingerprints, from, to }: Part, each: SettlingEach): (Lease | undefined)[] {
  const leases: (Lease | undefined)[] = [];
  for (let i = from; i < to; i++) {
    const lease = leaseOf(claiming, fingerprints[i] as bigint, each, i);
    const isFirst = lease !== undefined && lease.outcome === undefined;
    if (isFirst) lease.outcome = 'committed';
    leases.push(isFirst ? lease : undefined);
  }
  return leases;
}

/** The fingerprints that are marked seen. */
function elementsOf({ fingerprints, from, to }: Part, isMarked: (index: number) => boolean): BigUint64Array {
  const all = fingerprints.subarray(from, to);
  for (let i = from; i < to; i++) if (!isMarked(i)) return all.filter((_, at) => isMarked(from + at));
  return all;
}

/** Tells the log what is committed, before the claims end: what waits for a key may claim it at once, and its record must follow. */
function recordCommits(entry: DetectorEntry, leases: readonly (Lease | undefined)[], elements: BigUint64Array): void {
  if (!entry.isRecorded || elements.length === 0) return;
  for (const lease of leases) if (lease) entry.record('released', lease.fingerprint);
  entry.record('observed', elements);
}

/** Adds what is committed. A key that no claim holds has no room of its own. @param held how many of the elements claims hold */
function addElements(
  { entry: { detector }, claims }: Claiming,
  elements: BigUint64Array,
  { verdicts, held }: { verdicts: Uint8Array; held: number },
): PlacedElements {
  if (held < elements.length) return observeBesides(detector, claims.holding.size, elements, verdicts);
  return observeChecked(detector, elements, { verdicts, elements: held });
}

/** Commits keys, up to the first that the detector refuses, which is answered too. @returns the index after it */
function commitPart(claiming: Claiming, part: Part, each: SettlingEach, onAnswer: OnAnswer<boolean>): number {
  const { entry, claims } = claiming;
  const { verdicts, from, to } = part;
  const leases = takeLeases(claiming, part, each);
  const isMarked = (i: number) => each.marksAll || leases[i - from] !== undefined;
  const elements = elementsOf(part, isMarked);
  // First, because it may fail, and the claims must remain then.
  const added = addElements(claiming, elements, { verdicts, held: leases.filter(isDefined).length });
  let [end, left] = [from, added.count];
  for (; end < to && (left > 0 || !isMarked(end)); end++) if (isMarked(end)) left--;
  recordCommits(entry, leases.slice(0, end - from), elements.subarray(0, added.count));
  for (let i = from; i < end; i++) {
    const lease = leases[i - from];
    if (lease) {
      lease.answer = each.answer;
      claims.endLease(lease, 'committed');
    } else if (!isMarked(i)) claims.countIfLate(part.fingerprints[i] as bigint, (ended) => each.holds(ended, i));
    onAnswer(i, isMarked(i));
  }
  if (end === to) return to;
  for (const lease of leases.slice(end - from)) if (lease) lease.outcome = undefined;
  refuse(claiming, end, added.error, onAnswer);
  return end + 1;
}

/** Marks the keys of claims seen, and ends the claims. */
export const commitEach: SettleEach = (claiming, keys, each, onAnswer) => {
  const { entry, claims } = claiming;
  claims.advance();
  entry.keepTime();
  const { verdicts } = keys;
  const fingerprints = fingerprintsOf(keys);
  const hashed = hashCheckedSpans(entry.detector, keys, fingerprints);
  // Keys that no claim holds may be refused, while others have their room.
  const isTight = each.marksAll && entry.detector.roomProblem(hashed.count, claims.holding.size) !== undefined;
  for (let from = 0; from < hashed.count; ) {
    // What waits for a key observes it as soon as it is free, before the keys after it.
    const to = isTight || claims.isAwaited ? from + 1 : hashed.count;
    from = commitPart(claiming, { fingerprints, verdicts, from, to }, each, onAnswer);
  }
  return withLast(claiming, hashed, onAnswer);
};

/** One key in an array of its own. */
function spanOf(key: Uint8Array): Spans {
  const verdicts = new Uint8Array(1);
  return { bytes: key, starts: Uint32Array.of(0), ends: Uint32Array.of(key.length), count: 1, verdicts };
}

/** The answer for one key. @throws FirstseenError if that is the answer */
function only<Answer>(ask: (key: Spans, onAnswer: OnAnswer<Answer>) => void, key: Uint8Array): Answer {
  const answers: (Answer | FirstseenError)[] = [];
  ask(spanOf(key), (_, answer) => answers.push(answer));
  const [answer] = answers;
  if (answer instanceof FirstseenError) throw answer;
  return answer as Answer;
}

/** Claims a key, and notes it in the log. @throws FirstseenError as `Claims.claim` */
export function claimOne(
  claiming: Claiming,
  key: Uint8Array,
  { token, leaseMilliseconds }: { token: string; leaseMilliseconds: number | undefined },
): Taken {
  const each = { leaseMilliseconds, isRepeatable: true, tokenOf: () => token };
  return only((keys, onAnswer) => claimEach(claiming, keys, each, onAnswer), key);
}

/**
 * Settles or extends the claim of a key.
 * @returns false if no such claim holds it
 * @throws FirstseenError what the detector says of the key; then the claim remains
 */
export function settleOne(settle: SettleEach, claiming: Claiming, key: Uint8Array, each: SettlingEach): boolean {
  return only((keys, onAnswer) => settle(claiming, keys, each, onAnswer), key);
}
