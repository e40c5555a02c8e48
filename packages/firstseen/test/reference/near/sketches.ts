// A second implementation of sketches and of the table of sketches: sets of hashes, and documents by their numbers.

import { fromTopBits, GOLDEN, mix64 } from '../random.js';

const STREAM = 0x9216d5d98979fb1bn;
const BUCKET_ENTRIES = 16;
const CANDIDATES = 4;
const BAND_BUCKETS = 4;
const COMPARED_SLOTS = 256;

/** An estimate is beside the threshold within this number of standard errors, and this similarity. */
const BESIDE_ERRORS = 64;
const MAX_BESIDE = 0.02;
const BELOW_FOR_ABOVE = 8;

const low32 = (value: bigint) => Number(BigInt.asUintN(32, value));

/** The distinct hashes of a document's shingles. */
export type ReferenceSample = readonly bigint[];

export function referenceSample(shingles: readonly bigint[], seed: bigint): ReferenceSample {
  const key = mix64(mix64(seed ^ STREAM) + GOLDEN);
  return [...new Set(shingles.map((shingle) => mix64(shingle ^ key)))];
}

/** The hashes that begin with `level` zeros. */
const atLevel = (sample: ReferenceSample, level: number) =>
  sample.filter((hash) => hash.toString(2).length <= 64 - level);

/** The bits that an odd number of hashes select. */
function oddBits(hashes: ReferenceSample, bits: number): Set<number> {
  const odd = new Set<number>();
  for (const hash of hashes) {
    const bit = Math.floor((low32(hash) * bits) / 2 ** 32);
    if (!odd.delete(bit)) odd.add(bit);
  }
  return odd;
}

export interface ReferenceSketch {
  count: number;
  level: number;
  /** Of a document with few shingles; undefined if it has an odd sketch. */
  fingerprints: readonly bigint[] | undefined;
  slots: number;
  odd: ReadonlySet<number>;
}

interface Widths {
  /** Bits of a fingerprint that choose its bucket, and of the rest of it. */
  ofBucket: number;
  rest: number;
}

/** Undefined if the fingerprints are whole hashes. */
function widthsOf(count: number, contentBytes: number): Widths | undefined {
  if (8 * count <= contentBytes) return undefined;
  const ofBucket = count.toString(2).length - 1;
  return { ofBucket, rest: Math.min(48, Math.floor((8 * contentBytes - count - 2 ** ofBucket) / count)) };
}

/** Bits of a fingerprint of a document that is compared. */
const listedBits = (count: number, bytes: number) =>
  8 * count <= bytes ? 64 : Math.min(56, Math.floor((8 * bytes) / count));

const bitsOf = (sketchBytes: number) => 8 * (sketchBytes - 8);

/** The size of a slot, and the most slots of a document. */
export interface ReferenceSlots {
  sketchBytes: number;
  sketchSlots: number;
}

const maxFingerprints = ({ sketchBytes, sketchSlots }: ReferenceSlots) => sketchSlots * sketchBytes - 8;

/** The fewest slots in which a fingerprint has 12 bits, or the most there are. */
function slotsOf(count: number, { sketchBytes, sketchSlots }: ReferenceSlots): number {
  const needed = Math.ceil((Math.ceil((12 * count) / 8) + 8) / sketchBytes);
  return Math.min(Math.max(1, needed), sketchSlots);
}

function oddSketch(sample: ReferenceSample, level: number, sketchBytes: number): ReferenceSketch {
  const hashes = atLevel(sample, level);
  return { count: hashes.length, level, fingerprints: undefined, slots: 1, odd: oddBits(hashes, bitsOf(sketchBytes)) };
}

export function referenceSketch(sample: ReferenceSample, sizes: ReferenceSlots): ReferenceSketch {
  const { sketchBytes } = sizes;
  if (sample.length <= maxFingerprints(sizes)) {
    const slots = slotsOf(sample.length, sizes);
    const widths = widthsOf(sample.length, slots * sketchBytes - 8);
    const bits = widths === undefined ? 64 : widths.ofBucket + widths.rest;
    const fingerprints = sample.map((hash) => BigInt.asUintN(bits, hash));
    return { count: sample.length, level: 0, fingerprints, slots, odd: new Set() };
  }
  let level = 0;
  while (atLevel(sample, level).length > 1.5 * bitsOf(sketchBytes)) level++;
  return oddSketch(sample, level, sketchBytes);
}

