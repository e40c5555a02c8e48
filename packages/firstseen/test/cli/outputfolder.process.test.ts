// An output folder has a file for each input, and never a part of one under its name.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { folderNames } from '../../src/io/file/foldersink.js';
import { suggestedFormat } from '../../src/io/formats.js';
import { writtenFormatOf } from '../../src/io/policies.js';
import { requestOf } from '../../src/io/sources.js';
import { runFiles } from '../../src/jobs/exact/run.js';
import { runDocuments } from '../../src/jobs/near/run.js';
import { runPassages } from '../../src/jobs/passages/run.js';
import type { RunProgress } from '../../src/run/runoptions.js';
import { writeEvents } from '../parquet/support.js';
import { temporaryFolder } from './support/command.js';

const BIG = 60_000;

function linesOf(from: number, to: number): string {
  let text = '';
  for (let i = from; i < to; i++) text += `{"id":${i},"text":"a${i} b${i} c${i} d${i} e${i} f${i}"}\n`;
  return text;
}

/** A folder with two files of records, the second compressed and below another folder. */
function shards(count = 40) {
  const folder = temporaryFolder(onTestFinished);
  const [input, output] = [join(folder, 'in'), join(folder, 'out')];
  mkdirSync(join(input, 'more'), { recursive: true });
  const [plain, packed] = [join(input, '0.jsonl'), join(input, 'more', '1.jsonl.gz')];
  writeFileSync(plain, linesOf(0, count));
  writeFileSync(packed, gzipSync(linesOf(count / 2, 2 * count)));
  return { folder, input, output, plain, packed };
}

const exact = (inputs: string[], outputFolder: string) => ({
  ...{ inputs, outputFolder, keys: ['id'] },
  detector: { algorithm: 'exact' as const, memory: '16MiB' },
});

test('each input of a folder has a file with its name and compression', async () => {
  const { input, output } = shards();
  await runDocuments({ inputs: [input], outputFolder: output });
  expect(readFileSync(join(output, '0.jsonl'), 'utf8')).toBe(linesOf(0, 40));
  expect(gunzipSync(readFileSync(join(output, 'more', '1.jsonl.gz'))).toString()).toBe(linesOf(40, 80));
});

test('a run that fails leaves no part of a file', async () => {
  const { plain, packed, output } = shards();
  writeFileSync(plain, `${linesOf(0, 40)}{"id":`);
  await expect(runFiles(exact([packed, plain], output))).rejects.toMatchObject({ code: 'E_RECORD' });
  expect(readdirSync(output)).toEqual(['1.jsonl.gz']);
});

test('a run that was stopped goes on to the same files', async () => {
  const { folder, plain, packed, output } = shards(BIG);
  const whole = join(folder, 'whole');
  await runFiles(exact([packed, plain], whole));
  const state = join(folder, 'state');
  const seen: boolean[] = [];
  for (let runs = 0; runs < 3; runs++) {
    const stop = new AbortController();
    const onProgress = ({ inputBytes }: RunProgress) => {
      if (runs < 2 && inputBytes > 0) stop.abort();
    };
    const { interrupted } = await runFiles({
      ...exact([packed, plain], output),
      state,
      signal: stop.signal,
      onProgress,
    });
    seen.push(interrupted);
    for (const name of ['0.jsonl', '1.jsonl.gz'].filter((one) => existsSync(join(output, one)))) {
      expect(readFileSync(join(output, name)).equals(readFileSync(join(whole, name)))).toBe(true);
    }
  }
  expect(seen).toEqual([true, true, false]);
  for (const name of ['0.jsonl', '1.jsonl.gz']) {
    expect(readFileSync(join(output, name)).equals(readFileSync(join(whole, name)))).toBe(true);
  }
  expect(readdirSync(output).sort()).toEqual(['0.jsonl', '1.jsonl.gz']);
});

test('a table has its header in each file', async () => {
  const { folder, output } = shards();
  const files = [join(folder, 'a.csv'), join(folder, 'b.csv')] as const;
  writeFileSync(files[0], 'id\n1\n2\n');
  writeFileSync(files[1], 'id\n2\n3\n');
  await runFiles(exact([...files], output));
  expect(readFileSync(join(output, 'b.csv'), 'utf8')).toBe('id\n3\n');
});

