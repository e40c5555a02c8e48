// Narang and Bhattacherjee 2011, figures 3 to 10 (section 6.1.1 and 6.1.2): rates of range motifs, in percent. The
// figures have no numbers; the text gives those of their first and last points.

export interface MotifConfiguration {
  /** The paper's name. */
  name: 'a' | 'b';
  records: number;
  recordBytes: number;
  sets: number;
  /** The paper's delta and epsilon. */
  apartShare: number;
  withinShare: number;
}

/** Section 6.1; the threshold is ceil(k / 2). */
const configurations = {
  a: { name: 'a', records: 1_000_000, recordBytes: 64, sets: 4, apartShare: 0.25, withinShare: 0.1 },
  b: { name: 'b', records: 1_000_000, recordBytes: 64, sets: 8, apartShare: 0.125, withinShare: 0.05 },
} as const;

export interface MotifSetting {
  /** k and l'. */
  hashes: number;
  addressBits: number;
}

export interface PublishedMotifPoint extends MotifSetting {
  fprPercent: number;
  fnrPercent: number;
}

/** Two figures over the same runs: false positives and false negatives. */
export interface PublishedMotifFigures {
  id: string;
  numbers: { fpr: number; fnr: number };
  configuration: MotifConfiguration;
  varied: 'addressBits' | 'hashes';
  settings: readonly MotifSetting[];
  published: readonly PublishedMotifPoint[];
}

function numbersFrom(first: number, last: number, step: number): number[] {
  return Array.from({ length: (last - first) / step + 1 }, (_, i) => first + i * step);
}

function variedBits(hashes: number, first: number, last: number): MotifSetting[] {
  return numbersFrom(first, last, 1).map((addressBits) => ({ hashes, addressBits }));
}

function variedHashes(addressBits: number, first: number, last: number): MotifSetting[] {
  return numbersFrom(first, last, 2).map((hashes) => ({ hashes, addressBits }));
}

export const narang2011Figures: readonly PublishedMotifFigures[] = [
  {
    id: 'narang-figure-3',
    numbers: { fpr: 3, fnr: 4 },
    configuration: configurations.a,
    varied: 'addressBits',
    settings: variedBits(8, 12, 19),
    published: [
      { hashes: 8, addressBits: 12, fprPercent: 19, fnrPercent: 19.48 },
      { hashes: 8, addressBits: 19, fprPercent: 0, fnrPercent: 0 },
    ],
  },
  {
    id: 'narang-figure-5',
    numbers: { fpr: 5, fnr: 6 },
    configuration: configurations.b,
    varied: 'addressBits',
    settings: variedBits(12, 16, 26),
    published: [
      { hashes: 12, addressBits: 16, fprPercent: 25, fnrPercent: 25 },
      { hashes: 12, addressBits: 26, fprPercent: 0, fnrPercent: 0 },
    ],
  },
  {
    id: 'narang-figure-7',
    numbers: { fpr: 7, fnr: 8 },
    configuration: configurations.a,
    varied: 'hashes',
    settings: variedHashes(12, 12, 24),
    published: [
      { hashes: 12, addressBits: 12, fprPercent: 10, fnrPercent: 10.5 },
      { hashes: 24, addressBits: 12, fprPercent: 0, fnrPercent: 0 },
    ],
  },
  {
    id: 'narang-figure-9',
    numbers: { fpr: 9, fnr: 10 },
    configuration: configurations.b,
    varied: 'hashes',
    settings: variedHashes(16, 14, 30),
    published: [
      { hashes: 14, addressBits: 16, fprPercent: 12.9, fnrPercent: 12.9 },
      { hashes: 30, addressBits: 16, fprPercent: 0, fnrPercent: 0 },
    ],
  },
];

/** Section 6.2: "constant X = 512 bytes, l' = 25 bits and k = 32 hash functions"; 4 sets by the paper's abstract. */
export const narang2011Scaling = {
  recordBytes: 512,
  hashes: 32,
  addressBits: 25,
  sets: 4,
  opening: 'threshold',
} as const;

/** The total time that the text gives for one point of a figure. */
export interface PublishedTime {
  threads: number;
  records: number;
  seconds: number;
}

/** Two points of one figure, and the sentence about their ratio. */
export interface PublishedScaling {
  id: string;
  number: 11 | 12 | 13;
  title: string;
  quotation: string;
  section: string;
  first: PublishedTime;
  last: PublishedTime;
}

const MILLION = 1_000_000;

/** Figures 11 to 13 (section 6.2), measured by the paper on four Xeon 5570 with four cores each. */
export const narang2011Scalings: readonly PublishedScaling[] = [
  {
    id: 'strong',
    number: 11,
    title: 'Strong scalability: 10 million records, 4 to 16 threads',
    quotation: 'a relative speedup of around 2.2x with 4x increase in the number of threads',
    section: 'section 6.2.1',
    first: { threads: 4, records: 10 * MILLION, seconds: 129 },
    last: { threads: 16, records: 10 * MILLION, seconds: 59 },
  },
  {
    id: 'weak',
    number: 12,
    title: 'Weak scalability: 2 million records on 4 threads to 8 million on 16',
    quotation: 'only 1.82x increase of time with 4x increase in the number of threads and the number of input objects',
    section: 'section 6.2.2',
    first: { threads: 4, records: 2 * MILLION, seconds: 25.76 },
    last: { threads: 16, records: 8 * MILLION, seconds: 47 },
  },
  {
    id: 'data',
    number: 13,
    title: 'Data scalability: 1 to 8 million records on the same threads',
    quotation: 'The time increases by 8x with 8x increase in data. Thus, there is linear increase in time',
    section: 'section 6.2.3',
    first: { threads: 16, records: MILLION, seconds: 5.84 },
    last: { threads: 16, records: 8 * MILLION, seconds: 47 },
  },
];
