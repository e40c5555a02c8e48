// Looks the elements of passages up in the detector of a run, in their order.

import type { FirstseenError } from '../base/errors.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { observed } from '../framing/batch.js';
import { BATCH_CAPACITY } from '../kernel/abi.js';
import type { CutRegions } from './regions.js';

const ELEMENT_BYTES = BigUint64Array.BYTES_PER_ELEMENT;

export interface LookUpOptions {
  /** Only looks elements up. */
  isReadOnly: boolean;
  /** Returns the number of elements that may be observed before the detector must be looked at again. */
  elementsAhead: () => number;
}

/** The number of elements that have a verdict, and the error for which no more have one. */
export interface LookedUp {
  taken: number;
  failure?: FirstseenError;
}

export class ElementLookUp {
  readonly #detector: Detector;
  readonly #options: LookUpOptions;

  constructor(detector: Detector, options: LookUpOptions) {
    this.#detector = detector;
    this.#options = options;
  }

  /** Looks the first `count` elements up, and adds them, in batches of the detector. Writes their verdicts. */
  lookUp({ elements, verdicts: target }: CutRegions, count: number): LookedUp {
    const { bytes, fingerprints, verdicts } = kernelOf(this.#detector);
    const { isReadOnly, elementsAhead } = this.#options;
    for (let from = 0; from < count; ) {
      const partElements = Math.min(count - from, BATCH_CAPACITY, elementsAhead());
      const start = elements + from * ELEMENT_BYTES;
      bytes.copyWithin(fingerprints.byteOffset, start, start + partElements * ELEMENT_BYTES);
      const { taken: takenElements, failure } = observed(this.#detector, partElements, () => {
        if (isReadOnly) this.#detector.testPlaced(partElements);
        else this.#detector.observePlaced(partElements);
      });
      if (failure) {
        bytes.copyWithin(target + from, verdicts.byteOffset, verdicts.byteOffset + takenElements);
        return { taken: from + takenElements, failure };
      }
      bytes.copyWithin(target + from, verdicts.byteOffset, verdicts.byteOffset + partElements);
      from += partElements;
    }
    return { taken: count };
  }
}
