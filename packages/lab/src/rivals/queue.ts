// The queuing construction: a queue of filters, of which the newest takes the elements, and the oldest is dropped when a new one begins.

import { BloomFilter } from './bloom.js';
import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';
import { meanOver } from './rates.js';

/** A filter of the queue. */
export interface QueuedFilter {
  readonly memoryBits: number;
  has(element: number): boolean;
  add(element: number): void;
  clear(): void;
}

/** The kind of filters in a queue. */
export interface QueuedKind {
  create(bits: number, parameters: RivalParameters, hashes: Hashes): QueuedFilter;
  /** The rate of false positives of one filter after a number of adds. */
  rate(bits: number, parameters: RivalParameters, adds: number): number;
}

export const bloomKind: QueuedKind = {
  create: (bits, parameters, hashes) => new BloomFilter(bits, parameterOf(parameters, 'k'), hashes),
  rate: (bits, parameters, adds) =>
    (1 - (1 - 1 / bits) ** (parameterOf(parameters, 'k') * adds)) ** parameterOf(parameters, 'k'),
};

/**
 * Bits of one of the L filters, and the elements that it takes. The paper gives each W / L, so that an element is found for
 * at least W (1 - 1 / L) elements. For a whole window, we give it W / (L - 1).
 */
export function partsOf(L: number, { memoryBits, window }: RivalRequest): { bits: number; elements: number } {
  return { bits: Math.floor((memoryBits - 32) / L), elements: Math.ceil(window.length / (L - 1)) };
}

class FilterQueue implements Rival {
  /** The newest first. */
  readonly #filters: QueuedFilter[];
  readonly #filterElements: number;
  #adds = 0;
  readonly memoryBits: number;

  constructor(kind: QueuedKind, parameters: RivalParameters, request: RivalRequest, seed: number) {
    const L = parameterOf(parameters, 'L');
    const { bits, elements } = partsOf(L, request);
    const hashes = new Hashes(seed);
    this.#filters = Array.from({ length: L }, () => kind.create(bits, parameters, hashes));
    this.#filterElements = elements;
    this.memoryBits = this.#filters.reduce((sum, filter) => sum + filter.memoryBits, 32);
  }

  observe(element: number): boolean {
    const isDuplicate = this.#filters.some((filter) => filter.has(element));
    if (this.#adds === this.#filterElements) {
      const oldest = this.#filters.pop() as QueuedFilter;
      oldest.clear();
      this.#filters.unshift(oldest);
      this.#adds = 0;
    }
    (this.#filters[0] as QueuedFilter).add(element);
    this.#adds++;
    return isDuplicate;
  }
}

/** The row of a queue of one kind of filters. */
export function queueOf(
  kind: QueuedKind,
  row: Pick<RivalRow, 'name' | 'paper' | 'wholeWindows' | 'published' | 'candidates'>,
): RivalRow {
  return {
    ...row,
    create: (parameters, request, seed) => new FilterQueue(kind, parameters, request, seed),
    // An element is found in one of the L - 1 filters that are full, or in the one that is being filled.
    falsePositiveRate(parameters, request) {
      const L = parameterOf(parameters, 'L');
      const { bits, elements } = partsOf(L, request);
      const filling = meanOver((share) => kind.rate(bits, parameters, share * elements));
      return 1 - (1 - kind.rate(bits, parameters, elements)) ** (L - 1) * (1 - filling);
    },
  };
}