/** Fingerprints as text of zeros and ones, the lowest bit first. */
function fingerprintText(fingerprints: readonly bigint[], contentBytes: number): string {
  const textOf = (value: bigint, bits: number) =>
    [...value.toString(2).padStart(bits, '0')].reverse().slice(0, bits).join('');
  const widths = widthsOf(fingerprints.length, contentBytes);
  if (widths === undefined) return fingerprints.map((fingerprint) => textOf(fingerprint, 64)).join('');
  const { ofBucket, rest } = widths;
  const buckets = Array.from({ length: 2 ** ofBucket }, (_, bucket) =>
    fingerprints.filter((fingerprint) => BigInt.asUintN(ofBucket, fingerprint) === BigInt(bucket)),
  );
  const counts = buckets.map(({ length }) => `${'1'.repeat(length)}0`).join('');
  return counts + buckets.flatMap((own) => own.map((value) => textOf(value >> BigInt(ofBucket), rest))).join('');
}

/** A sketch as the kernel stores it. */
export function sketchBytesOf(sketch: ReferenceSketch, sketchBytes: number): Uint8Array {
  const { count, level, fingerprints, slots, odd } = sketch;
  const bytes = new Uint8Array(slots * sketchBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, count, true);
  view.setUint32(4, level, true);
  const text = fingerprints === undefined ? '' : fingerprintText(fingerprints, slots * sketchBytes - 8);
  const ones = [...text].flatMap((digit, bit) => (digit === '1' ? [bit] : []));
  for (const bit of [...ones, ...odd]) bytes[8 + (bit >> 3)] = (bytes[8 + (bit >> 3)] as number) | (1 << (bit & 7));
  return bytes;
}

export interface ReferenceSketchOptions extends ReferenceSlots {
  bands: number;
  /** Slots of the ring. */
  ring: number;
  buckets: number;
  similarity: number;
  confidence: number;
  addsAll?: boolean;
}

interface ReferenceDocument {
  elements: readonly bigint[];
  sample: ReferenceSample;
}

interface ReferenceEstimate {
  similarity: number;
  standardError: number;
}

export interface ReferenceAnswer extends Partial<ReferenceEstimate> {
  verdict: 'distinct' | 'duplicate';
  bands: number;
}

interface Compared extends ReferenceEstimate {
  age: number;
}

/** How many hashes are in one of two samples only, from the number of bits that differ (docs/NEAR.md). */
function differenceOf(differing: number, bits: number): number {
  let difference = 0;
  for (let i = 0; i < differing; i++) difference += bits / (bits - 2 * i - 1);
  return difference;
}

function estimateOfFingerprints(
  sample: ReferenceSample,
  sketch: readonly bigint[],
  options: ReferenceSketchOptions,
): ReferenceEstimate {
  const widths = widthsOf(sketch.length, slotsOf(sketch.length, options) * options.sketchBytes - 8);
  const listBytes = 8 * Math.ceil((3 * maxCompared(options)) / 8);
  const bits = Math.min(
    widths === undefined ? 64 : widths.ofBucket + widths.rest,
    listedBits(sample.length, listBytes),
  );
  const earlier = new Set(sketch.map((fingerprint) => BigInt.asUintN(bits, fingerprint)));
  const equal = sample.filter((hash) => earlier.has(BigInt.asUintN(bits, hash))).length;
  const chance = bits === 64 ? 0 : sketch.length / 2 ** bits;
  const least = Math.min(sample.length, sketch.length);
  const measured = Math.floor((equal - sample.length * chance) / (1 - chance) + 0.5);
  const common = Math.max(0, Math.min(least, measured));
  const all = sketch.length + sample.length - common;
  const similarity = common / all;
  const variance = (sample.length - common + 1) * chance;
  return { similarity, standardError: (Math.sqrt(variance) * (1 + similarity)) / all };
}

