// Parquet as an output: rows are copied with their types, and a file is complete or not there.

import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { beforeEach, describe, expect, test } from 'vitest';
import { linesOf, parquetPath, writeEvents } from '../parquet/support.js';
import { inLongForm } from '../support/form.js';
import { requiresPosix } from '../support/platform.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand, runWithSmallRecords } from './support/runner.js';

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

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** The rows of a file as lines. */
function rowsOf(name: string): Promise<string> {
  return succeed(name, '--emit', 'all');
}

function metadataOf(name: string): FileMetaData {
  return parquetMetadata(readFileSync(join(cwd, name)), { geoparquet: false });
}

describe('rows keep their values and types', () => {
  const names = ['types', 'nested', 'groups', 'pages', 'empty', 'int96', 'codec-zstd', 'bytes-as-text', 'names-apart'];
  test.each(names)('%s', async (name) => {
    give(name);
    await succeed(`${name}.parquet`, '--emit', 'all', '-o', 'out.parquet');
    expect(await rowsOf('out.parquet')).toBe(linesOf(name));
    const [before, after] = [metadataOf(`${name}.parquet`), metadataOf('out.parquet')];
    expect(after.schema).toEqual(before.schema);
    expect(after.key_value_metadata).toEqual(before.key_value_metadata);
    expect(after.num_rows).toBe(before.num_rows);
  });
});

describe('a file has the rows that lines would have', () => {
  const same = async (args: string[], ending = 'x') => {
    await succeed(...args, '-o', `${ending}.ndjson`, '--duplicates-to', `${ending}-again.ndjson`);
    await succeed(...args, '-o', `${ending}.parquet`, '--duplicates-to', `${ending}-again.parquet`);
    for (const name of [ending, `${ending}-again`]) {
      expect(await rowsOf(`${name}.parquet`)).toBe(readFileSync(join(cwd, `${name}.ndjson`), 'utf8'));
    }
  };

  test('from several files, in many row groups', async () => {
    writeEvents(join(cwd, 'a.parquet'), { rows: inLongForm(300_000, 150_000), groupRows: 40_000 });
    writeEvents(join(cwd, 'b.parquet'), { rows: inLongForm(150_001, 60_001), groupRows: 7_000 });
    await same(['a.parquet', 'b.parquet', '-k', 'id', '-m', '64KiB', '--seed', '3']);
    expect(metadataOf('x.parquet').row_groups.length).toBeGreaterThan(1);
  });

  test.each([
    ['with keys that are missing or null', ['-k', 'user.id', '--missing-key', 'distinct', '--null-key', 'missing']],
    ['without those whose key is missing', ['-k', 'user.id', '--missing-key', 'drop']],
    ['of a shard', ['-k', 'user.id', '--missing-key', 'drop', '--shard', '1/2']],
    ['without records that are too long', ['--max-record', '85', '--on-error', 'drop']],
    ['with records that are too long', ['--max-record', '85', '--on-error', 'pass']],
  ])('%s', async (_, flags) => {
    give('nested');
    await same(['nested.parquet', 'nested.parquet', ...flags]);
  });

  test('with more keys than memory holds', async () => {
    writeEvents(join(cwd, 'a.parquet'), { rows: inLongForm(20_000, 6000), groupRows: inLongForm(4000, 1200) });
    const flags = ['a.parquet', '-k', 'id', '-a', 'exact', '-m', '4MiB', '--spill', '.'];
    await same(flags);
    await same([...flags, '--keep', 'last']);
    await same([...flags, '--keep', 'max:name', '--emit', 'repeated']);
    await same([...flags, '--emit', 'unique']);
  });

  test('of near-duplicates', async () => {
    writeEvents(join(cwd, 'a.parquet'), { rows: 500, groupRows: 100 });
    await succeed('near', 'a.parquet', '--text-key', 'name', '-o', 'near.ndjson', '--missing-key', 'drop');
    await succeed('near', 'a.parquet', '--text-key', 'name', '-o', 'near.parquet', '--missing-key', 'drop');
    expect(await rowsOf('near.parquet')).toBe(readFileSync(join(cwd, 'near.ndjson'), 'utf8'));
  });
});

