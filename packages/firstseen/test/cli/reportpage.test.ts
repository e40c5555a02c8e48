// --report of the command: which runs write the page, and what it says of each.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

const SCRIPT = '<script>alert(1)</script>';

async function reported(args: readonly string[], files: Readonly<Record<string, string>>) {
  const cwd = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
  const result = await runCommand([...args, '--report', 'r.html'], { cwd });
  const path = join(cwd, 'r.html');
  return { ...result, cwd, page: existsSync(path) ? readFileSync(path, 'utf8') : undefined };
}

const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

test('a run over records writes its page, in which a record is no markup', async () => {
  const records = [
    { id: 1, text: SCRIPT },
    { id: 2, text: 'b' },
    { id: 1, text: 'c' },
  ];
  const {
    code,
    stderr,
    stdout,
    page = '',
  } = await reported(['in.ndjson', '-k', 'id'], { 'in.ndjson': lines(records) });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.toString()).toBe(lines(records.slice(0, 2)));
  expect(page).toContain('<title>Report of firstseen</title>');
  expect(page).toContain('1 of 3 records (33 %) are duplicates of earlier ones.');
  expect(page).toContain('0 of 2 new');
  expect(page).toContain('Kept: in.ndjson, record 1');
  expect(page).toContain('Duplicate: in.ndjson, record 3');
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script');
});

test('documents are named by their key, and the warnings of the run are in the page', async () => {
  const texts = Array.from({ length: 150 }, (_, i) => ({ name: `n${i}`, text: i % 2 === 0 ? 'short' : `text ${i}` }));
  const args = ['near', 'in.ndjson', '--id-key', 'name', '--shingle', '9w', '-o', 'out.ndjson'];
  const { code, stderr, page = '' } = await reported(args, { 'in.ndjson': lines(texts) });
  expect(code, stderr).toBe(0);
  expect(page).toContain('<strong>n0</strong> (in.ndjson, document 1)');
  expect(page).toContain('--shingle 9w is too long: 150 of the first 150 documents have at most one shingle');
  expect(page).toContain('<li>Give a shorter one, such as --shingle 1w or 4c.</li>');
});

test('a run that fails writes what it noted before, and one that does not begin says why', async () => {
  const failed = await reported(['in.ndjson', '-k', 'id'], { 'in.ndjson': '{"id":1}\n{"id":1}\nbroken\n' });
  expect(failed.code).toBe(1);
  expect(failed.page).toContain('The run failed with E_RECORD: the report covers what was read before.');
  expect(failed.page).toContain('1 of 2 records (50 %) are duplicates');
  const missing = await reported(['none.ndjson', '-k', 'id'], {});
  expect(missing.code).toBe(1);
  expect(missing.page).toContain('The run did not begin.');
  expect(missing.page).toContain('none.ndjson');
  expect(missing.page).not.toContain('By source');
});

test('the page is not written over a file of the run, nor to a folder that does not exist', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in.txt'), 'a\n');
  for (const [args, problem] of [
    [['in.txt', '--report', 'in.txt'], 'in.txt would be written, but it is also a file of this run'],
    [['in.txt', '-o', 'out', '--report', 'out'], 'out would be written, but it is also a file of this run'],
    [['in.txt', '--stats-to', 'x', '--report', 'x'], 'x would be written, but it is also another output or the state'],
    [['in.txt', '--report', ''], '--report is ""'],
    [['in.txt', '--report', 'no/r.html'], 'cannot write no/r.html'],
  ] as const) {
    const { code, stderr } = await runCommand(args, { cwd });
    expect([code !== 0, stderr]).toEqual([true, expect.stringContaining(problem)]);
  }
  expect(readFileSync(join(cwd, 'in.txt'), 'utf8')).toBe('a\n');
});

test('the page is refused where the kept document is known only after the first reading', async () => {
  const files = { 'in.ndjson': lines([{ text: 'a' }]) };
  const { code, stderr, page } = await reported(['near', 'in.ndjson', '--keep', 'longest'], files);
  expect([code, page]).toEqual([2, undefined]);
  expect(stderr).toMatch(/^firstseen: --report was given with --keep longest, but .*; leave --report or --keep out/);
  expect((await reported(['near', 'in.ndjson', '--keep', 'first'], files)).code).toBe(0);
});

test('several texts of a record are shown as one, with what was seen in each', async () => {
  const records = [
    { title: 'Menu', body: 'One "page".' },
    { title: 'Menu', body: null },
    { title: 'News', body: 'Another\nOne "page".' },
  ];
  const args = ['passages', 'in.ndjson', '--text-key', 'title', '--text-key', 'body', '--emit', 'rewritten'];
  const { code, stderr, page } = await reported(args, { 'in.ndjson': lines(records) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const shown = [...(page as string).matchAll(/<pre class="text"[^>]*>(.*?)<\/pre>/gs)].map(([, text]) => text);
  expect(shown.toSorted()).toEqual(['<ins>Menu</ins>', 'News␟Another\n<ins>One &quot;page&quot;.</ins>']);
});

test('a run that has nothing to do leaves the page as it is', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'in.txt'), 'a\na\n');
  const args = ['in.txt', '--state', 's', '-o', 'out', '-m', '64KiB', '--report', 'r.html'];
  expect((await runCommand(args, { cwd })).code).toBe(0);
  const page = readFileSync(join(cwd, 'r.html'), 'utf8');
  expect((await runCommand(args, { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, 'r.html'), 'utf8')).toBe(page);
});

/** A page without what differs from run to run. */
function comparable(page: string): string {
  const sections = ['inputs', 'similarity', 'seen', 'clusters', 'pairs', 'texts'].map((id) => {
    const start = page.indexOf(`<h2 id="${id}">`);
    return start === -1 ? '' : page.slice(start, page.indexOf('</section>', start));
  });
  return sections.join('\n');
}

test.each([
  ['records', ['-k', 'id']],
  ['documents', ['near']],
  ['passages', ['passages']],
])('threads change nothing in a page about %s', async (_, args) => {
  const words = (i: number) => Array.from({ length: 12 }, (_unused, j) => `w${(i * 7 + j * 13) % 211}`).join(' ');
  const records = Array.from({ length: 6000 }, (_unused, i) => ({ id: (i * i) % 2003, text: words((i * i) % 2003) }));
  const files = { 'in.ndjson': lines(records) };
  const of = (threads: string) => {
    const given = [...args, 'in.ndjson', '--threads', threads, '-o', 'out'];
    return reported(given, files);
  };
  const [one, two] = [await of('1'), await of('2')];
  expect([one.code, two.code], `${one.stderr}${two.stderr}`).toEqual([0, 0]);
  expect(comparable(one.page as string).length).toBeGreaterThan(2000);
  expect(comparable(two.page as string)).toBe(comparable(one.page as string));
});
