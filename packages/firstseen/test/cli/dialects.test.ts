// csv with another delimiter and another quote.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { isLongForm } from '../support/form.js';
import { temporaryFolder } from './support/command.js';
import { runCommand, runWithSmallRecords } from './support/runner.js';

let cwd = '';
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const run = async (...args: readonly string[]) => {
  const isRun = args[0] !== 'inspect' && args[0] !== 'plan';
  const { code, stdout, stderr } = await (isRun
    ? runWithSmallRecords([...args, '-m', '1MiB'], { cwd })
    : runCommand(args, { cwd }));
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

test.each([
  ['in quotes', 'a,b\n"x\\"y",1\n"x""y",2\nz,3\n', [], 'a,b\n"x\\"y",1\nz,3\n'],
  ['of a delimiter outside', 'a,b\nx\\,y,1\n"x,y",2\nx,y\n', [], 'a,b\nx\\,y,1\nx,y\n'],
  ['of a line end outside', 'a,b\nx\\\ny,1\n"x\ny",2\n', [], 'a,b\nx\\\ny,1\n'],
  // Programs write a newline or NULL as a pair. Such a pair must not become the key of another text.
  ['that is a pair', 'a,b\n\\n,1\nn,2\n\\\\n,3\n\\N,4\nN,5\n"\\n",6\n', [], 'a,b\n\\n,1\nn,2\n\\\\n,3\n\\N,4\nN,5\n'],
  [
    'in a dump',
    'a\tb\nx\\\ty\t1\nx\\\ty\t2\n"\t3\n',
    ['--delimiter', 'tab', '--quote', 'none'],
    'a\tb\nx\\\ty\t1\n"\t3\n',
  ],
])('reads an escape %s', async (_, text, flags, expected) => {
  write('escaped.csv', text);
  for (const more of [[], ['--strict']]) {
    const found = await run('escaped.csv', '--escape', '\\', '-k', 'a', ...flags, ...more);
    expect(found).toEqual({ code: 0, stdout: expected, stderr: '' });
  }
});

test('reads fields without quotes', async () => {
  write('plain.csv', 'id|text\n1|"a\n1|b\n2|it"s "\n');
  const flags = ['--delimiter', '|', '--quote', 'none', '-k', 'id'];
  const annotated = ['--emit', 'all', '--annotate', 'v', '--strict'];
  expect(await run('plain.csv', ...flags)).toMatchObject({ code: 0, stdout: 'id|text\n1|"a\n2|it"s "\n', stderr: '' });
  expect((await run('plain.csv', ...flags, ...annotated)).stdout).toBe(
    'id|text|v\n1|"a|distinct\n1|b|duplicate\n2|it"s "|distinct\n',
  );
  const refused = await run('plain.csv', ...flags, '--emit', 'all', '--annotate', 'v|w');
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"v|w" cannot be a field of csv that has no quotes'),
  });
});

test('no character has the place of a quote that is missing', async () => {
  write('none.csv', 'id|Ā"x\n1|\u0100\0a\n1|b\n');
  const flags = [
    '--delimiter',
    '|',
    '--quote',
    'none',
    '--escape',
    '\\',
    '--strict',
    '--emit',
    'all',
    '--annotate',
    'Āv',
  ];
  const { code, stdout } = await run('none.csv', '-k', 'id', '-k', 'Ā"x', ...flags);
  expect([code, stdout]).toEqual([0, 'id|Ā"x|Āv\n1|\u0100\0a|distinct\n1|b|distinct\n']);
});

test('annotates rows with escapes', async () => {
  write('escaped.csv', 'id,t\\,u\n1,a\\,b\n"\\"1",\n1\n');
  const flags = ['--escape', '\\', '-k', 'id', '--emit', 'all', '--annotate', 'v,\\'];
  expect((await run('escaped.csv', ...flags)).stdout).toBe(
    'id,t\\,u,"v,\\\\"\n1,a\\,b,distinct\n"\\"1",,distinct\n1,,duplicate\n',
  );
  expect((await run('escaped.csv', ...flags.slice(0, 2), '-k', 't,u', '--missing-key', 'drop')).code).toBe(0);
});

test('skips a long row with escapes whole', async () => {
  write('long.csv', `id,t\n1,"${'x\\"\n'.repeat(9)}"\n2,${'\\\n'.repeat(20)}\n3,c\n3,d\n`);
  const flags = ['--escape', '\\', '-k', 'id', '--max-record', '20'];
  expect((await run('long.csv', ...flags, '--on-error', 'drop')).stdout).toBe('id,t\n3,c\n');
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
  expect(await run('comma.csv', '-k', 'id')).toMatchObject({ code: 0, stderr: '' });
});

