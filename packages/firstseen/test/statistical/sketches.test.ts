// Compares the similarity that is estimated from sketches, and its standard error, with the exact one.

import { describe, expect, test } from 'vitest';
import { NearDetector } from '../../src/near/detector.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { Random } from '../support/streams.js';

const PAIRS = inLongForm(1000, 200);
/** Standard deviations: one test in a hundred thousand exceeds them by chance, and the seeds are fixed. */
const MOST_DEVIATIONS = 4.5;

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
 * The relative error of the standard deviation of a sample: 1 / sqrt(2 n) for normal values. The error of a sketch of fingerprints
 * is the number of them that are equal by chance, which has a Poisson distribution. Its kurtosis is larger, by 1 / its mean.
 */
function relativeError(each: number, shared: number, sketchBytes: number): number {
  const hasFingerprints = each <= (sketchBytes - 8) / 2;
  const excess = hasFingerprints ? 65536 / ((each - shared) * each) : 0;
  return Math.sqrt((2 + excess) / (4 * PAIRS));
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

// From few shingles, whose fingerprints are kept, to more than a sample has.
const settings = [
  [0.5, 256],
  [0.8, 256],
  [0.8, 64],
  [0.95, 256],
] as const;
const rows = [60, 300, 1000, 4000].flatMap((each) => settings.map((setting) => [each, ...setting] as const));

describe(`estimates of sketches${sampleNote}`, () => {
  test.each(coverOf(rows, ([each, ...setting]) => [`${each} shingles`, setting.join()]))(
    'of documents of %d shingles, at the similarity %d with sketches of %d bytes',
    async (each, asked, sketchBytes) => {
      const shared = Math.round((2 * asked * each) / (1 + asked));
      const errors = await errorsOf(each, shared, sketchBytes);
      const deviation = Math.sqrt(mean(errors.map(({ error }) => error ** 2)));
      const bias = mean(errors.map(({ error }) => error));
      expect(Math.abs(bias)).toBeLessThan((MOST_DEVIATIONS * deviation) / Math.sqrt(PAIRS));
      const expected = Math.sqrt(mean(errors.map(({ standardError }) => standardError ** 2)));
      const ratio = deviation / expected;
      expect(Math.abs(ratio - 1)).toBeLessThan(MOST_DEVIATIONS * relativeError(each, shared, sketchBytes));
    },
    60_000,
  );
});
