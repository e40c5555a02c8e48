// csv with another delimiter and another quote.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { runFirstseen, temporaryFolder } from './support/command.js';

let cwd = '';
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const run = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await runFirstseen(args, { cwd });
  return { code, stdout: stdout.toString(), stderr };
};

beforeEach(() => {
  cwd = temporaryFolder();
  write('german.csv', 'id;price\n1;"2,50;"\n"1";3,00\n2;"a""b"\n');
  write('comma.csv', 'id,price\n1;2,x\n');
});

test.each([
  ['semicolons', ['--delimiter', ';', '-k', 'id'], 'id;price\n1;"2,50;"\n2;"a""b"\n'],
  ['strict', ['--delimiter', ';', '-k', 'id', '--strict'], 'id;price\n1;"2,50;"\n2;"a""b"\n'],
  [
    'annotated',
    ['--delimiter', ';', '-k', 'id', '--emit', 'all', '--annotate', 'v;w'],
    'id;price;"v;w"\n1;"2,50;";distinct\n"1";3,00;duplicate\n2;"a""b";distinct\n',
  ],
])('reads a file with %s', async (_, flags, expected) => {
  expect(await run('german.csv', ...flags)).toMatchObject({ code: 0, stdout: expected, stderr: '' });
});

test('reads another quote, and tabs', async () => {
  write('quotes.csv', "a\tb\n1\t'x\ty'\n1\t'it''s'\n2\tx\n");
  const { stdout } = await run('quotes.csv', '--delimiter', 'tab', '--quote', "'", '-k', 'a', '--strict');
  expect(stdout).toBe("a\tb\n1\t'x\ty'\n2\tx\n");
});

test('drops no more than one row for a quote that is not closed', async () => {
  write('broken.csv', 'id;x\n1;"a\n2;b\n3;c\n');
  const { stdout } = await run('broken.csv', '--delimiter', ';', '-k', 'id', '--on-error', 'drop');
  expect(stdout).toBe('id;x\n2;b\n3;c\n');
});

test('names the delimiter that a header seems to have', async () => {
  const refused = await run('german.csv', '-k', 'id');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/seems to have the delimiter ';'; give --delimiter ';' \[E_USAGE\]\n$/);
  write('plain.csv', 'id;x\n1;a\n1;a\n');
  const warned = await run('plain.csv');
  expect(warned).toMatchObject({ code: 0, stdout: 'id;x\n1;a\n' });
  expect(warned.stderr).toMatch(/^firstseen: warning: .* give --delimiter ';' \[E_USAGE\]\n$/);
  write('excel.csv', 'sep=;\nid;x\n1;a\n');
  expect((await run('excel.csv', '-k', 'id')).stderr).toMatch(
    /remove this line, which only Excel reads, and give --delim/,
  );
  expect(await run('comma.csv', '-k', 'id')).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [['--delimiter', 'ab'], 'one ASCII character'],
  [['--delimiter', '"'], 'different characters'],
  [['--quote', 'x'], 'one ASCII character'],
  [['-f', 'tsv', '--delimiter', ';'], 'the format is tsv'],
])('refuses %j', async (flags, problem) => {
  const { code, stderr } = await run('german.csv', ...flags);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

test('a state remembers the dialect', async () => {
  const flags = ['-k', 'id', '--state', 'seen.1st', '-o', 'out.csv'];
  expect((await run('german.csv', ...flags, '--delimiter', ';')).code).toBe(0);
  const { stderr } = await run('comma.csv', ...flags);
  expect(stderr).toMatch(/records are csv with the delimiter ; by id in the state, not csv by id.*\[E_STATE_DIFFERS\]/);
});
