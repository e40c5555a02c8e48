// A Parquet file, read in pieces: a row group, or a part of one that is large.

import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { AsyncBuffer, DecodedArray, FileMetaData, ParquetScan, SchemaElement } from 'hyparquet';
import { FirstseenError } from '../../base/errors.js';
import type { Source } from '../source.js';
import { DamagedInput } from '../source.js';
import { fillFrom } from '../system/fill.js';
import { inputError } from '../system/inputerror.js';
import { checkNames } from './names.js';
import { loadReading, type ParquetReading } from './packages.js';
import { type Field, fieldsOf } from './schema.js';
import { textFromBytes } from './text.js';

const MAGIC = 'PAR1';
/** The shortest file: two magic numbers, and the length of the footer between them. */
const MIN_BYTES = 12;

/** The most of a piece. Its values as objects take several times the bytes that they are encoded in. */
const PIECE_ROWS = 131_072;
const PIECE_BYTES = 16 * 2 ** 20;

/** Rows of one row group. */
export interface Piece {
  readonly group: number;
  readonly start: number;
  readonly end: number;
  /** About how many bytes its values are encoded in, before compression. */
  readonly bytes: number;
}

/** The stored bytes of a file. */
function storedBytes(file: FileHandle, byteLength: number): AsyncBuffer {
  return {
    byteLength,
    async slice(start, end = byteLength) {
      const bytes = new Uint8Array(Math.max(0, end - start));
      if ((await fillFrom(file, bytes, start)) < bytes.length)
        throw new Error(`bytes ${start} to ${end} are beyond its end`);
      return bytes.buffer;
    },
  };
}

/** @throws FirstseenError E_INPUT when the file does not begin and end as Parquet does. */
async function checkMagic(name: string, { byteLength, slice }: AsyncBuffer): Promise<void> {
  const magicAt = async (at: number) => Buffer.from(await slice(at, at + MAGIC.length)).toString('latin1');
  if (byteLength >= MIN_BYTES && (await magicAt(0)) === MAGIC) {
    if ((await magicAt(byteLength - MAGIC.length)) === MAGIC) return;
    throw new FirstseenError('E_INPUT', `cannot read ${name}: its end is missing, where Parquet has its index`, {
      remedy: 'wait until it is written, or copy it again',
    });
  }
  throw new FirstseenError('E_INPUT', `cannot read ${name}: it is not a Parquet file`, {
    remedy: 'name the format of its records, or another file',
  });
}

/** The rows of the pieces of a group. */
function pieceRows(rows: number, bytes: number): number {
  const rowsOfBytes = Math.ceil(rows / Math.max(1, Math.ceil(bytes / PIECE_BYTES)));
  return Math.max(1, Math.min(PIECE_ROWS, rowsOfBytes));
}

function* piecesOf({ row_groups: groups }: FileMetaData): Generator<Piece, void, undefined> {
  let groupStart = 0;
  for (const [group, { num_rows: count, total_byte_size: bytes }] of groups.entries()) {
    const rows = Number(count);
    const maxRows = pieceRows(rows, Number(bytes));
    for (let from = 0; from < rows; from += maxRows) {
      const end = Math.min(rows, from + maxRows);
      const share = (end - from) / rows;
      yield { group, start: groupStart + from, end: groupStart + end, bytes: share * Number(bytes) };
    }
    groupStart += rows;
  }
}

/** The metadata and the fields of a Parquet file. */
export interface ParquetDescription {
  readonly metadata: FileMetaData;
  readonly fields: readonly Field[];
}

/** Returns the metadata and the fields of an input that is Parquet. */
export function descriptionOf({ description }: Source): ParquetDescription {
  return description as ParquetDescription;
}

/** A schema to read a file by (schema.ts). */
export type SchemaView = (schema: readonly SchemaElement[]) => SchemaElement[];

export class ParquetFile {
  readonly fields: readonly Field[];
  readonly #name: string;
  readonly #file: FileHandle;
  readonly #scan: ParquetScan;
  readonly #groupEnds: readonly number[];

