// Asks a detector about keys that are in the buffer of a connection.

import { FirstseenError } from '../../base/errors.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
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

function askAll(
  { detector }: DetectorEntry,
  ask: 'observe' | 'test',
  spans: Spans,
  fingerprints?: BigUint64Array,
): Answers {
  const { bytes, starts, ends, count, verdicts } = spans;
  const before = detector.observed;
  try {
    if (ask === 'observe') detector.observeSpans(bytes, starts, ends, count, verdicts, fingerprints);
    else detector.testSpans(bytes, starts, ends, count, verdicts, fingerprints);
    return { verdicts, answered: count };
  } catch (error) {
    if (!(error instanceof FirstseenError)) throw error;
    return { verdicts, answered: ask === 'observe' ? detector.observed - before : 0, error };
  }
}

/** Observes keys one by one, up to the first new one that a full filter refuses. */
function observeUpTo(entry: DetectorEntry, { bytes, starts, ends, count, verdicts }: Spans): Answers {
  for (let i = 0; i < count; i++) {
    const key = bytes.subarray(starts[i], ends[i]);
    if (entry.room > 0) verdicts[i] = entry.detector.observe(key) === 'duplicate' ? DUPLICATE : DISTINCT;
    else if (entry.detector.has(key)) verdicts[i] = DUPLICATE;
    else return { verdicts, answered: i, error: new FilterFull() };
  }
  return { verdicts, answered: count };
}

/** Observes keys, up to the first that is refused. */
export function observeSome(entry: DetectorEntry, spans: Spans, fingerprints?: BigUint64Array): Answers {
  return entry.room >= spans.count ? askAll(entry, 'observe', spans, fingerprints) : observeUpTo(entry, spans);
}

/** The fingerprints of keys, without adding them. */
export function fingerprintsOf(entry: DetectorEntry, spans: Spans): BigUint64Array {
  const fingerprints = new BigUint64Array(spans.count);
  const { error } = askAll(entry, 'test', spans, fingerprints);
  if (error !== undefined) throw error;
  return fingerprints;
}

/** Observes or tests keys, up to the first that is refused. */
export function askSome(entry: DetectorEntry, ask: 'observe' | 'test', spans: Spans): Answers {
  return ask === 'observe' ? observeSome(entry, spans) : askAll(entry, ask, spans);
}
