// Parquet on the command line: keys, states, kills, and what is refused.

import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeEach, describe, expect, test } from 'vitest';
import { linesOf, parquetPath, writeEvents } from '../parquet/support.js';
import { inLongForm, sampleNote, sampleOf } from '../support/form.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runWithSmallRecords } from './support/runner.js';

let cwd: string;

beforeEach(() => {
  cwd = temporaryFolder();
});

function give(...names: string[]): void {
  for (const name of names) copyFileSync(parquetPath(name), join(cwd, `${name}.parquet`));
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await runWithSmallRecords(args, { cwd });
  return { code, stdout: stdout.toString(), stderr };
}

/** The lines whose key comes first, as a set of this process finds them. */
function firstBy(lines: string, keyOf: (record: Record<string, unknown>) => unknown): string {
  const seen = new Set<string>();
  const isFirst = (line: string) => seen.size < seen.add(JSON.stringify(keyOf(JSON.parse(line)))).size;
  return lines
    .split(/(?<=\n)/)
    .filter(isFirst)
    .join('');
}

describe('keys', () => {
  test('a column', async () => {
    give('groups');
    const expected = firstBy(linesOf('groups'), ({ id }) => id);
    expect(expected.split('\n')).toHaveLength(98);
    expect(await run('groups.parquet', '-k', 'id')).toMatchObject({ code: 0, stdout: expected });
  });

  test('two columns, over several files', async () => {
    give('groups', 'codec-zstd', 'codec-lz4');
    const lines = ['codec-zstd', 'groups', 'codec-lz4'].map((name) => linesOf(name)).join('');
    const files = ['codec-zstd.parquet', 'groups.parquet', 'codec-lz4.parquet'];
    const { stdout } = await run(...files, '-k', 'id', '-k', 'ts');
    expect(stdout).toBe(firstBy(lines, ({ id, ts }) => [id, ts]));
  });

  test('a nested field, with nulls as --null-key says', async () => {
    give('nested');
    const keep = (...args: string[]) => run('nested.parquet', '-k', 'user.id', ...args);
    const lines = linesOf('nested').split(/(?<=\n)/);
    const missing = await keep();
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(/nested\.parquet, line 2: .* \[E_KEY_MISSING\]/);
    const passed = await keep('--missing-key', 'distinct');
    expect(passed.stdout).toBe(lines.slice(0, 4).join(''));
    const dropped = await keep('--missing-key', 'drop', '--null-key', 'missing');
    expect(dropped.stdout).toBe([lines[0], lines[3]].join(''));
  });

  test('an element of a list, an entry of a map, and a struct in a list', async () => {
    give('nested');
    for (const key of [
      'list[0]',
      'map.a',
      'items[0].sku',
      'maps[0].a',
      'matrix[0][0]',
      'items[*].sku',
      'matrix[*][0]',
    ]) {
      expect(await run('nested.parquet', '-k', key, '--missing-key', 'drop'), key).toMatchObject({ code: 0 });
    }
  });

  test.each([
    ['nope', 'the columns are user, list, items, map, maps, matrix'],
    ['user.nope', 'user has user.id, user.name'],
    ['list.x', 'list is a list, such as list[0]'],
    ['user.id.x', 'user.id has no fields'],
  ])('%s is refused with what there is', async (key, known) => {
    give('nested');
    const { code, stderr } = await run('nested.parquet', '-k', key);
    expect(stderr).toBe(`firstseen: --key "${key}" is not a column of nested.parquet; ${known} [E_USAGE]\n`);
    expect(code).toBe(2);
  });

  test(`are those of the same records as NDJSON, whichever comes first${sampleNote}`, async () => {
    give('types');
    const lines = linesOf('types');
    writeFileSync(join(cwd, 'types.ndjson'), lines);
    for (const key of sampleOf(['i64', 'u64', 'f64', 'text', 'd36', 'utc_us', 'bytes', 'bool'], 4)) {
      const flags = ['-k', key, '-a', 'exact', '-m', '1MiB', '--empty-key', 'key', '--null-key', 'value'];
      const both = await run('types.ndjson', 'types.parquet', ...flags, '-f', 'ndjson');
      expect(both.stdout, key).toBe(firstBy(lines, (record) => record[key]));
      for (const [first, second] of [
        ['types.ndjson', 'types.parquet'],
        ['types.parquet', 'types.ndjson'],
      ] as const) {
        rmSync(join(cwd, 's'), { force: true });
        expect((await run(first, ...flags, '--state', 's')).code).toBe(0);
        expect(await run(second, ...flags, '--state', 's')).toMatchObject({ code: 0, stdout: '' });
      }
    }
  });

  test('of one time are one key, whatever the unit of the column', async () => {
    const at = Date.UTC(2024, 4, 1, 10);
    const units = { MILLIS: 1n, MICROS: 1000n, NANOS: 1_000_000n } as const;
    for (const [unit, factor] of Object.entries(units)) {
      const data = BigInt64Array.of(BigInt(at) * factor, BigInt(at + 5) * factor, BigInt(at + 1000) * factor);
      const logical_type = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: unit as keyof typeof units } as const;
      const schema = [
        { name: 'root', num_children: 1 },
        { name: 'at', type: 'INT64', repetition_type: 'REQUIRED', logical_type },
      ] as const;
      const bytes = parquetWriteBuffer({ columnData: [{ name: 'at', data }], schema: [...schema] });
      writeFileSync(join(cwd, `${unit}.parquet`), new Uint8Array(bytes));
    }
    writeFileSync(join(cwd, 'a.ndjson'), '{"at":"2024-05-01T10:00:00.005Z"}\n');
    const { stdout } = await run('NANOS.parquet', 'MILLIS.parquet', 'MICROS.parquet', 'a.ndjson', '-k', 'at');
    expect(stdout.match(/\d\d:\d\d:\d\d[^"]*/g)).toEqual(['10:00:00.000Z', '10:00:00.005Z', '10:00:01.000Z']);
  });

  test('of integers are those of whole doubles, which columns of integers with nulls often are', async () => {
    const doubles = [1, 2.5, null, -3, 2 ** 53];
    const write = (name: string, columnData: Parameters<typeof parquetWriteBuffer>[0]['columnData']) =>
      writeFileSync(join(cwd, name), new Uint8Array(parquetWriteBuffer({ columnData })));
    write('doubles.parquet', [{ name: 'id', data: doubles, type: 'DOUBLE' }]);
    const integers = BigInt64Array.of(1n, 2n, -3n, 2n ** 53n, 2n ** 53n + 1n);
    write('integers.parquet', [{ name: 'id', data: integers, type: 'INT64', nullable: false }]);
    const { stdout } = await run(
      'doubles.parquet',
      'integers.parquet',
      '-k',
      'id',
      '--null-key',
      'missing',
      '--missing-key',
      'drop',
    );
    expect(stdout.match(/(?<=:)[^}]+/g)).toEqual(['1', '2.5', '-3', '9007199254740992', '2', '9007199254740993']);
  });

  test('of text differ from those of integers', async () => {
    writeFileSync(join(cwd, 'a.ndjson'), '{"id":"1"}\n{"id":1}\n');
    writeEvents(join(cwd, 'b.parquet'), { rows: 30, groupRows: 7 });
    const { stdout } = await run('a.ndjson', 'b.parquet', '-k', 'id');
    expect(stdout.match(/"id":"?1"?[,}]/g)).toEqual(['"id":"1"}', '"id":1}']);
  });
});

