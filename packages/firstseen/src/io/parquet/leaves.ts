// The columns of a Parquet file in a kernel: their values are decoded page by page.

import type { FileHandle } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ColumnMetaData, Compressors, SchemaElement } from 'hyparquet';
import { type ColumnAddress, type KernelFunctions, kernelBytes } from './kernel.js';
import { type Page, PageReader } from './pages.js';
import type { Field } from './schema.js';

/** The physical types in the order of their numbers in the format. */
const types = ['BOOLEAN', 'INT32', 'INT64', 'INT96', 'FLOAT', 'DOUBLE', 'BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'];
const widths: Readonly<Record<string, number>> = { BOOLEAN: 1, INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 };

/** A column without columns below it. */
export interface Leaf {
  readonly field: Field;
  /** Its position among the columns of a row group. */
  readonly position: number;
  /** The name of the column of the file that it is a part of. */
  readonly column: string;
  readonly maxDefinition: number;
  readonly maxRepetition: number;
}

/** The columns that have values, in the order of the schema, which is that of the columns of a row group. */
export function leavesOf(fields: readonly Field[]): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (field: Field, column: string, maxDefinition: number, maxRepetition: number): void => {
    const { repetition_type: kind } = field.element;
    const definition = maxDefinition + (kind === 'REQUIRED' ? 0 : 1);
    const repetition = maxRepetition + (kind === 'REPEATED' ? 1 : 0);
    if (field.children.length === 0) {
      const position = leaves.length;
      leaves.push({ field, position, column, maxDefinition: definition, maxRepetition: repetition });
    }
    for (const child of field.children) visit(child, column, definition, repetition);
  };
  for (const field of fields) visit(field, field.name, 0, 0);
  return leaves;
}

/** Node decompresses some of them several times faster than code in JavaScript. */
export function decompressors({ compressors }: { compressors: Compressors }): Compressors {
  return {
    ...compressors,
    GZIP: (bytes) => gunzipSync(bytes),
    BROTLI: (bytes) => brotliDecompressSync(bytes),
  };
}

/** The number of a physical type in the format. */
export function typeNumber({ type }: SchemaElement): number {
  return types.indexOf(type as string);
}

function widthOf({ type, type_length: length }: SchemaElement): number {
  if (type !== 'FIXED_LEN_BYTE_ARRAY') return widths[type as string] ?? 0;
  if (length === undefined || length <= 0) throw new Error('its values have no length');
  return length;
}

/** The place of a column of a row group in the file. */
export function placeOf({
  dictionary_page_offset: dictionary,
  data_page_offset: data,
  total_compressed_size: size,
}: ColumnMetaData) {
  const start = Number(dictionary) || Number(data);
  return { start, end: start + Number(size) };
}

/** Decodes the values of a column in a kernel. */
export class LeafReader {
  readonly leaf: Leaf;
  readonly address: ColumnAddress;
  readonly #kernel: KernelFunctions;
  readonly #compressors: Compressors;
  #metadata: ColumnMetaData | undefined;
  #pages: PageReader | undefined;
  /** Levels of the row group that were read. */
  #levels = 0;
  /** Rows that come before those which are read. */
  #rowsToPass = 0;

  constructor(kernel: KernelFunctions, leaf: Leaf, compressors: Compressors) {
    this.leaf = leaf;
    this.#kernel = kernel;
    this.#compressors = compressors;
    const { element } = leaf.field;
    const { maxDefinition, maxRepetition } = leaf;
    this.address = kernel.newColumn(typeNumber(element), widthOf(element), maxDefinition, maxRepetition);
  }

  /** Begins a row group, of which the first rows are not read. */
  begin(file: FileHandle, metadata: ColumnMetaData | undefined, rowsToPass: number): void {
    this.#kernel.beginChunk(this.address);
    this.#metadata = metadata;
    this.#pages = metadata && new PageReader(file, placeOf(metadata));
    this.#levels = 0;
    this.#rowsToPass = rowsToPass;
  }

  /** The number of rows that can be read at once, at least one. @throws Error for what is damaged */
  async rowsReady(): Promise<number> {
    for (;;) {
      const rows = this.#kernel.rowsLeft(this.address, Number(this.#isLast));
      const passedRows = Math.min(rows, this.#rowsToPass);
      if (passedRows > 0) this.#kernel.passRows(this.address, passedRows);
      this.#rowsToPass -= passedRows;
      if (rows > passedRows) return rows - passedRows;
      await this.#load();
    }
  }

  get #isLast(): boolean {
    return this.#levels >= Number(this.#metadata?.num_values ?? 0);
  }

  async #load(): Promise<void> {
    if (!this.#metadata) throw new Error('its place is not in the index');
    const page = this.#isLast ? undefined : await this.#pages?.next();
    if (!page) throw new Error(`it has only ${this.#levels} of ${this.#metadata.num_values} values, or too few rows`);
    if (page.isDictionary) {
      this.#decompress(page);
      this.#kernel.loadDictionary(this.address, page.count);
      return;
    }
    this.#levels += page.count;
    if (this.#levels > Number(this.#metadata.num_values)) throw new Error('a page has more values than its column');
    if (this.leaf.maxRepetition === 0 && page.count <= this.#rowsToPass) {
      this.#rowsToPass -= page.count;
      return;
    }
    this.#decompress(page);
    const { encoding, count, repetitionBytes, definitionBytes } = page;
    this.#kernel.loadPage(this.address, encoding, count, repetitionBytes, definitionBytes);
  }

  /** Gives the kernel the bytes of a page. */
  #decompress({ bytes, plainBytes, isCompressed, repetitionBytes, definitionBytes }: Page): void {
    const codec = this.#metadata?.codec;
    const at = this.#kernel.pageRoom(this.address, plainBytes);
    const target = kernelBytes(this.#kernel, at, plainBytes);
    // The levels of the newer pages are before what is compressed.
    const levelBytes = Math.max(0, repetitionBytes) + Math.max(0, definitionBytes);
    if (codec === undefined || codec === 'UNCOMPRESSED' || !isCompressed) {
      if (bytes.length !== plainBytes) throw new Error(`a page has ${bytes.length} bytes, not ${plainBytes}`);
      target.set(bytes);
      return;
    }
    if (levelBytes > plainBytes) throw new Error('the levels of a page end after it');
    target.set(bytes.subarray(0, levelBytes));
    const size = plainBytes - levelBytes;
    if (codec === 'ZSTD' && size > 0) {
      this.#decompressZstd(bytes.subarray(levelBytes), at + levelBytes, size);
      return;
    }
    const decompress = this.#compressors[codec];
    if (!decompress) throw new Error(`the compression ${codec} is unknown`);
    const content = size === 0 ? new Uint8Array(0) : decompress(bytes.subarray(levelBytes), size);
    if (content.length !== size) throw new Error(`a page has ${content.length} bytes, not ${size}`);
    target.set(content, levelBytes);
  }

  /** Decompresses in the kernel, which is several times faster than the packages, and needs no newer Node. */
  #decompressZstd(bytes: Uint8Array, target: number, size: number): void {
    const from = this.#kernel.storedRoom(bytes.length);
    kernelBytes(this.#kernel, from, bytes.length).set(bytes);
    this.#kernel.zstdDecompress(from, bytes.length, target, size);
  }
}
