// Copies rows of Parquet files to a new one of the same schema. Row groups that stay whole are copied as they are stored. Of others,
// the selected values of each column are copied as they are stored, so nothing is rounded.

import type { FileHandle } from 'node:fs/promises';
import type { FileMetaData, RowGroup } from 'hyparquet';
import { fillFrom } from '../system/fill.js';
import { type Append, ChunkWriter } from './chunks.js';
import { damagedGroup, type GroupPlace } from './damage.js';
import { type KernelFunctions, newKernel } from './kernel.js';
import { decompressors, LeafReader, leavesOf, placeOf } from './leaves.js';
import { loadReading } from './packages.js';
import { fieldsOf } from './schema.js';
import { readStruct, type ThriftFields, type ThriftValue, thriftTypes } from './thrift.js';
import { ThriftWriter } from './thriftwriter.js';

const MAGIC = Buffer.from('PAR1');
/** The length of the index and the magic number after it. */
const TAIL_BYTES = 8;
/** Rows of smaller row groups are joined until they are so many. */
const GROUP_ROWS = 131_072;
/** Bytes of a row group that are copied at once. */
const COPY_BYTES = 2 ** 20;
/** Files that are open at most while their rows wait to be joined. */
const MAX_WAITING_FILES = 64;

/** The index of a file as it is stored. */
export interface StoredIndex {
  readonly bytes: Uint8Array;
  readonly fields: ThriftFields;
}

/** Reads the index of a file. */
export async function readIndexOf(file: FileHandle): Promise<StoredIndex> {
  const { size } = await file.stat();
  const tail = Buffer.alloc(TAIL_BYTES);
  await fillFrom(file, tail, size - TAIL_BYTES);
  const bytes = new Uint8Array(tail.readUInt32LE(0));
  await fillFrom(file, bytes, size - TAIL_BYTES - bytes.length);
  return { bytes, fields: readStruct(bytes).fields };
}

/** A row group of an input, some rows of which are selected. */
export interface SelectedGroup extends GroupPlace {
  readonly file: FileHandle;
  readonly index: StoredIndex;
  readonly metadata: FileMetaData;
  /** A byte for each row. */
  readonly selected: Uint8Array;
  readonly selectedRows: number;
}

function rowGroupOf({ metadata, group }: SelectedGroup): RowGroup {
  return metadata.row_groups[group] as RowGroup;
}

/** The description of a row group in the index of its file. */
function storedGroupOf({ index, group }: SelectedGroup): ThriftFields {
  return index.fields.get(4)?.elements?.[group]?.fields as ThriftFields;
}

/** Writes rows of files with one schema. */
export class RowCopy {
  readonly #kernel: KernelFunctions;
  readonly #append: Append;
  readonly #writers: readonly ChunkWriter[];
  /** The index of the first input, from which that of the output has its schema. */
  readonly #index: StoredIndex;
  /** The descriptions of the row groups that were written. */
  readonly #groups: Uint8Array[] = [];
  #at = 0;
  #rows = 0;
  /** Groups whose rows wait to be joined. */
  #waiting: SelectedGroup[] = [];
  #waitingRows = 0;
  /** Room in the kernel for flags of rows. */
  #flags = { at: 0, bytes: 0 };

  private constructor(kernel: KernelFunctions, writers: readonly ChunkWriter[], index: StoredIndex, append: Append) {
    this.#kernel = kernel;
    this.#writers = writers;
    this.#index = index;
    this.#append = append;
  }

  /**
   * @param metadata that of a file with the same schema
   * @throws FirstseenError E_PACKAGE when a package is not installed.
   */
  static async begin({ schema }: FileMetaData, index: StoredIndex, append: Append): Promise<RowCopy> {
    const compressors = decompressors(await loadReading());
    const kernel = await newKernel({ hasDoubles: false });
    const fields = fieldsOf(schema);
    const writers = leavesOf(fields).map(
      (leaf) => new ChunkWriter(kernel, new LeafReader(kernel, leaf, compressors), fields.includes(leaf.field)),
    );
    const copy = new RowCopy(kernel, writers, index, append);
    await copy.#write(MAGIC);
    return copy;
  }

  /** Tells if a file must stay open. */
  isWaitingFor(file: FileHandle): boolean {
    return this.#waiting.some((group) => group.file === file);
  }

