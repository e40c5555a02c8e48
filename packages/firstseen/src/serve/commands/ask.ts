// Asks a detector about keys that are in the buffer of a connection.

import type { Claims } from '../../claims/claims.js';
import { DUPLICATE } from '../../kernel/abi.js';
import type { DetectorEntry } from '../store/entry.js';

/** Keys in a buffer, as `Detector.observeSpans` takes them. The arrays may be longer than there are keys. */
export interface Spans {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  readonly count: number;
  /** Gets the answers. */
  readonly verdicts: Uint8Array;
}

/** The answers of the first keys, and why the next one has none. */
export interface Answers {
  verdicts: Uint8Array;
  answered: number;
  error?: unknown;
}

/** The error for an element beyond the capacity of a filter that does not take more. */
export class FilterFull extends Error {}

/** The error for a command that has no answer for a key that a claim holds. */
export class MadeForClaims extends Error {}

/** The verdict for a key that a claim holds. */
const PENDING = 2;

/** Observes keys that claims may hold: such a key is not added, and its answer is `pending`. */
function observeUnlessHeld(entry: DetectorEntry, claims: Claims, spans: Spans): Answers {
  if (!claims.isHolding) return recorded(entry, spans);
  const { detector, recorder } = entry;
  const { verdicts, count } = spans;
  const fingerprints = new BigUint64Array(count);
  testAll(entry, spans, fingerprints);
  let [answered, error] = [0, undefined as unknown];
  for (; answered < count && error === undefined; answered++) {
    verdicts[answered] = PENDING;
    if (claims.isHeld(fingerprints[answered] as bigint)) continue;
    try {
      detector.observeBatch(fingerprints.subarray(answered, answered + 1), verdicts.subarray(answered, answered + 1));
    } catch (thrown) {
      error = thrown;
      break;
    }
  }
  const observed = fingerprints.subarray(0, answered).filter((_, i) => verdicts[i] !== PENDING);
  if (observed.length > 0) recorder?.observed(entry, observed);
  return { verdicts, answered, error };
}

/** Observes keys, up to the first that is refused. The fingerprints of those that were observed are written. */
function observeAll({ detector }: DetectorEntry, spans: Spans, fingerprints?: BigUint64Array): Answers {
  const { verdicts } = spans;
  const { count, error } = detector.observeCheckedSpans(spans, { verdicts, fingerprints });
  return { verdicts, answered: count, error };
}

function recorded(entry: DetectorEntry, spans: Spans, id?: string): Answers {
  const { recorder } = entry;
  const fingerprints = recorder && new BigUint64Array(spans.count);
  const answers = observeAll(entry, spans, fingerprints);
  if (recorder && answers.answered > 0) {
    // A request that was not answered as a whole may be tried again.
    const whole = answers.answered === spans.count ? id : undefined;
    recorder.observed(entry, (fingerprints as BigUint64Array).subarray(0, answers.answered), whole);
  }
  return answers;
}

/** Observes keys one by one, up to the first new one that a full filter refuses. What it has is not observed again. */
function observeUpTo(entry: DetectorEntry, { bytes, starts, ends, count, verdicts }: Spans): Answers {
  for (let i = 0; i < count; i++) {
    const [start, end, verdict] = [starts, ends, verdicts].map((array) => array.subarray(i, i + 1));
    const one = { bytes, starts: start, ends: end, count: 1, verdicts: verdict } as Spans;
    const isKnown = entry.detector.has(bytes.subarray(starts[i], ends[i]));
    if (!isKnown && entry.room === 0) return { verdicts, answered: i, error: new FilterFull() };
    if (!isKnown) recorded(entry, one);
    else verdicts[i] = DUPLICATE;
  }
  return { verdicts, answered: count };
}

/**
 * Observes keys, up to the first that is refused.
 * @param id that of the request, for the log
 */
export function observeSome(entry: DetectorEntry, spans: Spans, id?: string): Answers {
  if (entry.claims) throw new MadeForClaims();
  entry.keepTime();
  return entry.room >= spans.count ? recorded(entry, spans, id) : observeUpTo(entry, spans);
}

/** Tests keys. */
export function testAll(
  entry: DetectorEntry,
  { bytes, starts, ends, count, verdicts }: Spans,
  fingerprints?: BigUint64Array,
): Answers {
  entry.keepTime();
  entry.detector.testSpans(bytes, starts, ends, count, verdicts, fingerprints);
  return { verdicts, answered: count };
}

/** How a command asks: whether it adds keys, and has an answer for those that are held. */
export interface Asking {
  readonly ask: 'observe' | 'test';
  readonly hasPending?: true;
}

/** Observes or tests keys, up to the first that is refused. @throws MadeForClaims */
export function askSome(entry: DetectorEntry, { ask, hasPending }: Asking, spans: Spans): Answers {
  if (ask === 'test') return testAll(entry, spans);
  if (entry.claims === undefined || !hasPending) return observeSome(entry, spans);
  entry.keepTime();
  return observeUnlessHeld(entry, entry.claims, spans);
}
