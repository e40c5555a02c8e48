// What the tests of all engines share: a folder for each job, its inputs, and the flags and output of one process.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { objects, run } from './data.mjs';

/** A program that fails once in the middle of a task. */
export const failing = fileURLToPath(new URL('./failing.sh', import.meta.url));

export const detector = (algorithm, partitions) => ['-a', algorithm, '-m', '2MiB', '--partitions', String(partitions)];
export const keys = ['--format', 'ndjson', '-k', 'id'];

/** Why the tests of every run, and those of a full run only, are skipped; false if they are not. */
export function skipsOf(missing) {
  const isQuick = process.env.FIRSTSEEN_ENGINES === 'quick';
  return { always: missing ?? false, inFull: missing ?? (isQuick ? 'left out by --quick' : false) };
}

/** The folder of all jobs, and that of the current one. */
export let root = '';
export let folder = '';
let jobs = 0;

before(() => {
  root = mkdtempSync(join(tmpdir(), 'firstseen-engines-'));
});
after(() => rmSync(root, { recursive: true, force: true }));

beforeEach(() => {
  folder = join(root, String(jobs++));
  mkdirSync(join(folder, 'in'), { recursive: true });
});

export const write = (name, bytes) => writeFileSync(join(folder, 'in', name), bytes);

/** The output of one process over some of the inputs. */
export const oracle = (flags, names) =>
  run([...flags, '--no-witness', ...names.map((name) => join('in', name))], { cwd: folder });

/** Writes three files with keys in common. */
export function writeInputs(count = 20_000, { isText = false } = {}) {
  write('b.ndjson', objects(2 * count, { keys: count, seed: 1, isText }));
  write('a.ndjson', objects(count, { keys: count / 2, seed: 2, isText }));
  write('c.ndjson.gz', gzipSync(objects(count, { keys: 2 * count, seed: 3, isText })));
  return ['a.ndjson', 'b.ndjson', 'c.ndjson.gz'];
}

/** Rows of csv with another delimiter, an escape and no quotes: the flags of their job, and the output of one process. */
export function dialectJob() {
  const rows = Array.from({ length: 3000 }, (_, i) => `${i}|it's \\|"${i % 900}\\\\|x\n`);
  write('rows', rows.join(''));
  const dialect = ['--format', 'csv', '-k', '2', '--delimiter', '|', '--quote', 'none', '--escape', '\\'];
  const flags = [...detector('exact', 4), ...dialect, '--no-header'];
  const expected = oracle(flags, ['rows']);
  assert.equal(expected.toString().trimEnd().split('\n').length, 900);
  return { flags, expected };
}
