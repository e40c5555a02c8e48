// Records in clusters. Any two centres differ in the same number of bits. A record differs from its centre in a number of bits
// that is drawn uniformly, from 0 to the maximum.

export interface ClusterOptions {
  records: number;
  recordBytes: number;
  clusters: number;
  /** Bits in which two centres differ. Even; half of it times the number of clusters is at most the bits of a record. */
  apartBits: number;
  /** Maximum number of bits in which a record differs from its centre. */
  withinBits: number;
  /** True if the first records are the centres, one of each cluster. Otherwise all records are drawn. */
  centresFirst: boolean;
  seed: number;
}

export interface LabelledRecords {
  /** The bytes of all records, one after the other. */
  records: Uint8Array;
  /** The cluster of each record, from 0. */
  labels: Uint8Array;
}

const WORD_BITS = 32;

/** Uniform numbers in [0, limit): sfc32 of PractRand (Chris Doty-Humphrey). */
function drawer(seed: number): (limit: number) => number {
  let [a, b, c, counter] = [seed | 0, 0x9e3779b9 | 0, 0x243f6a88 | 0, 1];
  const next = () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
  for (let i = 0; i < 12; i++) next();
  return (limit) => Math.floor((next() / 2 ** 32) * limit);
}

/** All numbers from 0 to `count` - 1 in random order. */
function shuffled(count: number, draw: (limit: number) => number): number[] {
  const numbers = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = draw(i + 1);
    [numbers[i], numbers[j]] = [numbers[j] as number, numbers[i] as number];
  }
  return numbers;
}

function flip(words: Uint32Array, bit: number): void {
  const at = bit >> 5;
  words[at] = (words[at] as number) ^ (1 << (bit & 31));
}

/** Each centre differs from one random record in bits that no other centre uses, so two centres differ in twice as many. */
function centresOf(
  { recordBytes, clusters, apartBits }: ClusterOptions,
  draw: (limit: number) => number,
): Uint32Array[] {
  const base = Uint32Array.from({ length: (8 * recordBytes) / WORD_BITS }, () => draw(2 ** WORD_BITS));
  const bits = shuffled(8 * recordBytes, draw);
  return Array.from({ length: clusters }, (_, cluster) => {
    const centre = base.slice();
    for (const bit of bits.slice((cluster * apartBits) / 2, ((cluster + 1) * apartBits) / 2)) flip(centre, bit);
    return centre;
  });
}

/** Flips `count` different bits. */
function flipSome(words: Uint32Array, count: number, flipped: Uint8Array, draw: (limit: number) => number): void {
  flipped.fill(0);
  for (let left = count; left > 0; ) {
    const bit = draw(flipped.length);
    if (flipped[bit]) continue;
    flipped[bit] = 1;
    flip(words, bit);
    left--;
  }
}

/** The same options give the same records. The length of a record is a multiple of four bytes. */
export function drawClusters(options: ClusterOptions): LabelledRecords {
  const { records, recordBytes, clusters, withinBits, centresFirst, seed } = options;
  const draw = drawer(seed);
  const centres = centresOf(options, draw);
  const recordWords = (8 * recordBytes) / WORD_BITS;
  const words = new Uint32Array(records * recordWords);
  const labels = new Uint8Array(records);
  const flipped = new Uint8Array(8 * recordBytes);
  for (let i = 0; i < records; i++) {
    const isCentre = centresFirst && i < clusters;
    const label = isCentre ? i : draw(clusters);
    labels[i] = label;
    const record = words.subarray(i * recordWords, (i + 1) * recordWords);
    record.set(centres[label] as Uint32Array);
    if (!isCentre) flipSome(record, draw(withinBits + 1), flipped, draw);
  }
  return { records: new Uint8Array(words.buffer), labels };
}