describe('text that is not UTF-8', () => {
  const lines = linesOf('bytes-as-text');
  const distinct = firstBy(lines, ({ name }) => name);

  test.each([[[]], [['-k', 'name']], [['-k', 'name', '--strict', '-a', 'exact', '-m', '1MiB']]])(
    'has a key of its bytes: %j',
    async (flags) => {
      give('bytes-as-text');
      expect(distinct.split('\n')).toHaveLength(lines.split('\n').length - 1);
      expect(await run('bytes-as-text.parquet', ...flags)).toMatchObject({ code: 0, stdout: distinct });
    },
  );

  test('is the same key as its line', async () => {
    give('bytes-as-text');
    writeFileSync(join(cwd, 'a.ndjson'), lines);
    expect(await run('a.ndjson', 'bytes-as-text.parquet', '-k', 'name')).toMatchObject({ code: 0, stdout: distinct });
  });
});

describe('columns that cannot be told apart', () => {
  test.each([
    ['columns', /two of its columns have the name id; write the file with other names/],
    ['members', /two of its columns have the name s\.a;/],
    ['list', /two of its columns have the name list\.list\.element\.a;/],
    ['deep', /two of its columns have the name s\.t\.v\.a;/],
  ])('are refused: %s', async (name, message) => {
    give(`names-${name}`);
    for (const output of ['out.ndjson', 'out.parquet']) {
      const { code, stdout, stderr } = await run(`names-${name}.parquet`, '-o', output);
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/\[E_INPUT\]\n$/);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(existsSync(join(cwd, output))).toBe(false);
    }
  });

  test('are not those whose names are only similar', async () => {
    give('names-apart', 'names-dot', 'names-prototype');
    const linesWith = (lineOf: (id: number) => string) => [1, 2, 3].map((id) => `${lineOf(id)}\n`).join('');
    expect((await run('names-dot.parquet')).stdout).toBe(linesWith((id) => `{"a":{"b":{"c":7},"b.c":${id}}}`));
    expect((await run('names-prototype.parquet')).stdout).toBe(linesWith((id) => `{"a":{"__proto__":${id},"x":7}}`));
    expect(await run('names-apart.parquet', '--emit', 'all')).toMatchObject({
      code: 0,
      stdout: linesOf('names-apart'),
    });
  });
});

