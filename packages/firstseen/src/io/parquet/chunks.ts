// Writes the selected rows of a column as a chunk of a row group.

import type { FileHandle } from 'node:fs/promises';
import type { ColumnMetaData } from 'hyparquet';
import { damagedColumn, type GroupPlace } from './damage.js';
import { type KernelFunctions, kernelBytes, type WriterAddress } from './kernel.js';
import { type LeafReader, typeNumber } from './leaves.js';
import { type Field, isText } from './schema.js';
import type { ThriftValue } from './thrift.js';
import { thriftTypes } from './thrift.js';
import { ThriftWriter } from './thriftwriter.js';

/** The function that takes the bytes of a file, in order. */
export type Append = (bytes: Uint8Array) => Promise<void>;

/** Numbers of the format. */
const pageTypes = { DATA: 0, DICTIONARY: 2 } as const;
const encodings = { PLAIN: 0, RLE: 3, RLE_DICTIONARY: 8 } as const;
const SNAPPY = 1;

/** The orders of values in the kernel, of types whose order is that of their stored values. */
const orders: Readonly<Record<string, number>> = { BOOLEAN: 1, INT32: 1, INT64: 1, FLOAT: 2, DOUBLE: 2 };
const NO_ORDER = 0;
const BYTES_ORDER = 3;
/** Longer bounds are left out. */
const MAX_BOUND_BYTES = 1024;

function orderOf({ kind, element }: Field): number {
  if (kind !== 'value') return NO_ORDER;
  const { type, converted_type: converted = '', logical_type: logical } = element;
  if (isText(element)) return BYTES_ORDER;
  const isUnsigned = converted.startsWith('UINT_') || (logical?.type === 'INTEGER' && !logical.isSigned);
  const isDecimal = converted === 'DECIMAL' || logical?.type === 'DECIMAL';
  return isUnsigned || isDecimal ? NO_ORDER : (orders[type ?? ''] ?? NO_ORDER);
}

/** The rows of a column in a row group of an input. */
export interface ChunkRows extends GroupPlace {
  readonly file: FileHandle;
  readonly metadata: ColumnMetaData | undefined;
  /** A byte for each row. */
  readonly selected: Uint8Array;
}

/** The place and the sizes of a chunk that was written. */
interface ChunkTotals {
  start: number;
  levels: number;
  plainBytes: number;
  storedBytes: number;
  dictionaryAt: number | undefined;
  dataAt: number | undefined;
}