test('looks through all of a table that seems to have another delimiter', async () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i};x\n`).join('');
  write('late.csv', `id;text\n${rows}1;"a\nb"\n`);
  writeFileSync(join(cwd, 'late.csv.gz'), gzipSync(`id;text\n${rows}1;"a\nb"\n`));
  for (const name of ['late.csv', 'late.csv.gz']) {
    const refused = await run(name);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${name}, line 20002: a record would end within a quoted field`);
  }
});

describe('a first line that names the delimiter', () => {
  const body = 'id;price\r\n1;2,50\r\n"1";"3\n0"\r\n2;x\r\n';
  const kept = 'id;price\r\n1;2,50\r\n2;x\r\n';
  const told =
    /^firstseen: warning: [^\n]*, line 1: the delimiter is ';' by the line sep=; give --delimiter ';' to use[^\n]*\n$/;

  test.each([
    ['', 'sep=;\r\n'],
    [' with quotes', '"sep=;"\r\n'],
    [' after a byte order mark', '\ufeffSEP=;\n'],
  ])('is used, told once and kept%s', async (_, line) => {
    write('excel.csv', line + body);
    const found = await run('excel.csv', '-k', 'id');
    expect(found).toEqual({ code: 0, stdout: line + kept, stderr: expect.stringMatching(told) });
    writeFileSync(join(cwd, 'excel.csv.gz'), gzipSync(line + body));
    expect((await run('excel.csv.gz', 'excel.csv', '-k', 'id', '--threads', '2')).stdout).toBe(line + kept);
    for (const pieces of [[line + body], [...(line + body)]]) {
      const stdin = pieces.map((piece) => Buffer.from(piece));
      const piped = await runWithSmallRecords(['-f', 'csv', '-k', 'id', '-m', '1MiB'], { cwd, stdin });
      expect([piped.stdout.toString(), piped.stderr]).toEqual([line + kept, expect.stringMatching(told)]);
    }
  });

  test('is silent with the same delimiter, and told with another', async () => {
    write('excel.csv', `sep=;\n${body}`);
    expect(await run('excel.csv', '-k', 'id', '--delimiter', ';')).toEqual({
      code: 0,
      stdout: `sep=;\n${kept}`,
      stderr: '',
    });
    const found = await run('excel.csv', '--delimiter', '|');
    expect(found.stderr).toMatch(/line 1: the delimiter is ';' by the line sep=, but '\|' is used/);
    expect(found).toMatchObject({ code: 1, stdout: 'sep=;\nid;price\r\n1;2,50\r\n' });
  });

  test('may be missing in other inputs, and is told if it differs there', async () => {
    write('excel.csv', `sep=;\n${body}`);
    write('other.csv', 'id;price\n2;y\n3;z\n');
    write('wrong.csv', 'sep=,\nid;price\n4;z\n');
    const { stdout, stderr } = await run('excel.csv', 'other.csv', 'wrong.csv', '-k', 'id');
    expect(stdout).toBe(`sep=;\n${kept}3;z\n4;z\n`);
    expect(stderr.split('\n')[1]).toMatch(/wrong.csv, line 1: the delimiter is ',' by the line sep=, but ';' is used/);
  });

  test('is the delimiter of the column of counts', async () => {
    write('excel.csv', 'sep=;\nid;x\n1;a,b\n1;c\n2\n');
    const { stdout } = await run('excel.csv', '-k', 'id', '-a', 'exact', '--spill', '.', '--count');
    expect(stdout).toBe('sep=;\nid;x;firstseen_count\n1;a,b;2\n2;;1\n');
  });

  test('is annotated as a header, and known to a state', async () => {
    write('excel.csv', `sep=;\nid;x\n1;a\n1;b\n`);
    const flags = ['-k', 'id', '--state', 's', '-o', 'out.csv', '--emit', 'all', '--annotate', 'v'];
    expect((await run('excel.csv', ...flags)).code).toBe(0);
    write('excel.csv', `sep=;\nid;x\n1;a\n1;b\n2;c\n`);
    expect((await run('excel.csv', ...flags)).code).toBe(0);
    const expected = 'sep=;\nid;x;v\n1;a;distinct\n1;b;duplicate\n2;c;distinct\n';
    expect(readFileSync(join(cwd, 'out.csv'), 'utf8')).toBe(expected);
    expect((await run('inspect', 's')).stdout).toMatch(/delimiter +;\n/);
    // Without the line, a run has to be told the delimiter.
    write('plain.csv', 'id;x\n2;c\n');
    expect((await run('plain.csv', '-k', '1', '--state', 's', '-o', 'other.csv')).stderr).toContain('E_STATE_DIFFERS');
  });

  test('may come after a state was saved of an empty input', async () => {
    const flags = ['-k', 'id', '--state', 's', '-o', 'out.csv'];
    write('excel.csv', '');
    expect((await run('excel.csv', ...flags)).code).toBe(0);
    write('excel.csv', `sep=;\n${body}`);
    expect((await run('excel.csv', ...flags)).code).toBe(0);
    expect(readFileSync(join(cwd, 'out.csv'), 'utf8')).toBe(`sep=;\n${kept}`);
    // From here on, the state has the delimiter.
    write('plain.csv', 'id,x\n1,c\n');
    expect((await run('plain.csv', '-k', 'id', '--state', 's', '-o', 'o')).stderr).toContain('E_STATE_DIFFERS');
  });

  test('is a record without a header', async () => {
    write('excel.csv', 'sep=;\n1;a\n1;a\n');
    expect(await run('excel.csv', '--no-header')).toEqual({ code: 0, stdout: 'sep=;\n1;a\n', stderr: '' });
  });

  test('alone, or in an empty input, is not taken for a header', async () => {
    write('empty.csv', '');
    write('alone.csv', 'sep=;\n');
    write('cut.csv', 'sep=;');
    for (const input of ['empty.csv', 'alone.csv', 'cut.csv']) {
      expect(await run(input, '-k', 'id')).toMatchObject({ code: 0, stdout: '' });
    }
  });
});

