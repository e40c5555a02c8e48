// The witness's intervals contain the true rates of streams where a few elements have most of the misses. The slice of the
// witness contains none of these elements in most runs.

import { expect, test } from 'vitest';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import type { WitnessStats } from '../../src/detectors/witness.js';
import { createDetector } from '../support/cases.js';
import { inLongForm } from '../support/form.js';
import { allDistinct, exactVerdicts, fingerprintOf, Random, recency } from '../support/streams.js';

const LENGTH = 60_000;
const RUNS = inLongForm(40, 10);
/** If 95 % of the intervals contain the rate, fewer than this many of 40 do so with a probability of 0.1 %, and so of 10. */
const MIN_COVERED = inLongForm(33, 7);
/** No other element has such a number. */
const FIRST_FREQUENT = 10_000_000;

interface Kind {
  name: string;
  options: DetectorOptions;
  draw: (seed: number) => BigUint64Array;
  /** The mean width of the intervals is less than this. */
  width: number;
}

/** One element makes a third of the stream; the others are new. */
function third(seed: number): BigUint64Array {
  const random = new Random(seed);
  return allDistinct(LENGTH).map((element) => (random.below(3) === 0 ? fingerprintOf(FIRST_FREQUENT) : element));
}

/** The same elements come round and round. */
function rounds(seed: number): BigUint64Array {
  const round = allDistinct(9000, 9000 * seed);
  return allDistinct(LENGTH).map((_, i) => round[i % round.length] as bigint);
}

/** Some elements come once in each period, among repeats of the last hundred elements. */
function heartbeats(count: number, period: number, seed: number): BigUint64Array {
  const elements = recency(LENGTH, 100, seed);
  const first = new Random(seed).below(period);
  for (let i = first; i < LENGTH; i += period / count) {
    elements[i] = fingerprintOf(FIRST_FREQUENT + (Math.round(((i - first) * count) / period) % count));
  }
  return elements;
}

const kinds: readonly Kind[] = [
  { name: 'one element of a third', options: { algorithm: 'sbf', memory: 1024 }, draw: third, width: 0.02 },
  {
    name: 'one heartbeat just beyond the memory',
    options: { algorithm: 'buffer', memory: 3300 },
    draw: (seed) => heartbeats(1, 800, seed),
    width: 0.01,
  },
  {
    name: '20 heartbeats just beyond the memory',
    options: { algorithm: 'buffer', memory: 6600 },
    draw: (seed) => heartbeats(20, 2000, seed),
    width: 0.06,
  },
  {
    name: 'a round of elements far beyond the memory, and few false positives',
    options: { algorithm: 'pocket', memory: 1024, fpr: 0.0015 },
    draw: rounds,
    width: 0.01,
  },
];

/** The true rate of false negatives of a run, and the interval. */
async function run({ options, draw }: Kind, seed: number): Promise<{ truth: number; low: number; high: number }> {
  const detector = await createDetector({ ...options, seed, witness: { memory: '64KiB' } });
  const elements = draw(seed);
  const verdicts = detector.observeBatch(elements);
  const isRepeat = exactVerdicts(elements);
  const missed = isRepeat.reduce((sum, repeat, i) => sum + (repeat > (verdicts[i] as number) ? 1 : 0), 0);
  const { fraction, falseNegativeRate } = detector.stats().witness as WitnessStats;
  expect(fraction).toBeLessThanOrEqual(1 / 8);
  return { truth: missed / isRepeat.reduce((sum, repeat) => sum + repeat, 0), ...falseNegativeRate };
}

test.each(kinds)('$name: narrow intervals contain the rate of false negatives', async (kind) => {
  let covered = 0;
  let widths = 0;
  for (let seed = 1; seed <= RUNS; seed++) {
    const { truth, low, high } = await run(kind, seed);
    expect(truth).toBeGreaterThan(0);
    covered += Number(low <= truth && truth <= high);
    widths += high - low;
  }
  expect.soft(covered).toBeGreaterThanOrEqual(MIN_COVERED);
  expect(widths / RUNS).toBeLessThan(kind.width);
});
