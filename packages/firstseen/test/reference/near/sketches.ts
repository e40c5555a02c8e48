// A second implementation of sketches and of the table of sketches: values in arrays, and documents by their numbers.

import { fromTopBits, GOLDEN, mix64 } from '../random.js';

const STREAM = 0x9216d5d98979fb1bn;
const BUCKET_ENTRIES = 16;
const MOST_CANDIDATES = 4;
const COMPARED_SLOTS = 256;

const low32 = (value: bigint) => Number(BigInt.asUintN(32, value));

/** The values of the bins: 0 if no shingle is in the bin, otherwise 1, 2 or 3. */
export function referenceSketch(shingles: readonly bigint[], bins: number, seed: bigint): number[] {
  const key = mix64(mix64(seed ^ STREAM) + GOLDEN);
  const hashes = shingles.map((shingle) => mix64(shingle ^ key));
  return Array.from({ length: bins }, (_, bin) => {
    const values = hashes.filter((hash) => fromTopBits(hash, bins) === bin).map(low32);
    if (values.length === 0) return 0;
    return (Math.min(0xfffffffe, ...values) % 3) + 1;
  });
}

/** A sketch as the kernel stores it, by 64 bins: a word of lower bits and a word of upper bits. */
export function sketchBytesOf(sketch: readonly number[]): Uint8Array {
  const words = Array.from({ length: sketch.length / 32 }, (_, word) => {
    const group = sketch.slice((word >> 1) * 64, ((word >> 1) + 1) * 64);
    return group.reduce((sum, value, bin) => sum | (BigInt((value >> (word & 1)) & 1) << BigInt(bin)), 0n);
  });
  return new Uint8Array(BigUint64Array.from(words).buffer);
}

export interface ReferenceSketchOptions {
  bands: number;
  documents: number;
  buckets: number;
  similarity: number;
  confidence: number;
  addsAll?: boolean;
}

interface ReferenceDocument {
  elements: readonly bigint[];
  sketch: readonly number[];
}

interface ReferenceEstimate {
  similarity: number;
  standardError: number;
}

export interface ReferenceAnswer extends Partial<ReferenceEstimate> {
  verdict: 'distinct' | 'duplicate';
  bands: number;
}

interface Compared {
  age: number;
  either: number;
  both: number;
  equal: number;
}

function compared(left: readonly number[], right: readonly number[], age: number): Compared {
  const count = (isCounted: (a: number, b: number) => boolean) =>
    left.filter((value, bin) => isCounted(value, right[bin] as number)).length;
  return {
    age,
    either: count((a, b) => a > 0 || b > 0),
    both: count((a, b) => a > 0 && b > 0),
    equal: count((a, b) => a > 0 && a === b),
  };
}

const estimated = ({ equal, both, either }: Compared) => (3 * equal - both) / (2 * either);

/** docs/NEAR.md, in the order of its formulas. */
function estimateOf(nearest: Compared, bins: number): ReferenceEstimate {
  const { either, both, equal } = nearest;
  const same = (equal - both * (1 / 3)) / (1 - 1 / 3);
  const similarity = Math.min(1, Math.max(0, same / either));
  const shingles = Math.max(either, -bins * Math.log(Math.max(bins - either, 0.5) / bins));
  const left = shingles > 1 ? (shingles - either) / (shingles - 1) : 0;
  const variance = either * similarity * (1 - similarity) * left + (Math.max(0, both - same) * (1 / 3)) / (1 - 1 / 3);
  return { similarity, standardError: Math.sqrt(variance) / either };
}

function shrunk({ similarity, standardError }: ReferenceEstimate, family: readonly number[]): ReferenceEstimate {
  if (family.length < 4 || standardError === 0) return { similarity, standardError };
  const mean = family.reduce((sum, one) => sum + one, 0) / family.length;
  const squares = family.reduce((sum, one) => sum + one * one, 0);
  const scatter = Math.max(0, squares - family.length * mean * mean);
  const explained = Math.min(1, ((family.length - 3) * standardError ** 2) / scatter);
  return { similarity: similarity - (similarity - mean) * explained, standardError };
}

