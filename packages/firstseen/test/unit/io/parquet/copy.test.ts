// Copies of Parquet files: row groups that stay whole keep their bytes, and others the values of the rows that stay.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RowCopy, readIndexOf } from '../../../../src/io/parquet/copy.js';
import { lookAtInput, requestOf } from '../../../../src/io/sources.js';
import { linesOf, parquetPath } from '../../../parquet/support.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'firstseen-parquet-copy-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function metadataOf(path: string): FileMetaData {
  return parquetMetadata(readFileSync(path), { geoparquet: false });
}

/** Adds the selected rows of a file. */
async function addFile(copy: RowCopy, file: FileHandle, path: string, isSelected: (row: number) => boolean) {
  const metadata = metadataOf(path);
  const index = await readIndexOf(file);
  let row = 0;
  for (const [group, { num_rows: rows }] of metadata.row_groups.entries()) {
    const start = row;
    const selected = Uint8Array.from({ length: Number(rows) }, (_, i) => Number(isSelected(start + i)));
    row += selected.length;
    const selectedRows = selected.filter((flag) => flag === 1).length;
    if (selectedRows > 0) await copy.add({ name: path, file, index, metadata, group, selected, selectedRows });
  }
}

/** Copies the selected rows of files to a new one, and returns its path. */
async function copyOf(paths: readonly string[], isSelected: (row: number) => boolean): Promise<string> {
  const target = join(folder, 'copy.parquet');
  const output = await open(target, 'w');
  const files = await Promise.all(paths.map((path) => open(path)));
  const [first] = files as [FileHandle];
  const append = (bytes: Uint8Array) => output.writeFile(bytes);
  const copy = await RowCopy.begin(metadataOf(paths[0] as string), await readIndexOf(first), append);
  for (const [i, path] of paths.entries()) await addFile(copy, files[i] as FileHandle, path, isSelected);
  await copy.finish();
  await Promise.all([output, ...files].map((file) => file.close()));
  return target;
}

async function rowsOf(path: string): Promise<string> {
  const source = await lookAtInput(requestOf(path), 'ndjson');
  const reader = await source.open();
  const parts: Buffer[] = [];
  for (;;) {
    const target = new Uint8Array(4096);
    const read = await reader.read(target);
    if (read === 0) break;
    parts.push(Buffer.from(target.subarray(0, read)));
  }
  await reader.close();
  return Buffer.concat(parts).toString();
}

function selectedLines(names: readonly string[], isSelected: (row: number) => boolean): string {
  return names
    .flatMap((name) =>
      linesOf(name)
        .split(/(?<=\n)/)
        .filter((line, row) => line !== '' && isSelected(row)),
    )
    .join('');
}

const codecs = ['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'].map((codec) => `codec-${codec}`);
const names = ['types', 'nested', 'groups', 'pages', 'int96', 'bytes-as-text', 'names-apart', ...codecs];

test.each(names)('some rows of %s keep their values, and the columns their types', async (name) => {
  for (const isSelected of [(row: number) => row % 3 !== 1, (row: number) => row === 2]) {
    const path = await copyOf([parquetPath(name)], isSelected);
    expect(await rowsOf(path)).toBe(selectedLines([name], isSelected));
    const [before, after] = [metadataOf(parquetPath(name)), metadataOf(path)];
    expect(after.schema).toEqual(before.schema);
    expect(after.key_value_metadata).toEqual(before.key_value_metadata);
  }
});

test('rows of row groups that are small are joined, with one dictionary', async () => {
  const isSelected = (row: number) => row % 3 === 0;
  const path = await copyOf([parquetPath('pages'), parquetPath('groups'), parquetPath('codec-gzip')], isSelected);
  expect(await rowsOf(path)).toBe(selectedLines(['pages', 'groups', 'codec-gzip'], isSelected));
  const { row_groups: groups } = metadataOf(path);
  expect(groups).toHaveLength(1);
  expect(groups[0]?.columns[2]?.meta_data?.statistics).toMatchObject({
    min_value: 'name 0',
    max_value: 'name 9',
    null_count: 42n,
  });
});

/** The stored bytes of the columns of a row group. */
function storedColumns(path: string, group: number): Buffer[] {
  const bytes = readFileSync(path);
  return (metadataOf(path).row_groups[group]?.columns ?? []).map(({ meta_data: column }) => {
    const start = Number(column?.dictionary_page_offset ?? column?.data_page_offset);
    return bytes.subarray(start, start + Number(column?.total_compressed_size));
  });
}

test.each(['groups', ...codecs])('row groups of %s that stay whole are the same bytes', async (name) => {
  // All but one row of the third row group.
  const isSelected = (row: number) => row !== 120;
  const path = await copyOf([parquetPath(name)], isSelected);
  expect(await rowsOf(path)).toBe(selectedLines([name], isSelected));
  const [before, after] = [metadataOf(parquetPath(name)), metadataOf(path)];
  expect(after.row_groups).toHaveLength(before.row_groups.length);
  for (const [group, { columns }] of before.row_groups.entries()) {
    if (name === 'groups' && group === 2) continue;
    expect(storedColumns(path, group)).toEqual(storedColumns(parquetPath(name), group));
    for (const [i, { meta_data: column }] of columns.entries()) {
      const copied = after.row_groups[group]?.columns[i]?.meta_data;
      expect(copied?.statistics).toEqual(column?.statistics);
      expect([copied?.codec, copied?.encodings]).toEqual([column?.codec, column?.encodings]);
    }
  }
});
