// Compares how often documents of known similarity are reported near with the S-curve.

import { describe, expect, test } from 'vitest';
import { chanceAt } from '../../src/near/bands.js';
import { NearDetector } from '../../src/near/detector.js';
import type { NearOptions } from '../../src/near/settings.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { Random } from '../support/streams.js';

const PAIRS = inLongForm(1500, 500);
const SEEDS = inLongForm(15, 10);
/** Standard deviations: one test in two hundred thousand exceeds them by chance, and the seeds are fixed. */
const MAX_DEVIATIONS = 4.5;

interface Pair {
  left: string | Uint8Array;
  right: string | Uint8Array;
}

function tokens(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => `${random.nextWord()}`);
}

/** Two documents of `each` words with `shared` words in common. */
function sharing(random: Random, each: number, shared: number): Pair {
  const common = tokens(random, shared);
  const document = () => [...common, ...tokens(random, each - shared)].join(' ');
  return { left: document(), right: document() };
}

/** Two documents of 64 bytes that differ in `bits` bits. */
function differing(random: Random, bits: number): Pair {
  const left = Uint8Array.from({ length: 64 }, () => random.below(256));
  const right = left.slice();
  const positions = new Set<number>();
  while (positions.size < bits) positions.add(random.below(512));
  for (const bit of positions) right[bit >> 3] = (right[bit >> 3] as number) ^ (1 << (bit & 7));
  return { left, right };
}

interface Kind {
  options: NearOptions;
  /** A pair and its exact similarity. */
  pairOf: (random: Random, level: number) => Pair;
  similarityOf: (level: number) => number;
  levels: readonly number[];
}

const minhash = {
  pairOf: (random: Random, shared: number) => sharing(random, 90, shared),
  similarityOf: (shared: number) => shared / (180 - shared),
  levels: [30, 60, 72, 80, 86],
};

const kinds: readonly Kind[] = [
  ...[{ similarity: 0.5 }, { similarity: 0.8 }, { similarity: 0.5, agreeing: 3 }].map((options) => ({
    options: { ...options, shingle: '1w' },
    ...minhash,
  })),
  {
    options: { lsh: 'simhash', hashes: 256, similarity: 0.8, shingle: '1w' },
    pairOf: (random, shared) => sharing(random, 100, shared),
    similarityOf: (shared) => shared / 100,
    levels: [20, 60, 75, 85, 95],
  },
  {
    options: { lsh: 'bits', documentBytes: 64, similarity: 0.9 },
    pairOf: differing,
    similarityOf: (bits) => 1 - bits / 512,
    levels: [10, 30, 51, 80, 256],
  },
];

const rows = kinds.flatMap((kind) => kind.levels.map((level, i) => ({ ...kind, level, place: i })));

describe(`every family of hashes${sampleNote}`, () => {
  test.each(coverOf(rows, ({ options, place }) => [JSON.stringify(options), `${place}`]))(
    '$options: pairs of level $level are found as often as the curve predicts',
    async ({ options, pairOf, similarityOf, level }) => {
      const random = new Random(level);
      // An exact table with a different seed for each part of the pairs, because the sampled bits are drawn once for all
      // documents.
      let found = 0;
      for (let seed = 0; seed < SEEDS; seed++) {
        const near = await NearDetector.create({ ...options, seed, algorithm: 'exact', memory: '1MiB' });
        for (let i = 0; i < PAIRS / SEEDS; i++) {
          const { left, right } = pairOf(random, level);
          const empty = near.test(right).bands;
          near.observe(left);
          if (empty === 0 && near.test(right).verdict === 'duplicate') found++;
        }
      }
      const near = await NearDetector.create({ ...options, verify: false, memory: '1MiB' });
      const { lsh, agreeing } = near.settings;
      const chance = chanceAt(similarityOf(level), near.settings, lsh, agreeing);
      const deviation = Math.sqrt(PAIRS * chance * (1 - chance));
      expect(Math.abs(found - PAIRS * chance)).toBeLessThan(MAX_DEVIATIONS * deviation + 1);
    },
  );
});

describe('estimates', () => {
  test.each([{}, { variant: 'one-permutation' }] as const)(
    '%j: have the expected mean and variance',
    async (options) => {
      const near = await NearDetector.create({ ...options, shingle: '1w', memory: '1KiB', algorithm: 'bloom' });
      const random = new Random(77);
      const shared = 900;
      const similarity = shared / (2400 - shared);
      const trials = inLongForm(400, 150);
      const estimates = Array.from({ length: trials }, () => {
        const { left, right } = sharing(random, 1200, shared);
        return near.similarity(left, right);
      });
      const mean = estimates.reduce((sum, estimate) => sum + estimate, 0) / trials;
      const variance = estimates.reduce((sum, estimate) => sum + (estimate - mean) ** 2, 0) / (trials - 1);
      const expected = (similarity * (1 - similarity)) / near.settings.hashes;
      expect(Math.abs(mean - similarity)).toBeLessThan(MAX_DEVIATIONS * Math.sqrt(expected / trials));
      // Four standard errors of the variance.
      expect(variance / expected).toBeGreaterThan(1 - 4 * Math.sqrt(2 / trials));
      expect(variance / expected).toBeLessThan(1 + 4 * Math.sqrt(2 / trials));
    },
  );
});