/** Writes chunks of one column. */
export class ChunkWriter {
  readonly #kernel: KernelFunctions;
  readonly #reader: LeafReader;
  readonly #writer: WriterAddress;
  /** Pages that wait for their dictionary. */
  #pages: { bytes: Uint8Array; levels: number; plainBytes: number }[] = [];
  #isFrozen = false;
  #totals: ChunkTotals = {
    start: 0,
    levels: 0,
    plainBytes: 0,
    storedBytes: 0,
    dictionaryAt: undefined,
    dataAt: undefined,
  };

  constructor(kernel: KernelFunctions, reader: LeafReader, isTop: boolean) {
    this.#kernel = kernel;
    this.#reader = reader;
    this.#writer = kernel.newWriter(reader.address, isTop ? orderOf(reader.leaf.field) : NO_ORDER);
  }

  /** The column that it writes. */
  get leaf() {
    return this.#reader.leaf;
  }

  /**
   * Writes the selected rows.
   * @param at the position in the output
   * @param flagsAt room in the kernel for the flags of rows
   */
  async write(rows: readonly ChunkRows[], at: number, flagsAt: number, append: Append): Promise<void> {
    this.#totals = { start: at, levels: 0, plainBytes: 0, storedBytes: 0, dictionaryAt: undefined, dataAt: undefined };
    this.#pages = [];
    this.#isFrozen = false;
    const hasDictionary = rows.some(({ metadata }) => metadata?.dictionary_page_offset !== undefined);
    // The kernel makes plain values of the indices of nested columns.
    const isInterning = hasDictionary && this.#reader.leaf.maxRepetition > 0;
    this.#kernel.beginWriting(this.#writer, Number(isInterning));
    for (const one of rows) await this.#select(one, flagsAt, append);
    await this.#endPage(append);
    await this.#freeze(append);
  }

  /** The bytes of the chunk that was written last. */
  get storedBytes(): number {
    return this.#totals.storedBytes;
  }

  get plainBytes(): number {
    return this.#totals.plainBytes;
  }

  /** Describes the chunk in the index. @param path the path of the column as the index of an input has it */
  describe(index: ThriftWriter, path: ThriftValue, source: Uint8Array): void {
    const { start, levels, plainBytes, storedBytes, dictionaryAt, dataAt } = this.#totals;
    index.beginElement();
    index.i64(2, start);
    index.begin(3);
    index.i32(1, typeNumber(this.#reader.leaf.field.element));
    const used = [encodings.PLAIN, encodings.RLE, ...(dictionaryAt === undefined ? [] : [encodings.RLE_DICTIONARY])];
    index.list(2, thriftTypes.I32, used.length);
    for (const encoding of used) index.number(encoding);
    index.copied(3, path, source);
    index.i32(4, SNAPPY);
    index.i64(5, levels);
    index.i64(6, plainBytes);
    index.i64(7, storedBytes);
    index.i64(9, dataAt ?? start);
    if (dictionaryAt !== undefined) index.i64(11, dictionaryAt);
    this.#describeValues(index);
    index.end();
    index.end();
  }

  #describeValues(index: ThriftWriter): void {
    index.begin(12);
    index.i64(3, this.#kernel.nullCount(this.#writer));
    const [least, greatest] = [this.#bound(false), this.#bound(true)];
    if (least && greatest) {
      index.binary(5, greatest);
      index.binary(6, least);
    }
    index.end();
  }

  #bound(isGreatest: boolean): Uint8Array | undefined {
    const flag = Number(isGreatest);
    const length = this.#kernel.boundBytes(this.#writer, flag);
    if (length < 0 || length > MAX_BOUND_BYTES) return undefined;
    const bytes = kernelBytes(this.#kernel, this.#kernel.boundAt(this.#writer, flag), length).slice();
    const { type } = this.#reader.leaf.field.element;
    // Zero has a sign, and bounds are those of both.
    const isZero =
      (type === 'FLOAT' || type === 'DOUBLE') &&
      bytes.every((byte, i) => (i === length - 1 ? byte & 0x7f : byte) === 0);
    if (isZero) bytes[length - 1] = isGreatest ? 0 : 0x80;
    return bytes;
  }

  async #select(rowsOfChunk: ChunkRows, flagsAt: number, append: Append): Promise<void> {
    const { file, metadata, selected } = rowsOfChunk;
    this.#reader.begin(file, metadata, 0);
    this.#kernel.beginDictionary(this.#writer);
    kernelBytes(this.#kernel, flagsAt, selected.length).set(selected);
    for (let row = 0; row < selected.length; ) {
      const { rows, readRows } = await this.#selectReady(rowsOfChunk, flagsAt, row);
      row += readRows;
      if (readRows < rows) await this.#endPage(append);
    }
  }

  /** Selects from the rows that are decoded. */
  async #selectReady(rowsOfChunk: ChunkRows, flagsAt: number, row: number) {
    try {
      const rows = Math.min(await this.#reader.rowsReady(), rowsOfChunk.selected.length - row);
      return { rows, readRows: this.#kernel.selectRows(this.#writer, flagsAt + row, rows) };
    } catch (cause) {
      throw damagedColumn(rowsOfChunk, this.#reader.leaf, cause);
    }
  }

  async #endPage(append: Append): Promise<void> {
    const levels = this.#kernel.pageLevels(this.#writer);
    if (levels === 0) return;
    const isIndexed = this.#kernel.isPageIndexed(this.#writer) !== 0;
    // The dictionary is before the pages, and takes no more entries when a page has values of its own.
    if (!isIndexed) await this.#freeze(append);
    const plainBytes = this.#kernel.endPage(this.#writer);
    const page = this.#page(pageTypes.DATA, plainBytes, (head) => {
      head.begin(5);
      head.i32(1, levels);
      head.i32(2, isIndexed ? encodings.RLE_DICTIONARY : encodings.PLAIN);
      head.i32(3, encodings.RLE);
      head.i32(4, encodings.RLE);
      head.end();
    });
    if (this.#isFrozen) await this.#append({ ...page, levels }, append);
    else this.#pages.push({ ...page, levels });
  }

  async #freeze(append: Append): Promise<void> {
    if (this.#isFrozen) return;
    this.#isFrozen = true;
    const count = this.#kernel.entryCount(this.#writer);
    if (count > 0) await this.#appendDictionary(count, append);
    this.#kernel.freezeDictionary(this.#writer);
    for (const page of this.#pages) await this.#append(page, append);
    this.#pages = [];
  }

  async #appendDictionary(count: number, append: Append): Promise<void> {
    const plainBytes = this.#kernel.endDictionary(this.#writer);
    const page = this.#page(pageTypes.DICTIONARY, plainBytes, (head) => {
      head.begin(7);
      head.i32(1, count);
      head.i32(2, encodings.PLAIN);
      head.end();
    });
    const totals = this.#totals;
    totals.dictionaryAt = totals.start + totals.storedBytes;
    totals.plainBytes += page.plainBytes;
    totals.storedBytes += page.bytes.length;
    await append(page.bytes);
  }

  /** The page that the kernel has compressed. @returns its bytes with its head, and how many they are without compression */
  #page(type: number, plainBytes: number, describe: (head: ThriftWriter) => void) {
    const storedBytes = this.#kernel.compressedBytes(this.#writer);
    const head = new ThriftWriter();
    head.i32(1, type);
    head.i32(2, plainBytes);
    head.i32(3, storedBytes);
    describe(head);
    head.end();
    const headBytes = head.bytes();
    const stored = kernelBytes(this.#kernel, this.#kernel.compressedAt(this.#writer), storedBytes);
    return { bytes: Buffer.concat([headBytes, stored]), plainBytes: headBytes.length + plainBytes };
  }

  async #append(
    { bytes, levels, plainBytes }: { bytes: Uint8Array; levels: number; plainBytes: number },
    append: Append,
  ) {
    const totals = this.#totals;
    totals.dataAt ??= totals.start + totals.storedBytes;
    totals.levels += levels;
    totals.plainBytes += plainBytes;
    totals.storedBytes += bytes.length;
    await append(bytes);
  }
}
