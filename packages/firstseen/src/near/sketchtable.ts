// Decides about a document by sketches: a document that was added is near it if they have a band in common, and the similarity that
// is estimated from their sketches is large enough.

import { type Detector, kernelOf } from '../detectors/detector.js';
import type { Kernel } from '../kernel/kernel.js';
import type { BandDecision, DocumentTable, Estimate } from './bandtable.js';
import { sketchOffset } from './regions.js';
import type { SignatureSettings } from './settings.js';

/** The fill of a ring of sketches. */
export interface RingFill {
  /** Documents in the ring. */
  documents: number;
  /** Slots that were filled or passed over so far. */
  filled: number;
}

export function ringFillOf({ exports }: Kernel): RingFill {
  return { documents: exports.sketchesDocuments() >>> 0, filled: exports.sketchesFilled() };
}

export class SketchTable implements DocumentTable {
  /** A table of sketches has no sets. */
  opened = 0;
  readonly #kernel: Kernel;
  readonly #settings: SignatureSettings;

  constructor(table: Detector, settings: SignatureSettings) {
    this.#kernel = kernelOf(table);
    this.#settings = settings;
  }

  test(signature: number): BandDecision {
    const { exports, fingerprints } = this.#kernel;
    const sketch = signature + sketchOffset(this.#settings);
    const bands = exports.sketchesFind(fingerprints.byteOffset, sketch, this.#settings.similarity);
    const estimate = this.#estimate();
    return { isDuplicate: this.#isNear(estimate), bands, set: undefined, estimate };
  }

  observe(signature: number): BandDecision {
    const { exports, fingerprints } = this.#kernel;
    const decision = this.test(signature);
    exports.sketchesCount(decision.isDuplicate ? 1 : 0);
    if (decision.isDuplicate && this.#settings.add === 'kept') return decision;
    exports.sketchesAdd(fingerprints.byteOffset, signature + sketchOffset(this.#settings));
    return decision;
  }

  /** The estimate for the nearest document that has a band in common; undefined if there is none. */
  #estimate(): Estimate | undefined {
    const { exports } = this.#kernel;
    if (exports.sketchesNearestAge() === 0) return undefined;
    return { similarity: exports.sketchesNearestSimilarity(), standardError: exports.sketchesNearestError() };
  }

  #isNear(estimate: Estimate | undefined): boolean {
    if (estimate === undefined) return false;
    const { similarity, confidence } = this.#settings;
    if (this.#kernel.exports.sketchesIsDoubtful()) return false;
    return estimate.similarity >= similarity + confidence * estimate.standardError;
  }
}
