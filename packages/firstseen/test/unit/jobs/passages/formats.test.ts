// Passages of texts in columns: of CSV, TSV and Parquet.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { beforeEach, expect, test } from 'vitest';
import type { PassageOptions } from '../../../../src/jobs/passages/passageoptions.js';
import { runPassages } from '../../../../src/jobs/passages/run.js';
import { temporaryFolder } from '../../../cli/support/command.js';

const detector = { memory: '8MiB', algorithm: 'exact' } as const;
const rows = [
  { id: 'a', text: 'Menu\nOne "page".' },
  { id: 'b;"c"', text: 'Menu\nAnother; page.' },
  { id: 'd', text: '' },
  { id: 'e', text: 'Menu\nOne "page".' },
];
/** The same records, so that no answer is typed twice. */
const ndjson = rows.map((row) => `${JSON.stringify(row)}\n`);

let folder = '';
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

async function run(name: string, contents: string | undefined, own: Partial<PassageOptions> = {}) {
  if (contents !== undefined) writeFileSync(at(name), contents);
  const output = own.output ?? at('out');
  const stats = await runPassages({ inputs: [at(name)], detector, ...own, output });
  return { stats, written: readFileSync(output, 'latin1') };
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

function csvRows({ delimiter = ',', newline = '\n' } = {}): string[] {
  return rows.map(({ id, text }) => `7${delimiter}${quoted(text)}${delimiter}${quoted(id)}${newline}`);
}

test('spans of csv are those of the same records of NDJSON', async () => {
  const { written: expected } = await run('in.jsonl', ndjson.join(''));
  expect(expected.match(/\[\d/g)).not.toBeNull();
  for (const newline of ['\n', '\r\n']) {
    const header = `number,text,id${newline}`;
    expect((await run('in.csv', header + csvRows({ newline }).join(''))).written).toBe(expected);
    expect((await run('in.csv', (header + csvRows({ newline }).join('')).trimEnd())).written).toBe(expected);
  }
});

test('a dialect, one that the input names, and numbers of columns are read', async () => {
  const { written: expected } = await run('in.jsonl', ndjson.join(''));
  const lines = csvRows({ delimiter: ';' }).join('');
  const named = await run('in.csv', `number;text;id\n${lines}`, { delimiter: ';' });
  expect(named.written).toBe(expected);
  expect((await run('in.csv', `sep=;\nnumber;text;id\n${lines}`, { onWarning: () => undefined })).written).toBe(
    expected,
  );
  const numbered = { delimiter: ';', hasHeader: false, textKey: '2', idKey: '3' };
  expect((await run('in.csv', lines, numbered)).written).toBe(expected);
});

test('documents of csv are rows, below the header', async () => {
  const lines = csvRows();
  const { stats, written } = await run('in.csv', `number,text,id\n${lines.join('')}`, { emit: 'documents' });
  expect(written).toBe(`number,text,id\n${lines.slice(0, 3).join('')}`);
  expect(stats.passages.documentsDropped).toBe(1);
});

test('a text of tsv is one line', async () => {
  const contents = 'id\ttext\n1\t"a b"\n2\tc\n"3"\t"a b"\n4\n';
  const { written } = await run('in.tsv', contents, { missingKey: 'distinct' });
  expect(written.split('\n').map((line) => line && JSON.parse(line))).toEqual([
    { attributes: { duplicates: [] }, id: '1' },
    { attributes: { duplicates: [] }, id: '2' },
    { attributes: { duplicates: [[0, 5, 1]] }, id: '"3"' },
    { attributes: {}, id: '4' },
    '',
  ]);
});

test('a run that goes on in a table finds the column of names again', async () => {
  const lines = csvRows();
  const header = 'number,text,id\n';
  const own = { state: at('state') };
  await run('in.csv', header + lines.slice(0, 2).join(''), own);
  const { written } = await run('in.csv', header + lines.join(''), own);
  expect(written).toBe((await run('in.jsonl', ndjson.join(''))).written);
});

test('a column that is missing is told', async () => {
  await expect(run('in.csv', 'text\na\n')).rejects.toMatchObject({ code: 'E_USAGE', option: 'idKey' });
  await expect(run('in.csv', 'id\na\n')).rejects.toMatchObject({ code: 'E_USAGE' });
  await expect(run('in.csv', '1,a\n', { hasHeader: false, textKey: '2' })).rejects.toMatchObject({
    ...{ code: 'E_USAGE', option: 'idKey' },
  });
});

function writeParquet(name: string): void {
  const columnData = (['id', 'text'] as const).map((key) => {
    return { name: key, data: rows.map((row) => row[key]), type: 'STRING' as const };
  });
  writeFileSync(at(name), new Uint8Array(parquetWriteBuffer({ columnData })));
}

test('spans and rewritten records of Parquet are those of the same records of NDJSON, also side by side', async () => {
  writeParquet('in.parquet');
  for (const emit of ['spans', 'rewritten'] as const) {
    const { written: expected } = await run('in.jsonl', ndjson.join(''), { emit });
    expect((await run('in.parquet', undefined, { emit })).written).toBe(expected);
    const { written: twice } = await run('two.jsonl', ndjson.join('').repeat(2), { emit });
    const both = await run('in.jsonl', undefined, { emit, inputs: [at('in.jsonl'), at('in.parquet')] });
    expect(both.written).toBe(twice);
  }
});

test('documents of Parquet are rows of Parquet if the output is', async () => {
  writeParquet('in.parquet');
  await run('in.parquet', undefined, { emit: 'documents', output: at('out.parquet') });
  const { buffer, byteOffset, byteLength } = readFileSync(at('out.parquet'));
  const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual(rows.slice(0, 3));
  for (const emit of ['spans', 'rewritten'] as const) {
    await expect(run('in.parquet', undefined, { emit, output: at('out.parquet') })).rejects.toMatchObject({
      ...{ code: 'E_USAGE', option: 'emit' },
    });
  }
});