test('--format parquet reads files of any name', async () => {
  copyFileSync(parquetPath('groups'), join(cwd, 'part-0000'));
  expect((await run('part-0000', '-f', 'parquet', '--emit', 'all')).stdout).toBe(linesOf('groups'));
});

test.each([
  ['without a zone', 'groups'],
  ['in days', 'types'],
])('a window over a column of times %s', async (_, name) => {
  give(name);
  const time = name === 'groups' ? 'ts' : 'day';
  const flags = ['-k', time, '--window', '1h', '--time-key', time, '-m', '64KiB', '--missing-key', 'drop'];
  const { code, stderr } = await run(`${name}.parquet`, ...flags, '--null-key', 'missing', '--on-error', 'drop');
  expect(stderr).not.toMatch(/invalid/);
  expect(code).toBe(0);
});

test('a date and a time of day in two columns are one time', async () => {
  give('types');
  const flags = [
    '-k',
    'bool',
    '--window',
    '1m',
    '-m',
    '64KiB',
    '--emit',
    'verdicts',
    '--on-error',
    'drop',
    '--time-key',
  ];
  // The days of three rows are before 1970, or after the year 5138.
  const { stdout } = await run('types.parquet', ...flags, 'day', '--time-key', 'time_us');
  expect(stdout).toBe('distinct\ndistinct\ndropped\ndistinct\ndropped\ndropped\npassed\n');
  const { code, stderr } = await run('types.parquet', ...flags, 'day', '--time-key', 'hour');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--time-key "hour" is not a column of types.parquet')]);
});

test('an hour later, a row passes again', async () => {
  give('groups');
  // Rows are a minute apart, and an id returns after 97 rows.
  const flags = ['-k', 'id', '--time-key', 'ts', '-m', '64KiB'];
  const short = await run('groups.parquet', ...flags, '--window', '60m');
  const long = await run('groups.parquet', ...flags, '--window', '24h');
  expect(short.stdout.split('\n')).toHaveLength(601);
  expect(long.stdout.split('\n')).toHaveLength(98);
});

