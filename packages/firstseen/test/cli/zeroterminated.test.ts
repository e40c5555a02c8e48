// Records that end with a zero byte, and lists of files that separate names by zero bytes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { inLongForm } from '../support/form.js';
import { temporaryFolder } from './support/command.js';
import { runWithSmallRecords } from './support/runner.js';

/** More than a chunk, with newlines in the records. */
const many = Array.from(
  { length: inLongForm(200_000, 60_000) },
  (_, i) => `line ${(i * 48271) % 20_021}\nand more\0`,
).join('');
const distinct = [...new Set(many.split(/(?<=\0)/))].join('');

test.each([
  ['with newlines in them', 'a\nx\0b\0a\nx\0', ['-z'], 'a\nx\0b\0'],
  ['of which the last gets its zero byte', 'a\0b', ['-z'], 'a\0b\0'],
  ['of which the last stays as it is', 'a\0b', ['-z', '--keep-last-line-end'], 'a\0b'],
  ['that are empty', '\0\0a\0', ['-z'], '\0a\0'],
  ['of every other byte', '1\x002\x001\0'.repeat(8), ['-z'], '1\x002\0'],
  ['without any', '', ['-z'], ''],
  ['that are the repeats', 'a\0a\0b\0', ['-z', '--emit', 'duplicates'], 'a\0'],
  ['with verdicts', 'a\0a', ['-z', '--emit', 'all', '--annotate', 'v'], 'distinct\ta\0duplicate\ta\0'],
  ['by the name of the format', 'a\0a\0', ['-f', 'nul'], 'a\0'],
  ['longer than allowed', `${'x'.repeat(3e6)}\0a\0a\0`, ['-z', '--max-record', '1MiB', '--on-error', 'drop'], 'a\0'],
])('records %s', async (_, stdin, flags, stdout) => {
  const result = await runWithSmallRecords(flags, { cwd: temporaryFolder(), stdin: [Buffer.from(stdin)] });
  expect([result.code, result.stdout.toString(), result.stderr]).toEqual([0, stdout, '']);
});

test.each([1, 2])('a file, and the same file compressed, on %d threads', async (threads) => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in'), many);
  writeFileSync(join(cwd, 'in.gz'), gzipSync(many));
  for (const input of ['in', 'in.gz']) {
    const { code } = await runWithSmallRecords(['-z', input, '-o', 'out', '--threads', `${threads}`], { cwd });
    expect([code, readFileSync(join(cwd, 'out'), 'utf8') === distinct]).toEqual([0, true]);
  }
});

test('a state goes on with them, and refuses lines', async () => {
  const cwd = temporaryFolder();
  const flags = ['in', '-m', '64KiB', '--state', 's', '-o', 'out'];
  writeFileSync(join(cwd, 'in'), 'a\0b');
  await runWithSmallRecords([...flags, '-z'], { cwd });
  writeFileSync(join(cwd, 'in'), 'a\0b\0c\0a\0');
  expect(await runWithSmallRecords([...flags, '-z'], { cwd })).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('a\0b\0c\0');
  expect(await runWithSmallRecords(flags, { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('nul') });
});

test('another format is refused', async () => {
  const { code, stderr } = await runWithSmallRecords(['-z', '-f', 'csv'], { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--format csv')]);
});

test.each([
  ['standard input', ['-'], 'one\0two'],
  ['a file', ['list'], ''],
])('a list of files in %s', async (_, list, stdin) => {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries({ one: 'a\nb\n', two: 'b\nc\n', list: 'one\0two\0' })) {
    writeFileSync(join(cwd, name), text);
  }
  const result = await runWithSmallRecords(['--files0-from', ...list], { cwd, stdin: [Buffer.from(stdin)] });
  expect([result.code, result.stdout.toString(), result.stderr]).toEqual([0, 'a\nb\nc\n', '']);
});

test.each([
  ['', [], 'lists no files'],
  ['one\0\0two\0', [], 'name 2 in standard input is empty'],
  ['one\0-\0', [], 'standard input is the list'],
  ['one\0', ['other'], 'other was named too'],
])('the list %j is refused', async (stdin, files, message) => {
  const { code, stderr } = await runWithSmallRecords([...files, '--files0-from', '-'], {
    cwd: temporaryFolder(),
    stdin: [Buffer.from(stdin)],
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a list that does not exist', async () => {
  const { code, stderr } = await runWithSmallRecords(['--files0-from', 'none'], { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot read none')]);
});

test.each([
  [['-o', 'list'], 'list would be written, but it is also the list of the inputs'],
  [['--duplicates-to', './list'], 'list would be written, but it is also the list of the inputs'],
  [['--state', 'list'], 'list would be written, but it is also the list of the inputs'],
  [['--stats-to', 'list'], 'list would be written, but it is also a file of this run'],
  [['--stats-to', 'two'], 'two.part would be written, but it is also a file of this run'],
  [['--state', 's', '--stats-to', 's.lock'], 's.lock would be written, but it is also a file of this run'],
])('%j, which would write to a file that is read or written, is refused', async (flags, message) => {
  const cwd = temporaryFolder();
  const files = { one: 'a\n', 'two.part': 'b\n', list: 'one\0two.part\0' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const { code, stderr } = await runWithSmallRecords(['--files0-from', 'list', ...flags], { cwd });
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(cwd, name), 'utf8')).toBe(text);
});
