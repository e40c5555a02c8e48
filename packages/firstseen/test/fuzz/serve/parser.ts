// The long form of the fuzz of the parser of commands. tools/fuzz-serve.mjs starts it.

import { expect, test } from 'vitest';
import { differenceOver } from '../../serve/support/parsing.ts';
import { Random } from '../../support/streams.ts';

const seed = Number(process.env.FUZZ_SEED);
const inputs = Number(process.env.FUZZ_INPUTS);
const MAX_SHOWN = 10;
/** Inputs after which memory is shown, so that one sees whether it grows. */
const SHOWN_EACH = 100_000;

test('random bytes in random chunks mean what they mean to the twin', { timeout: 0 }, () => {
  const random = new Random(seed);
  const differences: string[] = [];
  for (let i = 1; i <= inputs && differences.length < MAX_SHOWN; i++) {
    const difference = differenceOver(random);
    if (difference !== undefined) differences.push(difference);
    if (i % SHOWN_EACH === 0) console.log(`${i} inputs, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB`);
  }
  expect(differences).toEqual([]);
});
