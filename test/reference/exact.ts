import { exactCapacity } from '../../src/detectors/exact.js';
import type { DetectorSettings } from '../../src/detectors/settings.js';
import type { Answer, Twin, TwinRow } from './twin.js';

/** A set. Fingerprint 0 has a place of its own and takes none of the capacity. */
class ExactTwin implements Twin {
  readonly #seen = new Set<bigint>();
  readonly #capacity: number;

  constructor(settings: DetectorSettings) {
    this.#capacity = exactCapacity(settings.memoryBytes);
  }

  test(fingerprint: bigint): Answer {
    return this.#seen.has(fingerprint) ? 1 : 0;
  }

  observe(fingerprint: bigint): Answer {
    if (this.test(fingerprint)) return 1;
    const held = this.#seen.size - this.test(0n);
    if (held >= this.#capacity) throw new Error('the set is full');
    this.#seen.add(fingerprint);
    return 0;
  }
}

export const exact: TwinRow = {
  create: (settings) => new ExactTwin(settings),
  parameterSets: [{}],
  falsePositiveBound: () => 0,
};
