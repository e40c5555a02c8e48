// Compares the similarity that is estimated from sketches, and its standard error, with the exact one.

import { describe, expect, test } from 'vitest';
import { NearDetector } from '../../src/near/detector.js';
import { fingerprintBits } from '../../src/near/sketchsizes.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { Random } from '../support/streams.js';

const PAIRS = inLongForm(1000, 200);
/** Standard deviations: one test in a hundred thousand exceeds them by chance, and the seeds are fixed. */
const MAX_DEVIATIONS = 4.5;

function tokens(random: Random, count: number): string[] {
  return Array.from({ length: count }, () => `${random.nextWord()}`);
}

/** The errors of the estimate, and their standard errors, for pairs of documents of `each` words with `shared` in common. */
async function errorsOf(each: number, shared: number, sketchBytes: number) {
  // Almost every pair has one of 128 rows in common, and a table of one document holds the left one alone.
  const options = { verify: true, bands: '128x1', shingle: '1w', window: 1, memory: '64KiB' } as const;
  const near = await NearDetector.create({ ...options, sketchBytes, add: 'all' });
  const random = new Random(each + shared);
  const similarity = shared / (2 * each - shared);
  const errors: { error: number; standardError: number }[] = [];
  for (let i = 0; i < PAIRS; i++) {
    const common = tokens(random, shared);
    const document = () => [...common, ...tokens(random, each - shared)].join(' ');
    near.observe(document());
    const { similarity: estimate, standardError } = near.test(document());
    if (estimate === undefined || standardError === undefined) throw new Error('a pair has no row in common');
    errors.push({ error: estimate - similarity, standardError });
  }
  return errors;
}

/**
 * The relative error of the standard deviation of a sample: 1 / sqrt(2 n) for normal values. The number of shingles that are equal by
 * chance has a Poisson distribution, whose kurtosis is larger by 1 / its mean.
 */
function relativeErrorOf(equal: number | undefined): number {
  return Math.sqrt((2 + (equal === undefined ? 0 : PAIRS / equal)) / (4 * PAIRS));
}

/** The most pairs with a shingle that is equal by chance for which they are counted. */
const FEW = 20;

/** The expected number of shingles of all new documents that are equal to a fingerprint by chance; undefined for odd sketches. */
function equalByChance(each: number, shared: number, sketchBytes: number): number | undefined {
  if (each > sketchBytes - 8) return undefined;
  const bits = fingerprintBits(each, { sketchBytes, sketchSlots: 1 });
  return bits === 64 ? 0 : (PAIRS * (each - shared) * each) / 2 ** bits;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

// From few shingles, whose fingerprints are kept, to more than a sample has.
const settings = [
  [0.5, 256],
  [0.8, 256],
  [0.8, 64],
  [0.95, 256],
] as const;
const rows = [20, 60, 120, 230, 300, 1000, 4000].flatMap((each) =>
  settings.map((setting) => [each, ...setting] as const),
);

describe(`estimates of sketches${sampleNote}`, () => {
  test.each(coverOf(rows, ([each, ...setting]) => [`${each} shingles`, setting.join()]))(
    'of documents of %d shingles, at the similarity %d with sketches of %d bytes',
    async (each, asked, sketchBytes) => {
      const shared = Math.round((2 * asked * each) / (1 + asked));
      const errors = await errorsOf(each, shared, sketchBytes);
      const deviation = Math.sqrt(mean(errors.map(({ error }) => error ** 2)));
      const expected = Math.sqrt(mean(errors.map(({ standardError }) => standardError ** 2)));
      const equal = equalByChance(each, shared, sketchBytes);
      if (equal !== undefined && equal < FEW) {
        const wrong = errors.filter(({ error }) => Math.abs(error) > 1e-12).length;
        expect(wrong).toBeLessThanOrEqual(equal + MAX_DEVIATIONS * (1 + Math.sqrt(equal)));
        // Only whole hashes have no error.
        expect(expected > 0).toBe(8 * each > sketchBytes - 8);
        return;
      }
      const bias = mean(errors.map(({ error }) => error));
      // An estimate by fingerprints is a whole number of shingles, so it is not corrected by less than half of one.
      const rounding = equal === undefined ? 0 : Math.min(0.5, equal / PAIRS) * ((1 + asked) / (2 * each - shared));
      expect(Math.abs(bias)).toBeLessThan(rounding + (MAX_DEVIATIONS * deviation) / Math.sqrt(PAIRS));
      expect(Math.abs(deviation / expected - 1)).toBeLessThan(0.05 + MAX_DEVIATIONS * relativeErrorOf(equal));
    },
    60_000,
  );
});