function estimateOfOdd(own: ReferenceSketch, sketch: ReferenceSketch, bits: number): ReferenceEstimate {
  const differing = [...own.odd, ...sketch.odd].filter((bit) => !(own.odd.has(bit) && sketch.odd.has(bit))).length;
  if (differing >= bits / 2) return { similarity: 0, standardError: 0 };
  const measured = differenceOf(differing, bits);
  const difference = Math.max(measured, Math.abs(own.count - sketch.count));
  const sum = own.count + sketch.count;
  if (difference >= sum) return { similarity: 0, standardError: 0 };
  const similarity = (sum - difference) / (sum + difference);
  const equal = 1 - (2 * differing) / bits;
  const ofBits = Math.max(0, (bits / 4) * (1 / (equal * equal) - 1) - measured);
  const ofSample = difference * (1 - 1 / 2 ** sketch.level);
  return { similarity, standardError: (Math.sqrt(ofBits + ofSample) * (1 + similarity)) / (sum + difference) };
}

/** The most fingerprints of a document that is compared with those of a sketch. */
const maxCompared = (options: ReferenceSketchOptions) => Math.floor(maxFingerprints(options) / options.similarity);

/** docs/NEAR.md, in the order of its formulas. */
function estimateOf(
  sample: ReferenceSample,
  sketch: ReferenceSketch,
  options: ReferenceSketchOptions,
): ReferenceEstimate {
  const { sketchBytes, similarity } = options;
  const none = { similarity: 0, standardError: 0 };
  const { fingerprints, level } = sketch;
  if (fingerprints !== undefined) {
    const isTooLong = sample.length > maxCompared(options);
    return isTooLong ? none : estimateOfFingerprints(sample, fingerprints, options);
  }
  const around = Math.max(1, Math.ceil(Math.log2(1.15 / similarity)));
  let own = 0;
  while (atLevel(sample, own).length > 1.5 * bitsOf(sketchBytes)) own++;
  if (Math.abs(own - level) > around) return none;
  return estimateOfOdd(oddSketch(sample, level, sketchBytes), sketch, bitsOf(sketchBytes));
}