describe('refuses', () => {
  test.each<[string, string[], RegExp, number]>([
    ['standard input', ['-', '-f', 'parquet'], /standard input .* index at its end; give the name of a file/, 2],
    ['to follow', ['groups.parquet', '--follow'], /--follow was given, but groups\.parquet is a Parquet file/, 2],
    ['a file of another format', ['a.txt', '-f', 'parquet'], /a\.txt: it is not a Parquet file/, 1],
    ['a missing file', ['none.parquet'], /none\.parquet: there is no such file/, 1],
    ['a folder with other files', ['.', '-f', 'parquet'], /a\.txt: it is not a Parquet file/, 1],
  ])('%s', async (_, args, message, code) => {
    give('groups');
    writeFileSync(join(cwd, 'a.txt'), 'a line\n'.repeat(10));
    const result = await run(...args);
    expect(result.stderr).toMatch(message);
    expect(result).toMatchObject({ code, stdout: '' });
  });
});

test('the rows before a damaged page are written, then the error says where', async () => {
  const bytes = readFileSync(parquetPath('groups'));
  // The third row group has the rows from 101 on.
  bytes.fill(0xff, 2400, 2500);
  writeFileSync(join(cwd, 'bad.parquet'), bytes);
  const { code, stdout, stderr } = await run('bad.parquet', '--emit', 'all');
  expect(stderr).toMatch(
    /^firstseen: cannot read bad\.parquet: row group \d, column "\w+" is damaged .* \[E_INPUT\]\n$/,
  );
  expect(code).toBe(1);
  expect(linesOf('groups').startsWith(stdout)).toBe(true);
  expect(stdout.endsWith('\n')).toBe(true);
  expect(stdout.split('\n').length).toBeGreaterThan(100);
});

describe('a state', () => {
  const flags = ['in.parquet', '-k', 'id', '-m', inLongForm('256KiB', '64KiB'), '--seed', '5', '--state', 's'];

  test('knows a finished run, and a file that was replaced', async () => {
    writeEvents(join(cwd, 'in.parquet'), { rows: 300, groupRows: 50 });
    expect((await run(...flags, '-o', 'out')).code).toBe(0);
    const again = await run(...flags, '-o', 'out');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/this run was finished before/) });
    writeEvents(join(cwd, 'in.parquet'), { rows: 330, groupRows: 50 });
    expect((await run(...flags, '-o', 'out')).stderr).toMatch(
      /in\.parquet is not what it was when it was last read: all of it was read again/,
    );
    // Ids are -5 to 94, then -5 to 104.
    expect(readFileSync(join(cwd, 'out'), 'utf8').split('\n')).toHaveLength(111);
  });

  test('continues after kills to the same bytes', async () => {
    writeEvents(join(cwd, 'in.parquet'), { rows: inLongForm(400_000, 100_000), groupRows: 10_000 });
    const args = [...flags, '--checkpoint', '20ms', '-o', 'out', '--duplicates-to', 'again'];
    const names = ['out', 'again', 's'];
    const bytesOf = (name: string) => statSync(join(cwd, name), { throwIfNoEntry: false })?.size ?? 0;
    // The memory is too small for the ids, and the run says so.
    expect(await run(...args)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^firstseen: warning: .* \[E_MISSED\]\n$/),
    });
    const expected = names.map((name) => readFileSync(join(cwd, name)));
    for (const name of names) rmSync(join(cwd, name));
    const full = (expected[0]?.length ?? 0) + (expected[1]?.length ?? 0);
    let resumable = 0;
    for (const share of inLongForm([0, 0.1, 0.3, 0.5, 0.7, 0.9], [0.1, 0.4, 0.7])) {
      const child = startFirstseen([...args, '--max-record', '64KiB'], { cwd });
      const end = finished(child);
      const isEarly = () => bytesOf('s') === 0 || bytesOf('out') + bytesOf('again') <= share * full;
      while (child.exitCode === null && isEarly()) await sleep(1);
      child.kill('SIGKILL');
      await end;
      if (bytesOf('s') > 0) resumable++;
    }
    expect(resumable).toBeGreaterThan(inLongForm(2, 0));
    const { code, stderr } = await run(...args);
    expect(code, stderr).toBe(0);
    for (const [i, name] of names.entries())
      expect(readFileSync(join(cwd, name)).equals(expected[i] as Buffer), name).toBe(true);
  });
});