interface Entry {
  fingerprint: number;
  number: number;
}

/** The table, whose entries are the fingerprint of a band and the number of a document. */
export class ReferenceSketches {
  readonly #options: ReferenceSketchOptions;
  readonly #numberBits: number;
  readonly #buckets: Entry[][];
  readonly #sketches: (readonly number[])[] = [];

  constructor(options: ReferenceSketchOptions) {
    this.#options = options;
    this.#numberBits = Math.max(1, Math.ceil(Math.log2(2 * options.documents)));
    const empty = () => Array.from({ length: BUCKET_ENTRIES }, () => ({ fingerprint: 0, number: 0 }));
    this.#buckets = Array.from({ length: options.buckets }, empty);
  }

  observe({ elements, sketch }: ReferenceDocument): ReferenceAnswer {
    const answer = this.test({ elements, sketch });
    if (answer.verdict === 'distinct' || this.#options.addsAll) this.#add({ elements, sketch });
    return answer;
  }

  test({ elements, sketch }: ReferenceDocument): ReferenceAnswer {
    const { similarity: threshold, confidence } = this.#options;
    const { found, bands } = this.#compare(elements, sketch);
    const [nearest] = [...found].sort((a, b) => estimated(b) - estimated(a) || b.age - a.age);
    if (nearest === undefined) return { verdict: 'distinct', bands };
    const family = found.map(estimated).filter((one) => one >= threshold - 0.1);
    const estimate = shrunk(estimateOf(nearest, sketch.length), family);
    const isNear = estimate.similarity >= threshold + confidence * estimate.standardError;
    return { verdict: isNear ? 'duplicate' : 'distinct', bands, ...estimate };
  }

  /** The documents that have a band in common, each once unless another one has taken its slot. */
  #compare(elements: readonly bigint[], sketch: readonly number[]) {
    const slots: number[] = [];
    const found: Compared[] = [];
    let bands = 0;
    for (const element of elements) {
      const ages = this.#entriesOf(element).map((entry) => this.#ageOf(entry));
      bands += Number(ages.length > 0);
      for (const age of ages) {
        if (slots[age % COMPARED_SLOTS] === age) continue;
        slots[age % COMPARED_SLOTS] = age;
        found.push(compared(sketch, this.#sketches[this.#sketches.length - age] as readonly number[], age));
      }
    }
    return { found, bands };
  }

  #add({ elements, sketch }: ReferenceDocument): void {
    const number = this.#sketches.length % 2 ** this.#numberBits;
    this.#sketches.push(sketch);
    for (const element of elements) {
      const fingerprint = this.#fingerprintOf(element);
      const same = this.#entriesOf(element);
      const oldest = (entries: Entry[]) =>
        entries.reduce((most, entry) => (this.#rankOf(entry) > this.#rankOf(most) ? entry : most));
      const victim = oldest(same.length >= MOST_CANDIDATES ? same : this.#bucketOf(element));
      Object.assign(victim, { fingerprint, number });
    }
  }

  #bucketOf(element: bigint): Entry[] {
    return this.#buckets[fromTopBits(element, this.#options.buckets)] as Entry[];
  }

  #fingerprintOf(element: bigint): number {
    return Math.max(1, low32(element) >>> this.#numberBits);
  }

  /** The entries of an element whose documents are in the ring. */
  #entriesOf(element: bigint): Entry[] {
    const fingerprint = this.#fingerprintOf(element);
    return this.#bucketOf(element).filter((entry) => entry.fingerprint === fingerprint && this.#ageOf(entry) > 0);
  }

  /** How many documents were added since that of an entry, with it; 0 if it is not in the ring. */
  #ageOf({ fingerprint, number }: Entry): number {
    const added = this.#sketches.length;
    const numbers = 2 ** this.#numberBits;
    const age = (added - number + numbers * Math.ceil(added / numbers + 1)) % numbers;
    return fingerprint > 0 && age <= Math.min(added, this.#options.documents) ? age : 0;
  }

  /** Empty entries are replaced first, then the oldest. */
  #rankOf(entry: Entry): number {
    return this.#ageOf(entry) || Number.POSITIVE_INFINITY;
  }
}