test('the columns of the keys decide alone, unless a limit needs the whole rows', async () => {
  give('groups');
  const bytes = readFileSync(parquetPath('groups'));
  for (const { columns } of metadataOf('groups.parquet').row_groups) {
    const { data_page_offset: start, total_compressed_size: size } = columns[2]?.meta_data ?? {};
    bytes.fill(0xff, Number(start), Number(start) + Number(size));
  }
  writeFileSync(join(cwd, 'bad.parquet'), bytes);
  const args = ['groups.parquet', 'bad.parquet', '-k', 'id', '-o', 'out.parquet'];
  // Each row of the second file is a repeat, so nothing of its damaged column is copied.
  expect(await runCommand(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
  expect(metadataOf('out.parquet').num_rows).toBe(97n);
  expect((await run(...args)).stderr).toMatch(/bad\.parquet: row group 1, column "name" is damaged .* \[E_INPUT\]/);
});

describe('refuses', () => {
  test.each<[string, string[], RegExp]>([
    [
      'inputs that are not Parquet',
      ['a.ndjson'],
      /out\.parquet would be Parquet, but a\.ndjson is not; name .* \[E_USAGE\]/,
    ],
    ['other columns', ['groups.parquet', 'types.parquet'], /columns of types\.parquet differ from .* \[E_OUTPUT\]/],
    ['to compress', ['groups.parquet', '--compress'], /--compress was given, but out\.parquet is Parquet/],
    ['annotations', ['groups.parquet', '--emit', 'all', '--annotate', 'x'], /--annotate was given, but out\.parquet/],
    ['verdicts', ['groups.parquet', '--emit', 'verdicts'], /--emit was given, but out\.parquet is Parquet/],
  ])('%s', async (_, args, message) => {
    give('groups', 'types');
    writeFileSync(join(cwd, 'a.ndjson'), '{"id":1}\n');
    const before = readdirSync(cwd);
    const { code, stderr } = await run(...args, '-o', 'out.parquet');
    expect(stderr).toMatch(message);
    expect(code).toBeGreaterThan(0);
    expect(readdirSync(cwd)).toEqual(before);
  });
});

test('a failed run leaves the file as it was', async () => {
  const bytes = readFileSync(parquetPath('groups'));
  bytes.fill(0xff, 9000, 9100);
  writeFileSync(join(cwd, 'bad.parquet'), bytes);
  writeFileSync(join(cwd, 'out.parquet'), 'before');
  expect((await run('bad.parquet', '-o', 'out.parquet')).stderr).toMatch(/is damaged .* \[E_INPUT\]/);
  expect(readFileSync(join(cwd, 'out.parquet'), 'utf8')).toBe('before');
  expect(existsSync(join(cwd, 'out.parquet.part'))).toBe(false);
});

describe('with a state', () => {
  const flags = ['-k', 'id', '-m', '1MiB', '--state', 's', '--checkpoint', '10ms'];

  test('each run writes the rows that no run wrote before', async () => {
    writeEvents(join(cwd, 'a.parquet'), { rows: 300, groupRows: 100 });
    writeEvents(join(cwd, 'b.parquet'), { rows: 600, groupRows: 100 });
    await succeed('a.parquet', ...flags, '-o', 'a-out.parquet');
    const first = readFileSync(join(cwd, 'a-out.parquet'));
    await succeed('b.parquet', ...flags, '-o', 'b-out.parquet');
    expect(metadataOf('a-out.parquet').num_rows + metadataOf('b-out.parquet').num_rows).toBe(200n);
    const again = await run('a.parquet', ...flags, '-o', 'a-out.parquet');
    expect(again.stderr).toMatch(/this run was finished before/);
    const more = await run('a.parquet', 'b.parquet', ...flags, '-o', 'a-out.parquet');
    expect(more.stderr).toMatch(/nothing can be added to a Parquet file; name another output.* \[E_STATE_RUN\]/);
    const other = await run('a.parquet', ...flags, '-o', 'a-out.parquet', '--no-witness');
    expect(other.stderr).toMatch(/finished before|nothing can be added/);
    expect(readFileSync(join(cwd, 'a-out.parquet')).equals(first)).toBe(true);
  });

  test.each<[string, (path: string) => void]>([
    ['missing', (path) => rmSync(path)],
    ['emptied', (path) => writeFileSync(path, '')],
    ['replaced', (path) => copyFileSync(parquetPath('groups'), path)],
  ])('a file of a finished run that is %s is refused', async (_, damage) => {
    writeEvents(join(cwd, 'a.parquet'), { rows: 300, groupRows: 100 });
    await succeed('a.parquet', ...flags, '-o', 'out.parquet');
    damage(join(cwd, 'out.parquet'));
    const { code, stderr } = await run('a.parquet', ...flags, '-o', 'out.parquet');
    expect(stderr).toMatch(
      /^firstseen: out\.parquet (is missing|has [\d,]+ bytes?), but an earlier run .* \[E_OUTPUT\]\n$/,
    );
    expect(code).toBe(1);
  });

  test.each<[NodeJS.Signals, RegExp]>([
    ['SIGKILL', /^$/],
    ['SIGINT', /out\.parquet not written: run the same command again/],
  ])('a run that ends by %s has changed nothing, and starts again', async (signal, message) => {
    if (signal !== 'SIGKILL') requiresPosix('signals that a process can handle');
    writeEvents(join(cwd, 'in.parquet'), { rows: inLongForm(400_000, 120_000), groupRows: 20_000 });
    const args = ['in.parquet', ...flags, '-o', 'out.parquet', '--duplicates-to', 'again.ndjson'];
    const names = ['out.parquet', 'again.ndjson', 's'];
    await succeed(...args);
    const expected = names.map((name) => readFileSync(join(cwd, name)));
    for (const name of names) rmSync(join(cwd, name));
    for (let stops = 0; stops < inLongForm(3, 1); stops++) {
      // Its size tells how far the run is.
      rmSync(join(cwd, 'again.ndjson'), { force: true });
      const child = startFirstseen([...args, '--max-record', '64KiB'], { cwd });
      const end = finished(child);
      const size = () => statSync(join(cwd, 'again.ndjson'), { throwIfNoEntry: false })?.size ?? 0;
      while (child.exitCode === null && size() < 1e6 * (1 + stops)) await sleep(1);
      child.kill(signal);
      const { stderr, signal: killed, code } = await end;
      expect(killed === signal || code === 130, stderr).toBe(true);
      expect(stderr).toMatch(message);
      expect(existsSync(join(cwd, 'out.parquet'))).toBe(false);
      expect(existsSync(join(cwd, 's'))).toBe(false);
    }
    await succeed(...args);
    for (const [i, name] of names.entries()) {
      expect(readFileSync(join(cwd, name)).equals(expected[i] as Buffer), name).toBe(true);
    }
    expect(existsSync(join(cwd, 'out.parquet.part'))).toBe(false);
  });
});
