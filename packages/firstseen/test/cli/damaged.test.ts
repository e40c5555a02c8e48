// Inputs whose compression is damaged, when broken records are dropped.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runWithSmallRecords } from './support/runner.js';

const record = (i: number) => `${JSON.stringify({ id: i, text: `the text of number ${(i * 7919) % 100_003}` })}\n`;
const records = (from: number, count: number) => Array.from({ length: count }, (_, i) => record(from + i)).join('');

let cwd = '';

/** Runs a command over three compressed files, of which the one in the middle is cut. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await runWithSmallRecords(args, { cwd });
  return { code, lines: stdout.toString().split('\n').slice(0, -1), stderr };
}

beforeEach(() => {
  cwd = temporaryFolder();
  mkdirSync(join(cwd, 'in'));
  writeFileSync(join(cwd, 'in', 'a.jsonl.gz'), gzipSync(records(0, 10)));
  const cut = gzipSync(records(100, 5000));
  writeFileSync(join(cwd, 'in', 'b.jsonl.gz'), cut.subarray(0, cut.length / 2));
  writeFileSync(join(cwd, 'in', 'c.jsonl.gz'), gzipSync(records(10, 10)));
});

const told =
  /^firstseen: warning: cannot read in\/b.jsonl.gz: unexpected end of file; what follows the damage is left out \[E_INPUT\]\n/;
const toldAtEnd = 'firstseen: damaged inputs, of which what follows the damage was left out: in/b.jsonl.gz\n';

test.each([
  ['one thread', []],
  ['two threads', ['--threads', '2']],
  ['two readings', ['-a', 'exact', '--spill', '.']],
])('what follows the damage is left out, and the run goes on: %s', async (_, flags) => {
  const { code, lines, stderr } = await run('in', '-k', 'id', '--on-error', 'drop', ...flags);
  expect(code).toBe(0);
  const ids = lines.map((line) => JSON.parse(line).id as number);
  const ofCut = ids.filter((id) => id >= 100);
  expect(ofCut.length).toBeGreaterThan(500);
  expect(ids).toEqual([
    ...Array(10).keys(),
    ...ofCut.map((_, i) => 100 + i),
    ...Array.from({ length: 10 }, (_, i) => 10 + i),
  ]);
  expect(stderr).toMatch(told);
  expect(stderr.endsWith(toldAtEnd)).toBe(true);
});

test('near-duplicates and passages go on too', async () => {
  for (const flags of [['near'], ['passages', '--emit', 'documents']]) {
    const asked = [...flags, 'in', '--on-error', 'drop', '--stats-to', 'stats.json'];
    const { code, stderr } = await run(...asked);
    const { records: count } = JSON.parse(readFileSync(join(cwd, 'stats.json'), 'utf8'));
    expect([code, count > 500]).toEqual([0, true]);
    expect(stderr).toContain(toldAtEnd);
  }
});

test('each file in an output folder has the records before the damage', async () => {
  expect((await run('in', '--on-error', 'drop', '--output-folder', 'out')).code).toBe(0);
  expect(readdirSync(join(cwd, 'out'))).toEqual(['a.jsonl.gz', 'b.jsonl.gz', 'c.jsonl.gz']);
});

test('the run fails at the damage unless broken records are dropped', async () => {
  for (const flags of [[], ['--on-error', 'pass']]) {
    const { code, lines, stderr } = await run('in', '-k', 'id', ...flags);
    expect([code, lines.length > 500]).toEqual([1, true]);
    expect(stderr).toContain('cannot read in/b.jsonl.gz: unexpected end of file');
  }
});
