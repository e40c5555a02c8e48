import { exactCapacity } from '../../src/detectors/exact.js';
import type { DetectorSettings } from '../../src/detectors/settings.js';
import type { Answer, Twin, TwinRow } from './twin.js';

const SLOT_BYTES = 8;

/** A set. Fingerprint 0 is stored separately and takes none of the capacity. */
class ExactTwin implements Twin {
  readonly #seen = new Set<bigint>();
  readonly #capacity: number;
  readonly #slots: number;

  constructor(settings: DetectorSettings) {
    // The table grows by doubling from less than 1024 slots to the memory, so its final size is divisible by 2 that
    // many times.
    const slots = Math.floor(settings.memoryBytes / SLOT_BYTES);
    const doublings = Math.max(0, Math.floor(Math.log2(slots / 512)));
    this.#slots = Math.floor(slots / 2 ** doublings) * 2 ** doublings;
    this.#capacity = exactCapacity(settings.memoryBytes);
  }

  test(fingerprint: bigint): Answer {
    return this.#seen.has(fingerprint) ? 1 : 0;
  }

  get #held(): number {
    return this.#seen.size - this.test(0n);
  }

  load(): number {
    return this.#held / this.#slots;
  }

  observe(fingerprint: bigint): Answer {
    if (this.test(fingerprint)) return 1;
    if (this.#held >= this.#capacity) throw new Error('the set is full');
    this.#seen.add(fingerprint);
    return 0;
  }
}

export const exact: TwinRow = {
  create: (settings) => new ExactTwin(settings),
  parameterSets: [{}],
  falsePositiveBound: () => 0,
};
