// Snapshots of qht of all evictions and of both layouts: every later version loads them and goes on with the same answers.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load } from '../../src/snapshot/load.ts';
import { save } from '../../src/snapshot/snapshots.ts';

const folder = join(import.meta.dirname, 'qht');
const verdicts = JSON.parse(readFileSync(join(folder, 'verdicts.json'), 'utf8')) as Record<string, string>;

function key(i: number): string {
  return `element ${i % 3 === 0 ? Math.floor(i / 7) : i}`;
}

test.each([
  ['blocked-12-bits', { s: 12, k: 40, eviction: 'lru' }],
  ['blocked-12-bits-fifo', { s: 12, k: 40, eviction: 'fifo' }],
  ['blocked-12-bits-random', { s: 12, k: 40, eviction: 'random' }],
  ['blocked-25-bits', { s: 25, k: 20, eviction: 'lru' }],
  ['classic-16-slots', { s: 12, k: 16, eviction: 'lru' }],
])('%s loads, saves to the same bytes and gives the recorded verdicts', async (name, parameters) => {
  const frozen = new Uint8Array(readFileSync(join(folder, `${name}.1st`)));
  const detector = await load(frozen);
  expect(detector.stats().parameters).toMatchObject(parameters);
  expect(await save(detector)).toEqual(frozen);
  const expected = verdicts[name] as string;
  const answers = Array.from(expected, (_, i) => (detector.observe(key(2000 + i)) === 'duplicate' ? 1 : 0));
  expect(answers.join('')).toBe(expected);
});
