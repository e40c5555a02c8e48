// Writes selected rows of columns as pages. Values are copied as they are stored.

import { Bounds, newBounds, note } from './bounds';
import { Column, definitionOf, repetitionOf, takeValue, types, valueLength } from './column';
import { clearEntries, Entries, entryOf, forgetNumbers, newEntries } from './entries';
import { encode } from './hybrid';
import { Buffer, newBuffer, reserve } from './memory';
import { widthOf } from './runs';
import { snappyCompress } from './snappy';

/** A page is written when it has so many bytes or levels. */
const PAGE_BYTES: u32 = 1 << 20;
const PAGE_LEVELS: u32 = 1 << 17;
/** The most bytes of a dictionary that is made of values which are not indices. */
const DICTIONARY_BYTES: u32 = 1 << 20;
const NONE: u32 = 0xffffffff;

@unmanaged
export class Writer {
  column: Column;
  definitions: Buffer;
  repetitions: Buffer;
  /** Plain values, or indices of 32 bits. */
  values: Buffer;
  /** The number of levels of the page. */
  levels: u32;
  isIndexed: bool;
  /** True while values that are not indices become ones. */
  isInterning: bool;
  /** True when the dictionary is written, so that it takes no more entries. */
  isFrozen: bool;
  entries: Entries;
  bounds: Bounds;
  nulls: u32;
  /** The page without compression, and compressed. */
  page: Buffer;
  compressed: Buffer;
}

export function newWriter(column: Column, order: u32): Writer {
  const writer = changetype<Writer>(heap.alloc(offsetof<Writer>()));
  writer.column = column;
  writer.definitions = newBuffer();
  writer.repetitions = newBuffer();
  writer.values = newBuffer();
  writer.levels = 0;
  writer.isIndexed = false;
  writer.isInterning = false;
  writer.isFrozen = false;
  writer.entries = newEntries();
  writer.bounds = newBounds(order);
  writer.nulls = 0;
  writer.page = newBuffer();
  writer.compressed = newBuffer();
  return writer;
}

/** Begins a row group. @param isInterning whether values that are not indices become ones */
export function beginWriting(writer: Writer, isInterning: bool): void {
  clearEntries(writer.entries);
  writer.isInterning = isInterning;
  writer.isFrozen = false;
  writer.bounds.hasAny = false;
  writer.nulls = 0;
  clearPage(writer);
}

function clearPage(writer: Writer): void {
  writer.definitions.used = writer.repetitions.used = writer.values.used = 0;
  writer.levels = 0;
}

function addLevel(buffer: Buffer, level: u32): void {
  if (buffer.used == buffer.room) reserve(buffer, buffer.used + 1024);
  store<u8>(buffer.at + buffer.used, <u8>level);
  buffer.used++;
}

function addIndex(values: Buffer, index: u32): void {
  if (values.used + 4 > values.room) reserve(values, values.used + 4096);
  store<u32>(values.at + values.used, index);
  values.used += 4;
}

function addEntry(writer: Writer, at: usize, length: u32): u32 {
  const entries = writer.entries;
  const before = entries.count;
  const entry = entryOf(entries, at, length, writer.column.width);
  if (entry == before) note(writer.bounds, at, length);
  return entry;
}

/** Adds the value of an index of the column. */
function addOfDictionary(writer: Writer): void {
  const column = writer.column;
  const index = load<u32>(column.valueAt);
  const at = takeValue(column);
  const place = writer.entries.numbers.at + ((<usize>index) << 2);
  let entry = load<u32>(place);
  if (entry == NONE) {
    entry = addEntry(writer, at, valueLength);
    store<u32>(place, entry);
  }
  addIndex(writer.values, entry);
}

function addPlain(writer: Writer): void {
  const width = writer.column.width;
  const at = takeValue(writer.column);
  const length = valueLength;
  const values = writer.values;
  const head: u32 = width == 0 ? 4 : 0;
  if (values.used + head + length > values.room) reserve(values, values.used + head + length + 4096);
  const to = values.at + values.used;
  if (width == 8) store<u64>(to, load<u64>(at));
  else if (width == 4) store<u32>(to, load<u32>(at));
  else memory.copy(to, at - head, head + length);
  values.used += head + length;
  note(writer.bounds, at, length);
}

function addValue(writer: Writer): void {
  if (!writer.isIndexed) addPlain(writer);
  else if (writer.column.isIndexed) addOfDictionary(writer);
  else {
    const at = takeValue(writer.column);
    addIndex(writer.values, addEntry(writer, at, valueLength));
  }
}

/** Tells if a page is full. */
function isFull(writer: Writer): bool {
  return writer.values.used >= PAGE_BYTES || writer.levels >= PAGE_LEVELS;
}

/**
 * Adds the selected ones of `rows` rows of the column, until a page is full or its encoding ends.
 * @param selected a byte for each row
 * @returns the number of rows that were read
 */