  private constructor(name: string, file: FileHandle, scan: ParquetScan, fields: readonly Field[]) {
    this.fields = fields;
    this.#name = name;
    this.#file = file;
    this.#scan = scan;
    let bytes = 0;
    this.#groupEnds = scan.metadata.row_groups.map(({ columns }) => {
      for (const { meta_data: column } of columns) bytes += Number(column?.total_compressed_size ?? 0);
      return bytes;
    });
  }

  /**
   * Opens a file to read its values.
   * @param file closed with it, and also when this fails
   * @throws FirstseenError E_INPUT when it is not a Parquet file, E_PACKAGE when a package is not installed.
   */
  static async open(name: string, file: FileHandle, view: SchemaView): Promise<ParquetFile> {
    try {
      const parquetModules = await loadReading();
      const { buffer, metadata, fields } = await describe(name, file, parquetModules);
      const scan = await parquetModules.parquetScan({
        file: buffer,
        metadata: { ...metadata, schema: view(metadata.schema) },
        compressors: decompressors(parquetModules),
        parsers: { stringFromBytes: textFromBytes, timestampFromNanoseconds: (nanoseconds) => nanoseconds },
        utf8: false,
      });
      return new ParquetFile(name, file, scan, fields);
    } catch (cause) {
      await file.close();
      throw inputError(name, cause);
    }
  }

  /** Reads the metadata and the fields of a file. The file is closed. @throws FirstseenError as `open`. */
  static async describe(name: string, file: FileHandle): Promise<ParquetDescription> {
    try {
      const { metadata, fields } = await describe(name, file, await loadReading());
      return { metadata, fields };
    } catch (cause) {
      throw inputError(name, cause);
    } finally {
      await file.close();
    }
  }

  pieces(): Generator<Piece, void, undefined> {
    return piecesOf(this.#scan.metadata);
  }

  /** The stored bytes of the columns up to the end of a row group. */
  bytesThrough(group: number): number {
    return this.#groupEnds[group] ?? 0;
  }

  /** The values of the rows of a piece, column by column. @throws FirstseenError E_INPUT when a page is damaged. */
  async read(piece: Piece): Promise<DecodedArray[]> {
    const columns: DecodedArray[] = [];
    for (const { name } of this.fields) columns.push(await this.#readColumn(name, piece));
    return columns;
  }

  /** The error for values of a piece that are not of the type of their column. */
  otherType({ group }: Piece, cause: unknown): FirstseenError {
    return damaged(
      `cannot read ${this.#name}: row group ${group + 1} has a value that is not of its column's type`,
      cause,
    );
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #readColumn(column: string, { group, start, end }: Piece): Promise<DecodedArray> {
    try {
      const values = await this.#scan.readColumn({ column, rowStart: start, rowEnd: end });
      if (values.length === end - start) return values;
      throw new Error(`it has ${values.length} values for ${end - start} rows`);
    } catch (cause) {
      const where = `row group ${group + 1}, column ${JSON.stringify(column)}`;
      throw damaged(`cannot read ${this.#name}: ${where} is damaged or cannot be decoded`, cause);
    }
  }
}

function damaged(problem: string, cause: unknown): DamagedInput {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DamagedInput(`${problem}: ${reason}`, { remedy: 'copy or write the file again', cause });
}

async function describe(name: string, file: FileHandle, { parquetMetadataAsync }: ParquetReading) {
  const buffer = storedBytes(file, (await file.stat()).size);
  await checkMagic(name, buffer);
  const { metadata, fields } = await readIndex(name, buffer, parquetMetadataAsync);
  checkNames(name, fields);
  return { buffer, metadata, fields };
}

async function readIndex(
  name: string,
  buffer: AsyncBuffer,
  read: ParquetReading['parquetMetadataAsync'],
): Promise<ParquetDescription> {
  try {
    const metadata = await read(buffer, { geoparquet: false });
    return { metadata, fields: fieldsOf(metadata.schema) };
  } catch (cause) {
    throw damaged(`cannot read ${name}: its index is damaged`, cause);
  }
}

/** Node decompresses gzip and brotli several times faster than code in JavaScript. */
function decompressors({ compressors }: ParquetReading): ParquetReading['compressors'] {
  return {
    ...compressors,
    GZIP: (bytes) => gunzipSync(bytes),
    BROTLI: (bytes) => brotliDecompressSync(bytes),
  };
}
