// Compares the predicted chance that a document is dropped with how often it is.

import { describe, expect, test } from 'vitest';
import { NearDetector } from '../../src/near/detector.js';
import { planNear, standardErrorAt } from '../../src/near/plan.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { Random } from '../support/streams.js';

const PAIRS = inLongForm(2000, 300);
/** Standard deviations: one test in a hundred thousand exceeds them by chance, and the seeds are fixed. */
const MAX_DEVIATIONS = 4.5;
/** What the models leave out on average: bits that differ are few, and not quite normal. */
const MODEL = 0.005;

const words = (random: Random, count: number) => Array.from({ length: count }, () => `${random.nextWord()}`);

interface Pairs {
  each: number;
  /** The numbers of shared words, each as often as the others or left out evenly. */
  shared: readonly number[];
  options: { sketchBytes: number; confidence: number; similarity?: number };
}

/** How many of the second documents of pairs are dropped, each against a table with the first one alone. */
async function droppedOf({ each, shared, options }: Pairs): Promise<number> {
  const near = await NearDetector.create({ ...options, shingle: '1w', memory: '64KiB', add: 'all' });
  const random = new Random(each);
  let dropped = 0;
  for (let i = 0; i < PAIRS; i++) {
    const common = words(random, shared[Math.floor((i * shared.length) / PAIRS)] as number);
    const document = () => [...common, ...words(random, each - common.length)].join(' ');
    near.observe(document());
    if (near.test(document()).verdict === 'duplicate') dropped++;
  }
  return dropped;
}

// Pairs evenly on both sides of where half of them are dropped, on one side, and far above the threshold, where bands decide.
const settings = [
  [64, 0, -4, 4],
  [64, 2, -2, 6],
  [256, 0, -4, 4],
  [256, 0, 0, 3],
  [256, 0, 15, 20],
] as const;
const rows = [4, 9, 20, 46, 60, 124, 248, 300, 1000, 4000].flatMap((each) =>
  settings.map((setting) => [each, ...setting] as const),
);

describe(`documents that are compared by sketches${sampleNote}`, () => {
  test.each(coverOf(rows, ([each, ...setting]) => [`${each} shingles`, setting.join()]))(
    'of %d shingles, with sketches of %d bytes and confidence %d, %d to %d standard errors from the threshold',
    async (each, sketchBytes, confidence, ...distances) => {
      const options = { sketchBytes, confidence };
      const standardError = standardErrorAt(0.8, each, { sketchBytes, sketchSlots: 1 });
      const sharedAt = (distance: number) => {
        const similarity = Math.min(0.97, 0.8 + distance * standardError);
        return Math.round((2 * similarity * each) / (1 + similarity));
      };
      const [least, most] = distances.map(sharedAt) as [number, number];
      const shared = Array.from({ length: most - least + 1 }, (_, i) => least + i);
      const at = shared.map((count) => count / (2 * each - count));
      const [sketch] = planNear({ shingles: each, ...options, at }).sketches;
      const chances = sketch?.dropped.map(({ chance }) => chance) ?? [];
      const expected = chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
      const variance = chances.reduce((sum, chance) => sum + chance * (1 - chance), 0) / chances.length;
      const measured = (await droppedOf({ each, shared, options })) / PAIRS;
      expect(Math.abs(measured - expected)).toBeLessThan(MODEL + MAX_DEVIATIONS * Math.sqrt(variance / PAIRS));
    },
    60_000,
  );
});

// The wrong drops are those below the threshold, and the recall is the share of those above it that is dropped.
const shortRows = [5, 8, 12, 20, 30, 40].flatMap((each) =>
  [0.7, 0.8, 0.9].flatMap((similarity) => ['below', 'above'].map((side) => [each, similarity, side] as const)),
);

describe(`short documents with sketches of the default size${sampleNote}`, () => {
  test.each(coverOf(shortRows, ([each, ...others]) => [`${each} words`, others.join()]))(
    'of %d words at the threshold %f: what is dropped %s it is predicted',
    async (each, similarity, side) => {
      const all = Array.from({ length: each }, (_, shared) => shared);
      const isAbove = (shared: number) => shared / (2 * each - shared) >= similarity;
      const right = all.filter(isAbove);
      const wrong = all.filter((shared) => shared > 0 && !isAbove(shared)).slice(-3);
      // A document of few words has no other one that is similar enough but itself.
      const shared = side === 'below' ? wrong : right.length > 0 ? right : [each];
      const options = { sketchBytes: 256, confidence: 0, similarity };
      const at = shared.map((count) => count / (2 * each - count));
      const [sketch] = planNear({ shingles: each, ...options, at }).sketches;
      const chances = sketch?.dropped.map(({ chance }) => chance) ?? [];
      expect(chances).toHaveLength(shared.length);
      const expected = chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
      const variance = chances.reduce((sum, chance) => sum + chance * (1 - chance), 0) / chances.length;
      const measured = (await droppedOf({ each, shared, options })) / PAIRS;
      expect(Math.abs(measured - expected)).toBeLessThan(MODEL + MAX_DEVIATIONS * Math.sqrt(variance / PAIRS));
    },
    60_000,
  );
});