export function selectRows(writer: Writer, selected: usize, rows: u32): u32 {
  const column = writer.column;
  if (writer.isInterning && writer.entries.values.used > DICTIONARY_BYTES) writer.isInterning = false;
  const isIndexed = !writer.isFrozen && (column.isIndexed || writer.isInterning);
  if (isIndexed != writer.isIndexed) {
    if (writer.levels > 0) return 0;
    writer.isIndexed = isIndexed;
  }
  if (isIndexed && column.isIndexed && writer.entries.numbers.used == 0) {
    forgetNumbers(writer.entries, column.dictionaryCount);
  }
  const most = column.maxDefinition;
  const isNested = column.maxRepetition > 0;
  let row: u32 = 0;
  for (; row < rows; row++) {
    if ((row & 63) == 0 && isFull(writer)) break;
    const isSelected = load<u8>(selected + row) != 0;
    do {
      const definition = definitionOf(column);
      if (isSelected) {
        writer.levels++;
        if (most > 0) addLevel(writer.definitions, definition);
        if (isNested) addLevel(writer.repetitions, repetitionOf(column));
        if (definition == most) addValue(writer);
        else writer.nulls++;
      } else if (definition == most) takeValue(column);
      column.next++;
    } while (isNested && repetitionOf(column) > 0);
  }
  column.rowStarts -= min(row, column.rowStarts);
  return row;
}

/** Lets all values that follow be plain ones. */
export function freezeDictionary(writer: Writer): void {
  writer.isFrozen = true;
}

/** The indices of the next dictionary are of other entries. */
export function beginDictionary(writer: Writer): void {
  writer.entries.numbers.used = 0;
}

/** The number of levels of the page that is written. */
export function pageLevels(writer: Writer): u32 {
  return writer.levels;
}

/** Tells if the values of the page are indices. */
export function isPageIndexed(writer: Writer): bool {
  return writer.isIndexed;
}

export function entryCount(writer: Writer): u32 {
  return writer.entries.count;
}

export function nullCount(writer: Writer): u32 {
  return writer.nulls;
}

function addLevels(levels: Buffer, most: u32, page: Buffer): void {
  const head = page.used;
  reserve(page, head + 4);
  page.used += 4;
  encode<u8>(levels.at, <u32>levels.used, widthOf(most), page);
  store<u32>(page.at + head, <u32>(page.used - head - 4));
}

function addIndices(writer: Writer, page: Buffer): void {
  const width = max<u32>(1, widthOf(max<u32>(1, writer.entries.count) - 1));
  reserve(page, page.used + 1);
  store<u8>(page.at + page.used, <u8>width);
  page.used++;
  encode<u32>(writer.values.at, <u32>writer.values.used >> 2, width, page);
}

function addBits(values: Buffer, page: Buffer): void {
  const bytes = (values.used + 7) >> 3;
  reserve(page, page.used + bytes);
  const to = page.at + page.used;
  memory.fill(to, 0, bytes);
  for (let i: usize = 0; i < values.used; i++) {
    const at = to + (i >> 3);
    store<u8>(at, load<u8>(at) | (load<u8>(values.at + i) << (<u8>(i & 7))));
  }
  page.used += bytes;
}

function addAll(values: Buffer, page: Buffer): void {
  reserve(page, page.used + values.used);
  memory.copy(page.at + page.used, values.at, values.used);
  page.used += values.used;
}

/** Ends the page, and compresses it. @returns the bytes of the page before that */
export function endPage(writer: Writer): u32 {
  const page = writer.page;
  const column = writer.column;
  page.used = 0;
  if (column.maxRepetition > 0) addLevels(writer.repetitions, column.maxRepetition, page);
  if (column.maxDefinition > 0) addLevels(writer.definitions, column.maxDefinition, page);
  if (writer.isIndexed) addIndices(writer, page);
  else if (column.type == types.BOOLEAN) addBits(writer.values, page);
  else addAll(writer.values, page);
  snappyCompress(page.at, <u32>page.used, writer.compressed);
  clearPage(writer);
  return <u32>page.used;
}

/** Makes a page of the dictionary, and compresses it. @returns the bytes of the page before that */
export function endDictionary(writer: Writer): u32 {
  const values = writer.entries.values;
  snappyCompress(values.at, <u32>values.used, writer.compressed);
  return <u32>values.used;
}

/** The address and the length of what was compressed last. */
export function compressedAt(writer: Writer): usize {
  return writer.compressed.at;
}

export function compressedBytes(writer: Writer): usize {
  return writer.compressed.used;
}

/** The address and the length of a bound; the length is -1 without one. */
export function boundAt(writer: Writer, isGreatest: bool): usize {
  return isGreatest ? writer.bounds.greatest.at : writer.bounds.least.at;
}

export function boundBytes(writer: Writer, isGreatest: bool): i32 {
  if (!writer.bounds.hasAny) return -1;
  return <i32>(isGreatest ? writer.bounds.greatest.used : writer.bounds.least.used);
}
