// An output folder whose inputs are Parquet and lines: each file has the format of its input, also after a run that was killed.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { runFiles } from '../../src/jobs/exact/run.js';
import { runDocuments } from '../../src/jobs/near/run.js';
import { runPassages } from '../../src/jobs/passages/run.js';
import { parquetPath, writeEvents } from '../parquet/support.js';
import { inLongForm } from '../support/form.js';
import { randomFrom } from '../support/random.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';

let cwd: string;

beforeEach(() => {
  cwd = temporaryFolder();
});

/** The rows of a Parquet file as lines. */
async function rowsOf(path: string): Promise<string> {
  const lines = `${path}.all.jsonl`;
  await runFiles({ inputs: [path], output: lines, emit: 'all' });
  const text = readFileSync(lines, 'utf8');
  rmSync(lines);
  return text;
}

/** A folder with files of events: two of Parquet, one of lines and one of compressed lines between them. */
async function events(rows: number) {
  const folder = join(cwd, 'in');
  mkdirSync(folder);
  writeEvents(join(folder, '0.parquet'), { rows, groupRows: Math.ceil(rows / 3) });
  const lines = (await rowsOf(join(folder, '0.parquet'))).replaceAll('"id":', '"id":9');
  writeFileSync(join(folder, '1.jsonl'), lines);
  writeFileSync(join(folder, '2.jsonl.gz'), gzipSync(lines.replaceAll('"id":9', '"id":8')));
  writeEvents(join(folder, '3.parquet'), { rows: 2 * rows, groupRows: Math.ceil(rows / 2) });
  return folder;
}

const exact = { keys: ['id'], detector: { algorithm: 'exact', memory: '16MiB' } } as const;

const names = ['0.parquet', '1.jsonl', '2.jsonl.gz', '3.parquet'];

/** The records of all files of a folder, as lines. */
async function recordsOf(folder: string): Promise<string> {
  const texts: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (name.endsWith('.parquet')) texts.push(await rowsOf(path));
    else texts.push((name.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString());
  }
  return texts.join('');
}

test('each file has the format of its input, and the records that one output would have', async () => {
  const inputs = [await events(300)];
  const [outputFolder, output] = [join(cwd, 'out'), join(cwd, 'out.jsonl')];
  await runFiles({ inputs, ...exact, outputFolder });
  await runFiles({ inputs, ...exact, output });
  expect(readdirSync(outputFolder).sort()).toEqual(names);
  expect(await recordsOf(outputFolder)).toBe(readFileSync(output, 'utf8'));
});

test('Parquet whose name does not say so is Parquet in the folder too', async () => {
  writeEvents(join(cwd, 'shard'), { rows: 30, groupRows: 10 });
  await runFiles({ inputs: [join(cwd, 'shard')], ...exact, format: 'parquet', outputFolder: join(cwd, 'out') });
  expect(readFileSync(join(cwd, 'out', 'shard'), 'latin1').slice(0, 4)).toBe('PAR1');
});

test('near-duplicates and passages have files of the formats of their inputs', async () => {
  const inputs = [await events(300)];
  const asked = { inputs, format: 'ndjson', textKey: 'name', missingKey: 'drop' } as const;
  const [near, documents] = [join(cwd, 'near'), join(cwd, 'documents')];
  for (const [folder, run] of [
    [near, (to: object) => runDocuments({ ...asked, ...to })],
    [documents, (to: object) => runPassages({ ...asked, emit: 'documents', ...to })],
  ] as const) {
    await run({ outputFolder: folder });
    await run({ output: `${folder}.jsonl` });
    expect(readdirSync(folder).sort()).toEqual(names);
    expect(await recordsOf(folder)).toBe(readFileSync(`${folder}.jsonl`, 'utf8'));
  }
  await runDocuments({ ...asked, emit: 'attributes', idKey: 'id', outputFolder: join(cwd, 'attributes') });
  expect(readdirSync(join(cwd, 'attributes'))[0]).toBe('0.parquet.jsonl');
});