/** The estimates beside the threshold, of which those below it are at least 8 for each one above. */
function isDoubtful(nearest: Compared, all: readonly Compared[], threshold: number): boolean {
  const width = ({ standardError }: Compared) => Math.min(BESIDE_ERRORS * standardError, MAX_BESIDE);
  const beside = all.filter((one) => Math.abs(one.similarity - threshold) < width(one));
  const above = beside.filter(({ similarity }) => similarity >= threshold).length;
  const isBeside = nearest.similarity - threshold < width(nearest);
  return isBeside && beside.length - above >= BELOW_FOR_ABOVE * above;
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
  /** Sketches by the number of their first slot. */
  readonly #sketches = new Map<number, ReferenceSketch>();
  #next = 0;

  constructor(options: ReferenceSketchOptions) {
    this.#options = options;
    this.#numberBits = Math.max(1, Math.ceil(Math.log2(2 * options.ring)));
    const empty = () => Array.from({ length: BUCKET_ENTRIES }, () => ({ fingerprint: 0, number: 0 }));
    this.#buckets = Array.from({ length: options.buckets }, empty);
  }

  observe({ elements, sample }: ReferenceDocument): ReferenceAnswer {
    const answer = this.test({ elements, sample });
    if (answer.verdict === 'distinct' || this.#options.addsAll) this.#add({ elements, sample });
    return answer;
  }

  test({ elements, sample }: ReferenceDocument): ReferenceAnswer {
    const { similarity: threshold, confidence } = this.#options;
    const { found, bands } = this.#compare(elements, sample);
    const [nearest] = [...found].sort((a, b) => b.similarity - a.similarity || b.age - a.age);
    if (nearest === undefined) return { verdict: 'distinct', bands };
    const { similarity: estimate, standardError } = nearest;
    const isNear = estimate >= threshold + confidence * standardError && !isDoubtful(nearest, found, threshold);
    return { verdict: isNear ? 'duplicate' : 'distinct', bands, similarity: estimate, standardError };
  }

  /** The documents that have a band in common, each once unless another one has taken its slot. */
  #compare(elements: readonly bigint[], sample: ReferenceSample) {
    const slots: number[] = [];
    const found: Compared[] = [];
    let bands = 0;
    for (const element of elements) {
      const ages = this.#entriesOf(element).map((entry) => this.#ageOf(entry));
      bands += Number(ages.length > 0);
      for (const age of ages) {
        if (slots[age % COMPARED_SLOTS] === age) continue;
        slots[age % COMPARED_SLOTS] = age;
        const sketch = this.#sketches.get(this.#next - age) as ReferenceSketch;
        found.push({ age, ...estimateOf(sample, sketch, this.#options) });
      }
    }
    return { found, bands };
  }

  #add({ elements, sample }: ReferenceDocument): void {
    const { ring } = this.#options;
    const sketch = referenceSketch(sample, this.#options);
    // A sketch that would go on behind the last slot begins in the first one.
    if ((this.#next % ring) + sketch.slots > ring) this.#next += ring - (this.#next % ring);
    const number = this.#next % 2 ** this.#numberBits;
    this.#sketches.set(this.#next, sketch);
    this.#next += sketch.slots;
    for (const element of elements) {
      const fingerprint = this.#fingerprintOf(element);
      Object.assign(this.#victimOf(element), { fingerprint, number });
    }
  }

  /** Empty entries of the buckets of a band first, then the oldest of the band, or of its first bucket if it has few there. */
  #victimOf(element: bigint): Entry {
    const buckets = this.#bucketsOf(element);
    const empty = buckets.flat().find((entry) => this.#ageOf(entry) === 0);
    if (empty !== undefined) return empty;
    const first = buckets[0] as Entry[];
    const isFew = this.#entriesIn(first, element).length < CANDIDATES;
    const entries = isFew ? first : this.#entriesOf(element);
    return entries.reduce((oldest, entry) => (this.#ageOf(entry) > this.#ageOf(oldest) ? entry : oldest));
  }

  /** The bucket of an element, and the next ones while the one before is full and has enough of the element. */
  #bucketsOf(element: bigint): Entry[][] {
    const first = fromTopBits(element, this.#options.buckets);
    const buckets = Array.from(
      { length: BAND_BUCKETS },
      (_, i) => this.#buckets[(first + i) % this.#options.buckets] as Entry[],
    );
    const goesOn = (bucket: Entry[]) =>
      bucket.every((entry) => this.#ageOf(entry) > 0) && this.#entriesIn(bucket, element).length >= CANDIDATES;
    const last = buckets.findIndex((bucket) => !goesOn(bucket));
    return last < 0 ? buckets : buckets.slice(0, last + 1);
  }

  #fingerprintOf(element: bigint): number {
    return Math.max(1, low32(element) >>> this.#numberBits);
  }

  #entriesIn(bucket: Entry[], element: bigint): Entry[] {
    const fingerprint = this.#fingerprintOf(element);
    return bucket.filter((entry) => entry.fingerprint === fingerprint && this.#ageOf(entry) > 0);
  }

  /** The entries of an element whose documents are in the ring. */
  #entriesOf(element: bigint): Entry[] {
    return this.#bucketsOf(element).flatMap((bucket) => this.#entriesIn(bucket, element));
  }

  /** The slots that were filled since the first one of an entry, that one included; 0 if no document in the ring begins there. */
  #ageOf({ fingerprint, number }: Entry): number {
    const added = this.#next;
    const numbers = 2 ** this.#numberBits;
    const age = (added - number + numbers * Math.ceil(added / numbers + 1)) % numbers;
    const isInRing = age <= Math.min(added, this.#options.ring) && this.#sketches.has(added - age);
    return fingerprint > 0 && isInRing ? age : 0;
  }
}
