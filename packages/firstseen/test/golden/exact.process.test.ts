// The state of a run with the exact set and its witness, before the first release: every later version goes on with the same answers.

import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from '../cli/support/command.ts';

/** Of every three records, one may have the key of an earlier one. The state is from a run over the first 40. */
function recordOf(i: number): string {
  return `${JSON.stringify({ id: `id ${i % 3 === 0 ? Math.floor(i / 7) : i}`, n: i })}\n`;
}

test('the state of a run is continued', async () => {
  const cwd = temporaryFolder();
  copyFileSync(join(import.meta.dirname, 'exact/state'), join(cwd, 'state'));
  const records = Array.from({ length: 40 }, (_, i) => recordOf(30 + i));
  writeFileSync(join(cwd, 'later.jsonl'), records.join(''));
  const flags = ['--key', 'id', '--state', 'state'];
  const { stdout, stderr } = await runFirstseen(['later.jsonl', ...flags], { cwd });
  expect(stderr).toBe('');
  const keyOf = (i: number) => JSON.parse(recordOf(i)).id as string;
  const seen = new Set(Array.from({ length: 40 }, (_, i) => keyOf(i)));
  const isDistinct = (i: number) => seen.size < seen.add(keyOf(i)).size;
  const distinct = Array.from({ length: 40 }, (_, i) => 30 + i).filter(isDistinct);
  expect(distinct).toContain(42);
  expect(stdout.toString()).toBe(distinct.map(recordOf).join(''));
});