  /** Adds the selected rows of a row group. */
  async add(group: SelectedGroup): Promise<void> {
    if (group.selectedRows === group.selected.length) {
      await this.writeWaiting();
      await this.#copyWhole(group);
      return;
    }
    if (group.selectedRows >= GROUP_ROWS) await this.writeWaiting();
    this.#waiting.push(group);
    this.#waitingRows += group.selectedRows;
    const files = new Set(this.#waiting.map(({ file }) => file));
    if (this.#waitingRows >= GROUP_ROWS || files.size >= MAX_WAITING_FILES) await this.writeWaiting();
  }

  /** Writes the rows that wait as a row group. */
  async writeWaiting(): Promise<void> {
    if (this.#waitingRows > 0) await this.#writeJoined(this.#waiting, this.#waitingRows);
    this.#waiting = [];
    this.#waitingRows = 0;
  }

  /** Writes the last rows and the index. */
  async finish(): Promise<void> {
    await this.writeWaiting();
    const index = new ThriftWriter();
    index.i32(1, 2);
    this.#copyField(index, 2);
    index.i64(3, this.#rows);
    index.list(4, thriftTypes.STRUCT, this.#groups.length);
    for (const group of this.#groups) index.raw(group);
    this.#copyField(index, 5);
    index.binary(6, Buffer.from('firstseen'));
    this.#copyField(index, 7);
    index.end();
    const tail = Buffer.alloc(4);
    tail.writeUInt32LE(index.bytes().length);
    await this.#write(Buffer.concat([index.bytes(), tail, MAGIC]));
  }

  #copyField(index: ThriftWriter, id: number): void {
    const value = this.#index.fields.get(id);
    if (value) index.copied(id, value, this.#index.bytes);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#append(bytes);
    this.#at += bytes.length;
  }

  async #copyWhole(group: SelectedGroup): Promise<void> {
    const stored = storedGroupOf(group);
    const start = this.#at;
    const { columns } = rowGroupOf(group);
    const description = new ThriftWriter();
    description.list(1, thriftTypes.STRUCT, columns.length);
    for (const [i, { meta_data: column }] of columns.entries()) {
      if (column === undefined) throw damagedGroup(group, new Error('the place of a column is not in the index'));
      const place = placeOf(column);
      const chunk = stored.get(1)?.elements?.[i] as ThriftValue;
      describeMoved(description, chunk.fields as ThriftFields, {
        source: group.index.bytes,
        from: place.start,
        to: this.#at,
      });
      await this.#copyBytes(group, place.start, place.end);
    }
    for (const id of [2, 3, 4]) copyIfThere(description, stored, id, group.index.bytes);
    description.i64(5, start);
    description.i64(6, this.#at - start);
    this.#endGroup(description, group.selectedRows);
  }

  async #copyBytes(group: SelectedGroup, start: number, end: number): Promise<void> {
    const bytes = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - start));
    for (let at = start; at < end; at += bytes.length) {
      const part = bytes.subarray(0, Math.min(bytes.length, end - at));
      if ((await fillFrom(group.file, part, at)) < part.length) {
        throw damagedGroup(group, new Error(`bytes ${at} to ${end} are beyond its end`));
      }
      await this.#write(part);
    }
  }

  async #writeJoined(groups: readonly SelectedGroup[], rows: number): Promise<void> {
    const [first] = groups as [SelectedGroup, ...SelectedGroup[]];
    const stored = storedGroupOf(first);
    const start = this.#at;
    const flagsAt = this.#roomForFlags(Math.max(...groups.map(({ selected }) => selected.length)));
    const description = new ThriftWriter();
    description.list(1, thriftTypes.STRUCT, this.#writers.length);
    let plainBytes = 0;
    for (const [i, writer] of this.#writers.entries()) {
      const chunks = groups.map((group) => ({ ...group, metadata: rowGroupOf(group).columns[i]?.meta_data }));
      await writer.write(chunks, this.#at, flagsAt, (bytes) => this.#write(bytes));
      plainBytes += writer.plainBytes;
      const path = stored.get(1)?.elements?.[i]?.fields?.get(3)?.fields?.get(3) as ThriftValue;
      writer.describe(description, path, first.index.bytes);
    }
    description.i64(2, plainBytes);
    description.i64(3, rows);
    // Rows of one group keep their order.
    if (groups.length === 1) copyIfThere(description, stored, 4, first.index.bytes);
    description.i64(5, start);
    description.i64(6, this.#at - start);
    this.#endGroup(description, rows);
  }

  #endGroup(description: ThriftWriter, rows: number): void {
    description.end();
    this.#groups.push(description.bytes());
    this.#rows += rows;
  }

  #roomForFlags(bytes: number): number {
    if (bytes > this.#flags.bytes) this.#flags = { at: this.#kernel.region(bytes), bytes };
    return this.#flags.at;
  }
}

function copyIfThere(target: ThriftWriter, fields: ThriftFields, id: number, source: Uint8Array): void {
  const value = fields.get(id);
  if (value) target.copied(id, value, source);
}

/** The positions in the description of a chunk: of its pages. */
const positions: ReadonlySet<number> = new Set([9, 10, 11]);
/** The fields of what is elsewhere in the file, and is not copied: Bloom filters. */
const notCopied: ReadonlySet<number> = new Set([14, 15]);

interface Move {
  readonly source: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** Describes a chunk that was moved. */
function describeMoved(target: ThriftWriter, chunk: ThriftFields, { source, from, to }: Move): void {
  target.beginElement();
  target.i64(2, to);
  target.begin(3);
  for (const [id, value] of chunk.get(3)?.fields ?? []) {
    if (notCopied.has(id)) continue;
    if (!positions.has(id)) target.copied(id, value, source);
    else if (value.number > 0) target.i64(id, value.number - from + to);
  }
  target.end();
  target.end();
}
