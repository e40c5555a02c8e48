// SWAMP. It "stores flows' fingerprints in a cyclic buffer while their frequencies are maintained" in a table (section 1).

import { parameterOf, type Rival, type RivalParameters, type RivalRequest, type RivalRow } from './contract.js';
import { Hashes } from './hashes.js';

/** The share of slots of TinyTable that are left empty, in the paper's evaluation. */
const EMPTY_SHARE = 0.2;
const MAX_FINGERPRINT_BITS = 48;

/** W L bits of the buffer and (1 + g) W (L - log2 W + 3) of TinyTable: the paper's formula with L = log2(W / e). */
function bitsOf(fingerprintBits: number, windowElements: number): number {
  const remainderBits = fingerprintBits - Math.floor(Math.log2(windowElements)) + 3;
  return Math.ceil(windowElements * (fingerprintBits + (1 + EMPTY_SHARE) * remainderBits));
}

/** The longest fingerprint for which the memory is enough. */
function longestFingerprint({ memoryBits, window }: RivalRequest): number {
  let bits = MAX_FINGERPRINT_BITS;
  while (bits > 0 && bitsOf(bits, window.length) > memoryBits) bits--;
  return bits;
}

/** An element is a duplicate if one of the last W elements has its fingerprint. */
class SwampFilter implements Rival {
  readonly #hashes: Hashes;
  readonly #buffer: (number | undefined)[];
  readonly #frequencies = new Map<number, number>();
  readonly #fingerprints: number;
  #next = 0;
  readonly memoryBits: number;

  constructor(parameters: RivalParameters, { window }: RivalRequest, seed: number) {
    this.#hashes = new Hashes(seed);
    this.#buffer = Array.from({ length: window.length }, () => undefined);
    this.#fingerprints = 2 ** parameterOf(parameters, 'L');
    this.memoryBits = bitsOf(parameterOf(parameters, 'L'), window.length);
  }

  #forget(fingerprint: number): void {
    const frequency = this.#frequencies.get(fingerprint) as number;
    if (frequency === 1) this.#frequencies.delete(fingerprint);
    else this.#frequencies.set(fingerprint, frequency - 1);
  }

  observe(element: number): boolean {
    const fingerprint = this.#hashes.fingerprint(element, this.#fingerprints);
    const frequency = this.#frequencies.get(fingerprint) ?? 0;
    const oldest = this.#buffer[this.#next];
    this.#frequencies.set(fingerprint, frequency + 1);
    if (oldest !== undefined) this.#forget(oldest);
    this.#buffer[this.#next] = fingerprint;
    this.#next = (this.#next + 1) % this.#buffer.length;
    return frequency > 0;
  }
}

export const swamp: RivalRow = {
  name: 'swamp',
  paper: {
    authors: 'Assaf, Ben Basat, Einziger, Friedman',
    title: 'Pay for a Sliding Bloom Filter and Get Counting, Distinct Elements, and Entropy for Free',
    venue: 'INFOCOM',
    year: 2018,
    source: 'the abstract; the formula of the bits from memory',
  },
  wholeWindows: ['elements'],
  create: (parameters, request, seed) => new SwampFilter(parameters, request, seed),
  published(request) {
    const L = longestFingerprint(request);
    return L > Math.log2(request.window.length) ? { L } : undefined;
  },
  // The memory decides the only parameter.
  candidates(request) {
    const parameters = this.published(request);
    return parameters ? [parameters] : [];
  },
  falsePositiveRate: (parameters, request) => 1 - (1 - 2 ** -parameterOf(parameters, 'L')) ** request.window.length,
};
