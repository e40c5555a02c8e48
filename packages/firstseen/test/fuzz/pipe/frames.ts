// The long form of the fuzz of the frames of `firstseen pipe`. tools/fuzz-serve.mjs starts it.

import { expect, test } from 'vitest';
import { differenceOver } from '../../pipe/support/random.ts';
import { Random } from '../../support/streams.ts';

const seed = Number(process.env.FUZZ_SEED);
const inputs = Number(process.env.FUZZ_INPUTS);
const MAX_SHOWN = 10;
/** Inputs after which memory is shown, so that one sees whether it grows. */
const SHOWN_EACH = 1000;

test('random frames in random chunks are answered as the library does', { timeout: 0 }, async () => {
  const random = new Random(seed);
  const differences: string[] = [];
  for (let i = 1; i <= inputs && differences.length < MAX_SHOWN; i++) {
    const difference = await differenceOver(random);
    if (difference !== undefined) differences.push(`input ${i}: ${difference}`);
    if (i % SHOWN_EACH === 0) console.log(`${i} inputs, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);
  }
  expect(differences).toEqual([]);
});
