// A column of a Parquet file while it is read: its dictionary, and the values of its page with their levels.

import { Buffer, newBuffer, reasons, refuse } from './memory';

/** The physical types, by their numbers in the format. */
export namespace types {
  export const BOOLEAN: u32 = 0;
  export const INT32: u32 = 1;
  export const INT64: u32 = 2;
  export const INT96: u32 = 3;
  export const FLOAT: u32 = 4;
  export const DOUBLE: u32 = 5;
  export const BYTE_ARRAY: u32 = 6;
  export const FIXED: u32 = 7;
}

@unmanaged
export class Column {
  type: u32;
  /** Bytes of a value; 0 for byte arrays, each of which has its length before it. */
  width: u32;
  maxDefinition: u32;
  maxRepetition: u32;
  /** The page as it is stored, without its compression. */
  page: Buffer;
  /** Values that are not in the page in plain encoding. */
  values: Buffer;
  definitions: Buffer;
  repetitions: Buffer;
  /** Indices of 32 bits in the dictionary. */
  indices: Buffer;
  dictionary: Buffer;
  /** The offset of each byte array in the dictionary. */
  offsets: Buffer;
  dictionaryCount: u32;
  /** Levels of the page, those that were read, and whether there are any: without them each value is there. */
  count: u32;
  next: u32;
  hasDefinitions: bool;
  isIndexed: bool;
  /** The next value, or the next index. */
  valueAt: usize;
  valuesEnd: usize;
  /** Rows that begin in a column with repetitions. */
  rowStarts: u32;
}

export function newColumn(type: u32, width: u32, maxDefinition: u32, maxRepetition: u32): Column {
  const at = heap.alloc(offsetof<Column>());
  memory.fill(at, 0, offsetof<Column>());
  const column = changetype<Column>(at);
  column.type = type;
  column.width = width;
  column.maxDefinition = maxDefinition;
  column.maxRepetition = maxRepetition;
  column.page = newBuffer();
  column.values = newBuffer();
  column.definitions = newBuffer();
  column.repetitions = newBuffer();
  column.indices = newBuffer();
  column.dictionary = newBuffer();
  column.offsets = newBuffer();
  return column;
}

/** Forgets the dictionary and the values, before another row group. */
export function beginChunk(column: Column): void {
  column.dictionaryCount = 0;
  column.count = 0;
  column.next = 0;
  column.rowStarts = 0;
  column.hasDefinitions = false;
  column.isIndexed = false;
  column.valueAt = column.valuesEnd = 0;
  column.values.used = 0;
  column.definitions.used = 0;
  column.repetitions.used = 0;
}

export function definitionOf(column: Column): u32 {
  if (!column.hasDefinitions) return column.maxDefinition;
  if (column.next >= column.count) refuse(reasons.ROWS);
  return load<u8>(column.definitions.at + column.next);
}

export function repetitionOf(column: Column): u32 {
  return column.next < column.count ? load<u8>(column.repetitions.at + column.next) : 0;
}

/** The length of the value that `takeValue` took last. */
export let valueLength: u32 = 0;

/** Takes the next value, and returns its address. */
export function takeValue(column: Column): usize {
  const width = column.width;
  let at = column.valueAt;
  // A nested column that is damaged may have levels for more values than it has.
  if (at >= column.valuesEnd) refuse(reasons.VALUES);
  if (column.isIndexed) {
    column.valueAt = at + 4;
    const index = load<u32>(at);
    if (width != 0) {
      valueLength = width;
      return column.dictionary.at + <usize>index * width;
    }
    at = column.dictionary.at + load<u32>(column.offsets.at + ((<usize>index) << 2));
    valueLength = load<u32>(at);
    return at + 4;
  }
  if (width != 0) {
    column.valueAt = at + width;
    valueLength = width;
    return at;
  }
  valueLength = load<u32>(at);
  column.valueAt = at + 4 + valueLength;
  return at + 4;
}
