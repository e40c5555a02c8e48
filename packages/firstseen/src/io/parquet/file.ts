// A Parquet file, read in pieces: a row group, or a part of one that is large.

import type { FileHandle } from 'node:fs/promises';
import type { AsyncBuffer, Compressors, FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { FirstseenError } from '../../base/errors.js';
import type { Source } from '../source.js';
import { fillFrom } from '../system/fill.js';
import { inputError } from '../system/inputerror.js';
import { damaged, damagedColumn, damagedGroup } from './damage.js';
import { type KernelFunctions, kernelBytes, type NodeAddress, newKernel } from './kernel.js';
import { decompressors, type Leaf, LeafReader, leavesOf } from './leaves.js';
import { checkNames } from './names.js';
import { NodeMaker } from './nodes.js';
import { loadReading, type ParquetReading } from './packages.js';
import { type Field, fieldsOf } from './schema.js';

const MAGIC = 'PAR1';
/** The shortest file: two magic numbers, and the length of the footer between them. */
const MIN_BYTES = 12;

/** The most of a piece. Its values as objects take several times the bytes that they are encoded in. */
const PIECE_ROWS = 131_072;
const PIECE_BYTES = 16 * 2 ** 20;

/** Rows of one row group. */
export interface Piece {
  readonly group: number;
  /** The first row of its group. */
  readonly groupStart: number;
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
      yield { group, groupStart, start: groupStart + from, end: groupStart + end, bytes: share * Number(bytes) };
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

/** Bytes of lines after which they are given. */
const LINES_BYTES = 2 ** 17;

export class ParquetFile {
  readonly fields: readonly Field[];
  readonly #name: string;
  readonly #file: FileHandle;
  readonly #metadata: FileMetaData;
  readonly #kernel: KernelFunctions;
  readonly #leaves: readonly LeafReader[];
  readonly #groupEnds: readonly number[];
  /** The node of rows, when one has been written. */
  #root: NodeAddress | undefined;
  /** The next row, in a row group that has begun. */
  #next: { group: number; row: number } | undefined;

  private constructor(name: string, file: FileHandle, { metadata, fields }: ParquetDescription, decoding: Decoding) {
    this.fields = fields;
    this.#name = name;
    this.#file = file;
    this.#metadata = metadata;
    this.#kernel = decoding.kernel;
    this.#leaves = decoding.leaves.map((leaf) => new LeafReader(decoding.kernel, leaf, decoding.compressors));
    let bytes = 0;
    this.#groupEnds = metadata.row_groups.map(({ columns }) => {
      for (const { meta_data: column } of columns) bytes += Number(column?.total_compressed_size ?? 0);
      return bytes;
    });
  }

  /**
   * Opens a file to read its values.
   * @param file closed with it, and also when this fails
   * @param columns the names of the columns that are read; all by default
   * @throws FirstseenError E_INPUT when it is not a Parquet file, E_PACKAGE when a package is not installed.
   */
  static async open(name: string, file: FileHandle, columns?: ReadonlySet<string>): Promise<ParquetFile> {
    try {
      const parquetModules = await loadReading();
      const { metadata, fields } = await describe(name, file, parquetModules);
      const description = { metadata, fields: fields.filter((field) => columns?.has(field.name) ?? true) };
      const leaves = leavesOf(fields).filter(({ column }) => columns?.has(column) ?? true);
      const kernel = await newKernel({ hasDoubles: leaves.some(({ field }) => isFloating(field.element)) });
      return new ParquetFile(name, file, description, { kernel, leaves, compressors: decompressors(parquetModules) });
    } catch (cause) {
      await file.close();
      throw inputError(name, cause);
    }
  }

  /** Reads the metadata and the fields of a file. The file is closed. @throws FirstseenError as `open`. */
  static async describe(name: string, file: FileHandle): Promise<ParquetDescription> {
    try {
      return await describe(name, file, await loadReading());
    } catch (cause) {
      throw inputError(name, cause);
    } finally {
      await file.close();
    }
  }

  /** The number of its rows. */
  get rows(): number {
    return Number(this.#metadata.num_rows);
  }

  pieces(): Generator<Piece, void, undefined> {
    return piecesOf(this.#metadata);
  }

  /** The stored bytes of the columns up to the end of a row group. */
  bytesThrough(group: number): number {
    return this.#groupEnds[group] ?? 0;
  }

  /**
   * The rows of a piece as lines of JSON. The bytes are valid until more are asked for.
   * @throws FirstseenError E_INPUT when a page is damaged.
   */
  async *lines(piece: Piece): AsyncGenerator<Uint8Array, void, undefined> {
    const root = this.#rootOf(piece);
    this.#begin(piece);
    for (let row = piece.start; row < piece.end; ) {
      const rows = await this.#rowsReady(piece);
      const length = this.#write(root, Math.min(rows, piece.end - row), piece);
      row += this.#kernel.rowsWritten();
      this.#next = { group: piece.group, row };
      yield kernelBytes(this.#kernel, this.#kernel.textAddress(), length);
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** @throws FirstseenError E_INPUT for values that are not of the type of their column. */
  #rootOf({ group }: Piece): NodeAddress {
    try {
      const columns = new Map(this.#leaves.map(({ leaf, address }) => [leaf.field, address]));
      this.#root ??= new NodeMaker(this.#kernel, columns).root(this.fields);
      return this.#root;
    } catch (cause) {
      const where = `row group ${group + 1} has a value that is not of its column's type`;
      throw damaged(`cannot read ${this.#name}: ${where}`, cause);
    }
  }

  /** Begins the row group of a piece, unless its rows follow those that were read. */
  #begin(piece: Piece): void {
    if (this.#next?.group === piece.group && this.#next.row === piece.start) return;
    const { columns } = this.#metadata.row_groups[piece.group] as RowGroup;
    for (const leaf of this.#leaves) {
      leaf.begin(this.#file, columns[leaf.leaf.position]?.meta_data, piece.start - piece.groupStart);
    }
  }

  /** The number of rows of which all columns are decoded. */
  async #rowsReady({ group }: Piece): Promise<number> {
    let rows = Number.POSITIVE_INFINITY;
    for (const leaf of this.#leaves) {
      try {
        rows = Math.min(rows, await leaf.rowsReady());
      } catch (cause) {
        throw damagedColumn({ name: this.#name, group }, leaf.leaf, cause);
      }
    }
    return rows;
  }

  #write(root: NodeAddress, rows: number, { group }: Piece): number {
    try {
      return this.#kernel.writeRows(root, rows, LINES_BYTES);
    } catch (cause) {
      throw damagedGroup({ name: this.#name, group }, cause);
    }
  }
}

/** The means of decoding the values of a file. */
interface Decoding {
  readonly kernel: KernelFunctions;
  readonly leaves: readonly Leaf[];
  readonly compressors: Compressors;
}

function isFloating({ type, logical_type: logical }: SchemaElement): boolean {
  return type === 'DOUBLE' || logical?.type === 'FLOAT16';
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
