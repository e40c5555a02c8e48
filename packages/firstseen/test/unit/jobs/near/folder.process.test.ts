// Runs near over a folder like /usr/share/doc, with licences edited at given rates, and compares the kept files with the
// exact Jaccard similarity.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../src/jobs/near/document.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { runCommand } from '../../../cli/support/runner.js';
import { drawWords, editWords, jaccardOf, shinglesOf } from '../../../support/documents.js';
import { sampleNote, sampleOf } from '../../../support/form.js';
import { requires, requiresPosix } from '../../../support/platform.js';
import { Random } from '../../../support/streams.js';

const LICENCES = 30;
const COPIES = 8;
const WORDS = 400;

/** Packages in order of name, each with the words of its copyright file. */
function packages(): { path: string; words: string[] }[] {
  const random = new Random(2024);
  const licences = Array.from({ length: LICENCES }, () => drawWords(WORDS, random));
  const rates = [0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2];
  const copies = licences.flatMap((words) =>
    Array.from({ length: COPIES }, () => editWords(words, rates[random.below(rates.length)] as number, random)),
  );
  const order = copies.map((words) => ({ words, place: random.nextWord() })).sort((a, b) => a.place - b.place);
  return order.map(({ words }, i) => ({ path: `doc/package${String(i).padStart(4, '0')}/copyright`, words }));
}

function writeFolder(root: string): void {
  for (const { path, words } of packages()) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), `Copyright ${words.join(' ')}.\n`);
    writeFileSync(join(root, path, '../readme'), 'The same everywhere.');
  }
}

/** The documents to drop: those whose similarity to an earlier kept document is at least the threshold. */
function compare(kept: ReadonlySet<string>, similarity: number) {
  const found = { dropped: 0, right: 0, due: 0, dueAndDropped: 0 };
  const before: ReadonlySet<string>[] = [];
  for (const { path, words } of packages()) {
    const document = shinglesOf(['copyright', ...words], 5);
    const nearest = Math.max(0, ...before.map((other) => jaccardOf(document, other)));
    const isDropped = !kept.has(path);
    found.dropped += Number(isDropped);
    // The curve is not a step: documents slightly below the threshold are reported about half of the time.
    found.right += Number(isDropped && nearest >= similarity - 0.1);
    found.due += Number(nearest >= similarity + 0.05);
    found.dueAndDropped += Number(isDropped && nearest >= similarity + 0.05);
    if (!isDropped) before.push(document);
  }
  return { ...found, precision: found.right / found.dropped, recall: found.dueAndDropped / found.due };
}

describe('firstseen near over a folder', () => {
  test.each(sampleOf([0.5, 0.7, 0.8], 1))(
    `keeps the first of each group of licences at similarity %f${sampleNote}`,
    async (similarity) => {
      const cwd = temporaryFolder();
      writeFolder(cwd);
      const args = ['near', '--similarity', String(similarity), '--stats=json', 'doc', '--include', '*/copyright'];
      const { stdout, stderr, code } = await runCommand(args, { cwd });
      expect(code).toBe(0);
      const paths = stdout.toString().trimEnd().split('\n');
      const stats = JSON.parse(stderr);
      expect(stats.records).toBe(LICENCES * COPIES);
      expect(stats.distinct).toBe(paths.length);
      expect(paths[0]).toBe('doc/package0000/copyright');
      const { precision, recall, due } = compare(new Set(paths), similarity);
      expect(due).toBeGreaterThan(80);
      expect(precision).toBeGreaterThan(0.98);
      expect(recall).toBeGreaterThan(0.95);
    },
  );
});

test('dangling links, circular links and links to folders are not documents', async () => {
  requiresPosix('links that every user may make');
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs/inside'), { recursive: true });
  writeFileSync(join(cwd, 'docs/a'), 'one two three');
  writeFileSync(join(cwd, 'elsewhere'), 'four five six');
  const links = { b: '../elsewhere', circle: 'circle', nowhere: 'none', 'inside/up': '..' };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(cwd, 'docs', name));
  const { code, stdout, stderr } = await runCommand(['near', 'docs'], { cwd });
  expect({ code, stderr, stdout: stdout.toString() }).toEqual({ code: 0, stderr: '', stdout: 'docs/a\ndocs/b\n' });
});

test('a file is read only up to the maximum length of a document, even if the system reports another size', async () => {
  requires(existsSync('/dev/zero'), 'this system does not have /dev/zero');
  const cwd = temporaryFolder();
  const { code, stderr } = await runCommand(['near', '/dev/zero', '--max-record', '1MiB'], { cwd });
  expect(stderr).toMatch(
    /^firstseen: \/dev\/zero, line 1: \/dev\/zero is longer than --max-record, 1,048,576 bytes; .* \[E_RECORD\]\n$/,
  );
  expect(code).toBe(1);
});

test('a file whose name is not UTF-8 is read', async () => {
  requires(process.platform === 'linux', 'only Linux has file names that are not Unicode');
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(Buffer.from(join(cwd, 'docs/caf\xe9'), 'latin1'), 'one two three');
  const { code, stdout, stderr } = await runCommand(['near', 'docs'], { cwd });
  expect({ code, stdout: stdout.toString('latin1'), stderr }).toEqual({
    code: 0,
    stdout: 'docs/caf\xe9\n',
    stderr: '',
  });
});

test.each([0, 1, 4095, 4096, 4097])('a file of %d bytes is accepted up to that limit', async (bytes) => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, Buffer.alloc(bytes, 'a'));
  expect(Buffer.from(readDocument(path, 4096 + bytes)).equals(Buffer.alloc(bytes, 'a'))).toBe(true);
  expect(Buffer.from(readDocument(path, bytes)).length).toBe(bytes);
  if (bytes > 0) expect(() => readDocument(path, bytes - 1)).toThrow(/is longer than maxRecordBytes/);
});

test('a pipe that delivers many pieces is read completely', async () => {
  requiresPosix('named pipes in folders');
  const path = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  const feed = spawn('/bin/sh', ['-c', `head -c 300000 /dev/zero > "${path}"`]);
  expect(readDocument(path, 2 ** 20).length).toBe(300_000);
  feed.kill();
});

test.each([
  [['-o', 'link'], 'link'],
  [['-o', 'out', '--duplicates-to', 'docs/../docs/a'], 'docs/../docs/a'],
  [['-o', 'out', '--state', 'docs/a'], 'docs/a'],
  [['-o', 'out', '--state', 'docs/b'], 'docs/b.part'],
])('refuses to overwrite a document: %j', async (outputs, named) => {
  requiresPosix('links that every user may make');
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  for (const name of ['a', 'b.part']) writeFileSync(join(cwd, 'docs', name), `the text of ${name}`);
  symlinkSync('docs/a', join(cwd, 'link'));
  const { code, stderr } = await runCommand(['near', 'docs', ...outputs], { cwd });
  expect(stderr).toBe(`firstseen: ${named} would be written, but it is also a document; name another file [E_USAGE]\n`);
  expect(code).toBe(2);
  for (const name of ['a', 'b.part']) expect(readFileSync(join(cwd, 'docs', name), 'utf8')).toBe(`the text of ${name}`);
});
