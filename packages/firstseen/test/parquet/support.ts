// The Parquet files of the tests, and files that tests write.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';

export const parquetFolder = join(import.meta.dirname, 'files');

/** The path of a file of `make.py`. */
export function parquetPath(name: string): string {
  return join(parquetFolder, `${name}.parquet`);
}

/** The lines of a file of `make.py`, made from what pyarrow reads. */
export function linesOf(name: string): string {
  return readFileSync(join(parquetFolder, `${name}.ndjson`), 'utf8');
}

export interface EventsOptions {
  rows: number;
  groupRows: number;
}

/** Writes a file of events, of which about a third has an id for the first time. */
export function writeEvents(path: string, { rows, groupRows }: EventsOptions): void {
  const ids = BigInt64Array.from({ length: rows }, (_, i) => BigInt((i * 7919) % Math.ceil(rows / 3)) - 5n);
  const names = Array.from({ length: rows }, (_, i) => (i % 11 === 3 ? null : `name ${i % 1000}`));
  const columnData = [
    { name: 'id', data: ids, type: 'INT64' as const, nullable: false },
    { name: 'name', data: names, type: 'STRING' as const },
  ];
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: groupRows, pageSize: 4096 })));
}