describe('a row that ends with the escape', () => {
  const flags = ['--escape', '\\', '-k', 'id'];

  test('is passed on, but no column is written after it', async () => {
    write('paths.csv', 'id,path\r\n1,C:\\dir\\\r\n2,D:\\x\\\\\r\n1,e\r\n');
    expect((await run('paths.csv', ...flags)).stdout).toBe('id,path\r\n1,C:\\dir\\\r\n2,D:\\x\\\\\r\n');
    const others = [
      ['--emit', 'all', '--annotate', 'v'],
      ['-a', 'exact', '--spill', '.', '--count'],
    ];
    for (const other of others) {
      const { code, stderr } = await run('paths.csv', ...flags, ...other);
      expect(stderr).toMatch(/a row ends with the character of --escape.*E_RECORD/);
      expect(code).toBe(1);
    }
  });

  test('has a column after it if the escape is content', async () => {
    write('paths.csv', 'id,path\n2,D:\\x\\\\\n');
    const { stdout } = await run('paths.csv', ...flags, '--emit', 'all', '--annotate', 'v');
    expect(stdout).toBe('id,path,v\n2,D:\\x\\\\,distinct\n');
  });
});

test('plan reads a sample in its dialect', async () => {
  write('plan.csv', `id|x\n${Array.from({ length: 20 }, (_, i) => `${i % 10}|"${i}`).join('\n')}\n`);
  const flags = [
    '--key',
    'id',
    '--delimiter',
    '|',
    '--quote',
    'none',
    '--memory',
    '1KiB',
    '--layout',
    'classic',
    '--json',
  ];
  // A sample that is too short is refused with what was read, before the plan, which takes seconds.
  const { stderr } = await run('plan', '--sample', 'plan.csv', ...flags, '--expect-length', '1000');
  expect(stderr).toMatch(/^firstseen: 20 elements of plan\.csv are too few to plan for 1,000: .* \[E_SAMPLE\]\n$/);
  if (!isLongForm) return;
  const { code, stdout } = await run('plan', '--sample', 'plan.csv', ...flags);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).stream).toMatchObject({ length_elements: 20, distinct_elements: 10 });
});

test.each([
  [['--delimiter', 'ab'], 'one ASCII character'],
  [['--delimiter', '"'], 'different characters'],
  [['--delimiter', '§'], 'one ASCII character'],
  [['--delimiter', '||'], 'one ASCII character'],
  [['--quote', 'x'], 'one ASCII character'],
  [['--delimiter', 'none'], 'one ASCII character'],
  [['--escape', ','], 'different characters'],
  [['--delimiter', ';', '--quote', ';'], 'different characters'],
  [['-f', 'ndjson', '--escape', '^'], 'the format is ndjson'],
  [['-f', 'tsv', '--delimiter', ';'], 'the format is tsv'],
])('refuses %j', async (flags, problem) => {
  const { code, stderr } = await run('german.csv', ...flags);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});

test('a state remembers the dialect', async () => {
  const flags = ['-k', 'id', '--state', 'seen.1st', '-o', 'out.csv'];
  expect((await run('german.csv', ...flags, '--delimiter', ';')).code).toBe(0);
  const differs = await run('comma.csv', ...flags, '--delimiter', ';', '--quote', 'none', '--escape', '^');
  expect(differs.stderr).toContain(
    'csv with the delimiter ; by id in the state, not csv with the delimiter ; with the quote none with the escape ^ by id',
  );
  const { stderr } = await run('comma.csv', ...flags);
  expect(stderr).toMatch(/records are csv with the delimiter ; by id in the state, not csv by id.*\[E_STATE_DIFFERS\]/);
});
