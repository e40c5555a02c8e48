// Notes what becomes of records with equal keys for a report: by input, the largest clusters, and pairs of a kept and a dropped record.

import type { RecordBatch } from '../../io/sink.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { recordClasses } from '../../records/classes.js';
import { LargestClusters } from '../../review/clusters.js';
import { excerptOf, shortRecord } from '../../review/excerpt.js';
import type { ReviewedRecord, RunReview } from '../../review/facts.js';
import { InputCounts } from '../../review/inputs.js';
import { MOST_TEXT_BYTES, PairSample } from '../../review/pairs.js';
import type { RecordReview } from '../../run/job.js';

const NEWLINE = 0x0a;
/** A fingerprint as a number has its upper half, and as much of the lower one as doubles have room for. */
const [LOW_FACTOR, LOW_SHIFT] = [2 ** 21, 11];

/** The fingerprint of a key of a batch as a number. */
function clusterAt({ spans: halves }: Kernel, keyed: number): number {
  return (halves[2 * keyed + 1] as number) * LOW_FACTOR + ((halves[2 * keyed] as number) >>> LOW_SHIFT);
}

export class RecordsReview implements RecordReview {
  readonly #hasFingerprints: boolean;
  readonly #inputs = new InputCounts();
  readonly #clusters = new LargestClusters();
  readonly #pairs = new PairSample();
  #input = '';

  /** @param hasFingerprints whether the batches have fingerprints of their keys, which tell the records of a key */
  constructor(hasFingerprints: boolean) {
    this.#hasFingerprints = hasFingerprints;
  }

  beginInput(name: string): void {
    this.#input = name;
  }

  take({ kernel, taken }: RecordBatch): void {
    const { verdicts, recordClasses: classes } = kernel;
    const dropped = kernel.exports.countVerdicts(taken, DUPLICATE);
    const before = this.#inputs.add(this.#input, { records: taken, dropped }) - taken;
    for (let i = 0, keyed = -1; i < taken; i++) {
      if (classes[i] !== recordClasses.KEYED.code) continue;
      keyed++;
      const verdict = verdicts[i];
      if (verdict === DISTINCT) this.#keep(kernel, i, keyed, before);
      else if (verdict === DUPLICATE) this.#drop(kernel, i, keyed, before);
    }
  }

  #keep(kernel: Kernel, index: number, keyed: number, before: number): void {
    if (!this.#hasFingerprints) return;
    const cluster = clusterAt(kernel, keyed);
    if (this.#pairs.takes(cluster)) this.#pairs.keep(cluster, () => this.#recordAt(kernel, index, before));
  }

  #drop(kernel: Kernel, index: number, keyed: number, before: number): void {
    const recordOf = () => this.#recordAt(kernel, index, before);
    const droppedOf = () => ({ dropped: recordOf() });
    if (!this.#hasFingerprints) {
      this.#pairs.dropAlone(droppedOf);
      return;
    }
    const cluster = clusterAt(kernel, keyed);
    this.#pairs.drop(cluster, droppedOf, () => ({}));
    this.#clusters.add(cluster, () => ({
      first: shortRecord(this.#pairs.keptOf(cluster) ?? {}),
      member: shortRecord(recordOf()),
    }));
  }

  #recordAt({ bytes, recordStarts, recordEnds }: Kernel, index: number, before: number): ReviewedRecord {
    const start = recordStarts[index] as number;
    const end = recordEnds[index] as number;
    const hasNewline = end > start && bytes[end - 1] === NEWLINE;
    const excerpt = excerptOf(bytes, start, hasNewline ? end - 1 : end, MOST_TEXT_BYTES);
    return { input: this.#input, number: before + index + 1, excerpt };
  }

  review(): RunReview {
    return {
      recordName: 'record',
      inputs: this.#inputs.review(false),
      pairs: this.#pairs.review(),
      ...(this.#hasFingerprints ? { clusters: this.#clusters.review() } : {}),
    };
  }
}
