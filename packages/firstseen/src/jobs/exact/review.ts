// Notes what becomes of records with equal keys for a report: by input, the largest clusters, and pairs of a kept and a dropped record.

import type { RecordBatch } from '../../io/sink.js';
import { DISTINCT, DUPLICATE } from '../../kernel/abi.js';
import type { Kernel } from '../../kernel/kernel.js';
import { recordClasses } from '../../records/classes.js';
import { countsOfBatch } from '../../review/batch.js';
import { LargestClusters } from '../../review/clusters.js';
import { excerptOf, shortRecord } from '../../review/excerpt.js';
import type { ReviewedRecord, RunReview } from '../../review/facts.js';
import { InputCounts } from '../../review/inputs.js';
import { MAX_TEXT_BYTES, PairSample } from '../../review/pairs.js';
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
  /** The memory of the batch, and the records of the input before it. */
  #kernel: Kernel | undefined;
  #before = 0;
  /** The record of the batch that is looked at, and the cluster of its key. */
  #index = 0;
  #cluster = 0;
  // Most records are not held, so nothing is made for one before it is known to be held.
  readonly #recordOf = (): ReviewedRecord => this.#recordAt(this.#kernel as Kernel);
  readonly #droppedOf = () => ({ dropped: this.#recordOf() });
  /** The kept record of a key, as far as it is known without its text. */
  readonly #unheldOf = (): ReviewedRecord => (this.#pairs.isAbsent(this.#cluster) ? { isAbsent: true } : {});
  readonly #membersOf = () => ({
    first: shortRecord(this.#pairs.keptOf(this.#cluster) ?? this.#unheldOf()),
    member: shortRecord(this.#recordOf()),
  });

  /** @param hasFingerprints whether the batches have fingerprints of their keys, which tell the records of a key */
  constructor(hasFingerprints: boolean) {
    this.#hasFingerprints = hasFingerprints;
  }

  beginInput(name: string): void {
    this.#input = name;
    this.#before = 0;
  }

  take(batch: RecordBatch): void {
    const { kernel, taken: takenRecords } = batch;
    const { verdicts, recordClasses: classes } = kernel;
    this.#kernel = kernel;
    this.#inputs.add(this.#input, countsOfBatch(batch));
    for (let i = 0, keyed = -1; i < takenRecords; i++) {
      if (classes[i] !== recordClasses.KEYED.code) continue;
      keyed++;
      const verdict = verdicts[i];
      this.#index = i;
      if (verdict === DUPLICATE) this.#drop(keyed);
      else if (verdict === DISTINCT) this.#keep(keyed);
    }
    this.#before += takenRecords;
  }

  #keep(keyed: number): void {
    if (this.#hasFingerprints) this.#pairs.keep(clusterAt(this.#kernel as Kernel, keyed), this.#recordOf);
  }

  #drop(keyed: number): void {
    if (!this.#hasFingerprints) {
      this.#pairs.dropAlone(this.#droppedOf);
      return;
    }
    this.#cluster = clusterAt(this.#kernel as Kernel, keyed);
    this.#pairs.drop(this.#cluster, this.#droppedOf, this.#unheldOf);
    this.#clusters.add(this.#cluster, this.#membersOf);
  }

  review(): RunReview {
    return {
      recordName: 'record',
      inputs: this.#inputs.review(),
      pairs: this.#pairs.review(),
      ...(this.#hasFingerprints ? { clusters: this.#clusters.review() } : {}),
    };
  }

  #recordAt({ bytes, recordStarts, recordEnds }: Kernel): ReviewedRecord {
    const start = recordStarts[this.#index] as number;
    const end = recordEnds[this.#index] as number;
    const hasNewline = end > start && bytes[end - 1] === NEWLINE;
    const excerpt = excerptOf(bytes, start, hasNewline ? end - 1 : end, MAX_TEXT_BYTES);
    return { input: this.#input, number: this.#before + this.#index + 1, excerpt };
  }
}