describe('a run that ends early', () => {
  const ROWS = inLongForm(30_000, 12_000);
  const flags = [
    ...['in', '-k', 'id', '-m', '64KiB', '--max-record', '64KiB', '--seed', '5'],
    ...['--state', 's', '--checkpoint', '1ms'],
  ];
  const run = [...flags, '--output-folder', 'out'];
  const bytesOf = (folder: string) => [...names.map((name) => readFileSync(join(cwd, folder, name))), stateOf()];
  const stateOf = () => readFileSync(join(cwd, 's'));
  const clear = () => {
    rmSync(join(cwd, 'out'), { recursive: true, force: true });
    rmSync(join(cwd, 's'), { force: true });
  };

  test('by a kill at any moment leaves the files of a whole run when it is started again', async () => {
    await events(ROWS);
    expect((await runCommand(run, { cwd })).code).toBe(0);
    const whole = bytesOf('out');
    const random = randomFrom(31);
    let resumed = 0;
    for (let round = 0; round < inLongForm(3, 1); round++) {
      clear();
      for (let kills = 0; kills < 2; kills++) {
        const child = startFirstseen(run, { cwd });
        const ended = finished(child);
        const output = join(cwd, 'out', names[Math.floor(random() * names.length)] as string);
        const isEarly = () => !existsSync(join(cwd, 's')) || !existsSync(output);
        while (child.exitCode === null && isEarly()) await sleep(1);
        await sleep(Math.floor(random() * 20));
        child.kill('SIGKILL');
        await ended;
        if (existsSync(join(cwd, 's'))) resumed++;
      }
      const { code, stderr } = await runCommand(run, { cwd });
      expect(code, stderr).toBe(0);
      const left = bytesOf('out');
      expect([...names, 's'].filter((_, i) => !left[i]?.equals(whole[i] as Buffer))).toEqual([]);
      expect(readdirSync(join(cwd, 'out')).sort()).toEqual(names);
    }
    expect(resumed).toBeGreaterThan(0);
  });

  test('within Parquet goes on with the file from its start, and not with those before it', async () => {
    const inputs = [await events(ROWS)];
    const asked = { inputs, ...exact, outputFolder: join(cwd, 'out'), state: join(cwd, 's'), checkpoint: '1ms' };
    const stop = new AbortController();
    let seen = 0;
    const onElements = ({ length }: BigUint64Array) => {
      seen += length;
      if (seen > 3 * ROWS) stop.abort();
    };
    expect(await runFiles({ ...asked, signal: stop.signal, onElements })).toMatchObject({ interrupted: true });
    expect(readdirSync(join(cwd, 'out')).sort()).toEqual(names.slice(0, 3));
    expect(await runFiles(asked)).toMatchObject({ interrupted: false, records: 2 * ROWS });
    const whole = join(cwd, 'whole');
    await runFiles({ inputs, ...exact, outputFolder: whole });
    expect(await recordsOf(join(cwd, 'out'))).toBe(await recordsOf(whole));
    expect(await runFiles(asked)).toMatchObject({ records: 0 });
  });
});

describe('refuses, and writes nothing,', () => {
  test.each<[string, string[], RegExp]>([
    ['annotations', ['--emit', 'all', '--annotate', 'x'], /--annotate was given, but out\/groups\.parquet is Parquet/],
    ['counts', ['-a', 'exact', '--spill', '.', '--count'], /--count was given, but .*groups\.parquet is Parquet/],
    ['another format', ['--format', 'u64'], /the name of .*groups\.parquet says parquet, while it is read as u64/],
  ])('%s', async (_, flags, message) => {
    copyFileSync(parquetPath('groups'), join(cwd, 'groups.parquet'));
    const { code, stderr } = await runCommand(['groups.parquet', ...flags, '--output-folder', 'out'], { cwd });
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual(['groups.parquet']);
  });
});
