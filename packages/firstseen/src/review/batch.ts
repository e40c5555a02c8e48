// Counts the records of a batch that has verdicts.

import type { RecordBatch } from '../io/sink.js';
import { DUPLICATE } from '../kernel/abi.js';
import { decisions } from '../records/classes.js';
import type { InputReview } from './facts.js';

/** The records of a batch, without those of other shards and what is copied with records. */
export function countsOfBatch({ kernel, taken }: RecordBatch): Pick<InputReview, 'records' | 'dropped'> {
  const count = (verdict: number) => kernel.exports.countVerdicts(taken, verdict);
  const records = taken - count(decisions.COPIED) - count(decisions.SKIPPED);
  return { records, dropped: count(DUPLICATE) };
}
