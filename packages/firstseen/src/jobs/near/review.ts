// Notes what becomes of documents for a report: by input and similarity, the largest clusters, and pairs of a kept and a dropped document.

import { dirname } from 'node:path';
import type { NearAnswer } from '../../near/answer.js';
import { chanceAt } from '../../near/bands.js';
import type { NearDetector } from '../../near/detector.js';
import { LargestClusters } from '../../review/clusters.js';
import { excerptOf, shortRecord } from '../../review/excerpt.js';
import type { Excerpt, ReviewedRecord, RunReview } from '../../review/facts.js';
import { InputCounts } from '../../review/inputs.js';
import { MAX_TEXT_BYTES, PairSample } from '../../review/pairs.js';
import { KeptPlaces, type Place } from '../../review/places.js';
import { Similarities } from '../../review/similarities.js';
import type { RecordReview } from '../../run/job.js';
import { forgottenOf } from './forgotten.js';
import type { DocumentFile } from './span.js';

/** A document that the table has just answered. */
export interface AnsweredDocument {
  answer: NearAnswer;
  /** As `NearDetector.nearestAge`. */
  nearestAge: number;
  /** True if later documents can be near it. */
  isAdded: boolean;
  /** The span of its text. */
  start: number;
  end: number;
  /** Its file, if documents are files. */
  file: DocumentFile | undefined;
  /** Its name by its key, if it has one. */
  name: () => string | undefined;
}

export interface NearReviewOptions {
  near: NearDetector;
  /** The memory that has the documents. */
  bytes: Uint8Array;
}

/** Returns the bytes that are not text, in hexadecimal digits. */
function digitsOf(bytes: Uint8Array, start: number, end: number, maxDigits: number): Excerpt {
  const last = Math.min(end, start + maxDigits / 2);
  const text = Buffer.from(bytes.slice(start, last)).toString('hex');
  return { text, bytes: end - start, isCut: last < end };
}

export class NearReview implements RecordReview {
  readonly #options: NearReviewOptions;
  readonly #inputs = new InputCounts();
  readonly #similarities: Similarities;
  readonly #clusters = new LargestClusters();
  readonly #pairs = new PairSample();
  readonly #places = new KeptPlaces();
  /** The cluster of each document that the table remembers, if dropped documents are added too. A cluster is the number of its first one. */
  readonly #clusterOf: Float64Array | undefined;
  #input = '';

  constructor(options: NearReviewOptions) {
    this.#options = options;
    const { verify, similarity, add, table } = options.near.settings;
    this.#similarities = new Similarities(similarity);
    if (verify && add === 'all') this.#clusterOf = new Float64Array(Number(table.parameters.values.n));
  }

  beginInput(name: string): void {
    this.#input = name;
  }

  /** Notes a document. */
  add(document: AnsweredDocument): void {
    const { answer, nearestAge, isAdded, file } = document;
    const { verify } = this.#options.near.settings;
    const isDropped = answer.verdict === 'duplicate';
    const input = file === undefined ? this.#input : dirname(file.path);
    const hasNearest = verify && nearestAge > 0;
    const nearest = this.#places.count - nearestAge;
    const isAcross = isDropped && hasNearest && this.#places.inputOf(nearest) !== input;
    const number = this.#inputs.add(input, {
      ...{ records: 1, dropped: isDropped ? 1 : 0 },
      droppedAcross: verify ? Number(isAcross) : undefined,
    });
    if (verify) {
      const { similarity, standardError } = answer;
      this.#similarities.add({ similarity, standardError, isDropped });
    }
    const recordOf = (): ReviewedRecord => ({
      ...this.#placeOf(document, input, number),
      excerpt: this.#text(document),
    });
    if (isDropped && hasNearest) this.#drop(document, nearest, recordOf);
    else if (isDropped) this.#pairs.dropAlone(() => ({ dropped: recordOf() }));
    if (!isAdded) return;
    const index = this.#places.count;
    if (this.#clusterOf) {
      this.#clusterOf[index % this.#clusterOf.length] = isDropped ? this.#clusterOfKept(nearest) : index;
    }
    this.#pairs.keep(index, recordOf);
    this.#places.add(this.#placeOf(document, input, number));
  }

  #drop({ answer }: AnsweredDocument, nearest: number, recordOf: () => ReviewedRecord): void {
    const { similarity, standardError } = answer;
    const keptOf = (kept: number) => this.#pairs.keptOf(kept) ?? this.#places.of(kept);
    const droppedOf = () => ({ dropped: recordOf(), similarity, standardError });
    this.#pairs.drop(nearest, droppedOf, () => this.#places.of(nearest));
    const cluster = this.#clusterOfKept(nearest);
    this.#clusters.add(cluster, () => ({ first: shortRecord(keptOf(cluster)), member: shortRecord(recordOf()) }));
  }

  /** The cluster of a remembered document. */
  #clusterOfKept(kept: number): number {
    if (kept < 0 || !this.#clusterOf) return kept;
    return this.#clusterOf[kept % this.#clusterOf.length] as number;
  }

  #placeOf({ file, name }: AnsweredDocument, input: string, number: number): Place {
    return { input, number, name: file?.path ?? name() };
  }

  #text({ file, start, end }: AnsweredDocument): Excerpt {
    const { bytes, near } = this.#options;
    const read = near.settings.shingle === undefined ? digitsOf : excerptOf;
    return file ? read(file.bytes, 0, file.bytes.length, MAX_TEXT_BYTES) : read(bytes, start, end, MAX_TEXT_BYTES);
  }

  review(): RunReview {
    const { near } = this.#options;
    const { verify, similarity, lsh, agreeing } = near.settings;
    const isUnverified = !verify;
    return {
      recordName: 'document',
      inputs: this.#inputs.review(),
      pairs: this.#pairs.review(),
      ...(isUnverified
        ? {}
        : {
            similarities: this.#similarities.review(chanceAt(similarity, near.settings, lsh, agreeing)),
            clusters: this.#clusters.review(),
            forgotten: forgottenOf(near),
          }),
    };
  }
}