test.each([
  ['a.csv', 'spans', 'a.csv.jsonl'],
  ['a.tsv', 'spans', 'a.tsv.jsonl'],
  ['A.CSV.GZ', 'spans', 'A.CSV.jsonl.GZ'],
  ['a.parquet', 'rewritten', 'a.parquet.jsonl'],
  ['a.jsonl.gz', 'spans', 'a.jsonl.gz'],
  ['a.json', 'attributes', 'a.json'],
  ['part-0', 'spans', 'part-0'],
  ['a.jsonl.gz', 'ids', 'a.jsonl.tsv.gz'],
  ['a.tsv', 'ids', 'a.tsv'],
  ['a.u64', 'verdicts', 'a.u64.txt'],
  ['a.csv', 'documents', 'a.csv'],
  ['a.warc.gz', 'spans', 'a.warc.jsonl.gz'],
  ['a.warc.gz', 'rewritten', 'a.warc.gz'],
] as const)('the file for %s with %s is %s', (input, emit, name) => {
  const written = writtenFormatOf(emit, suggestedFormat(requestOf(input)) ?? 'lines');
  expect(folderNames({ given: ['in'], written })(`in/${input}`)).toBe(name);
});

test('a table whose passages are written as lines of JSON has a file with the name of such lines', async () => {
  const { folder, output } = shards();
  const table = join(folder, 'a.csv');
  writeFileSync(table, 'id,text\n1,one\n2,one\n');
  const asked = { inputs: [table], outputFolder: output, state: join(folder, 'state') };
  await runPassages(asked);
  expect(readdirSync(output)).toEqual(['a.csv.jsonl']);
  const [, second] = readFileSync(join(output, 'a.csv.jsonl'), 'utf8').trimEnd().split('\n');
  expect(JSON.parse(second as string)).toEqual({ attributes: { duplicates: [[0, 3, 1]] }, id: '2' });
  expect(await runPassages(asked)).toMatchObject({ records: 0 });
  const likewise = join(folder, 'a.csv.jsonl');
  writeFileSync(likewise, linesOf(0, 2));
  await expect(runPassages({ ...asked, inputs: [table, likewise], format: 'csv' })).rejects.toMatchObject({
    code: 'E_USAGE',
    message: expect.stringContaining('would both be written as a.csv.jsonl'),
  });
});

test('records of Parquet that are written as lines have files of lines', async () => {
  const { folder, output } = shards();
  const file = join(folder, 'a.parquet');
  writeEvents(file, { rows: 60, groupRows: 20 });
  const asked = { inputs: [file], outputFolder: output, textKey: 'name', missingKey: 'drop' } as const;
  await runPassages({ ...asked, emit: 'rewritten' });
  const lines = readFileSync(join(output, 'a.parquet.jsonl'), 'utf8').trimEnd().split('\n');
  expect(JSON.parse(lines[0] as string)).toEqual({ id: -5, name: 'name 0' });
});

test('nothing is written when two files would have one name, or the folder is in the input', async () => {
  const { input, packed, output } = shards();
  writeFileSync(join(input, '1.jsonl.gz'), gzipSync(''));
  await expect(runFiles(exact([packed, join(input, '1.jsonl.gz')], output))).rejects.toMatchObject({ code: 'E_USAGE' });
  expect(existsSync(output)).toBe(false);
  const inside = join(input, 'out');
  await expect(runDocuments({ inputs: [input], outputFolder: inside })).rejects.toMatchObject({ code: 'E_USAGE' });
  await expect(runFiles(exact([packed], join(input, 'more')))).rejects.toMatchObject({ code: 'E_USAGE' });
  expect(existsSync(inside)).toBe(false);
});

test('what cannot be a folder, or is not writable, is named', async () => {
  const { folder, input } = shards();
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const refused = { code: 'E_OUTPUT', message: expect.stringContaining(file) };
  await expect(runFiles(exact([input], file))).rejects.toMatchObject(refused);
  await expect(runFiles(exact([input], join(file, 'below')))).rejects.toMatchObject(refused);
});
