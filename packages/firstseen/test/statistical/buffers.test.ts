// Checks the rates that the buffering methods promise.

import { expect, test } from 'vitest';
import { createDetector } from '../support/cases.js';
import { standardError } from '../support/rates.js';
import { allDistinct, Random, recency } from '../support/streams.js';

const LENGTH = 100_000;
const MEMORY = '256KiB';

function share(verdicts: Uint8Array): number {
  return verdicts.reduce((sum, verdict) => sum + verdict, 0) / verdicts.length;
}

/** Expects a share of trials to match a probability within 4.5 standard errors: 1 test in 150,000 fails by chance. */
function expectRate(measured: number, probability: number, trials: number): void {
  expect(Math.abs(measured - probability)).toBeLessThan(4.5 * standardError(probability, trials));
}

test.each([0.001, 0.1, 0.5])('fpbuffer reports new elements duplicate with probability q = %d', async (q) => {
  const detector = await createDetector({ algorithm: 'fpbuffer', memory: MEMORY, parameters: { q } });
  expectRate(share(detector.observeBatch(allDistinct(LENGTH))), q, LENGTH);
});

test('fpbuffer takes q from the target rate, and draws independently for one element at each position', async () => {
  const detector = await createDetector({ algorithm: 'fpbuffer', memory: '1KiB', fpr: 0.25 });
  const [asked] = allDistinct(1, LENGTH);
  const answers = Array.from(allDistinct(20_000), (element) => {
    detector.observeBatch(BigUint64Array.of(element));
    return detector.testBatch(BigUint64Array.of(asked as bigint))[0] as number;
  });
  expectRate(share(Uint8Array.from(answers)), 0.25, answers.length);
});

test('fpbuffer draws independently for each element that is only tested', async () => {
  const detector = await createDetector({ algorithm: 'fpbuffer', memory: MEMORY, parameters: { q: 0.1 } });
  expectRate(share(detector.testBatch(allDistinct(LENGTH))), 0.1, LENGTH);
});

test.each(['lru', 'clock'])(
  'fpbuffer with %s holds the same elements as buffer: its rate of misses is 1 - q of that of buffer',
  async (replacement) => {
    const q = 0.2;
    const elements = recency(LENGTH, 40_000);
    const plain = await createDetector({ algorithm: 'buffer', memory: MEMORY, parameters: { replacement } });
    const guessing = await createDetector({ algorithm: 'fpbuffer', memory: MEMORY, parameters: { replacement, q } });
    const found = plain.observeBatch(elements);
    const reported = guessing.observeBatch(elements);
    expect(reported.filter((_, i) => found[i] === 1).every((verdict) => verdict === 1)).toBe(true);
    const guessed = reported.filter((_, i) => found[i] === 0);
    expect(guessed.length).toBeGreaterThan(LENGTH / 2);
    expectRate(share(guessed), q, guessed.length);
  },
);

test('entries of 32 bits match by chance with the rate C / 2^32', async () => {
  const detector = await createDetector({
    algorithm: 'buffer',
    memory: '2MiB',
    parameters: { counting: 'entries32', replacement: 'clock' },
  });
  const random = new Random(9);
  // 64 random bits each: two of them are equal with a probability of one in four million.
  const words = Uint32Array.from({ length: 6_000_000 }, () => random.nextWord());
  const elements = new BigUint64Array(words.buffer);
  const capacity = 2 ** 19;
  expect(detector.stats().parameters.C).toBe(capacity);
  detector.observeBatch(elements.subarray(0, capacity));
  const rest = elements.subarray(capacity);
  const rate = share(detector.observeBatch(rest));
  expectRate(rate, capacity / 2 ** 32, rest.length);
});
