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
