// Pages of Parquet, whose values become plain ones, or indices in the dictionary.

import { Column, definitionOf, repetitionOf, takeValue, types, valueLength } from './column';
import { deltaCount, deltas, lengthsAndBytes, prefixesAndBytes } from './delta';
import { Buffer, exchange, newBuffer, reasons, refuse, renew, reserve } from './memory';
import { decodeBytes, decodeWords, widthOf } from './runs';

/** The encodings, by their numbers in the format. */
export namespace encodings {
  export const PLAIN: u32 = 0;
  export const PLAIN_DICTIONARY: u32 = 2;
  export const RLE: u32 = 3;
  export const DELTA_BINARY_PACKED: u32 = 5;
  export const DELTA_LENGTH_BYTE_ARRAY: u32 = 6;
  export const DELTA_BYTE_ARRAY: u32 = 7;
  export const RLE_DICTIONARY: u32 = 8;
  export const BYTE_STREAM_SPLIT: u32 = 9;
}

/** Lengths of byte arrays while they are decoded. */
const scratch: Buffer = newBuffer();

/** Makes room for a page of `bytes`, and returns its address. */
export function pageRoom(column: Column, bytes: u32): usize {
  renew(column.page, bytes);
  column.page.used = bytes;
  return column.page.at;
}

/** A page while it is compressed. */
const stored: Buffer = newBuffer();

/** Makes room for a compressed page, and returns its address. */
export function storedRoom(bytes: u32): usize {
  renew(stored, bytes);
  return stored.at;
}

/** Checks that `count` plain values are in a region, and returns its end. */
function endOfPlain(column: Column, from: usize, end: usize, count: u32): usize {
  if (column.width != 0) {
    const bytes = <u64>count * column.width;
    if (bytes > <u64>(end - from)) refuse(reasons.VALUES);
    return from + <usize>bytes;
  }
  let at = from;
  for (let i: u32 = 0; i < count; i++) {
    if (end - at < 4) refuse(reasons.VALUES);
    const length = load<u32>(at);
    if (<usize>length > end - at - 4) refuse(reasons.VALUES);
    at += 4 + length;
  }
  return at;
}

/** Takes the page as the dictionary. */
export function loadDictionary(column: Column, count: u32): void {
  exchange(column.page, column.dictionary);
  const dictionary = column.dictionary;
  column.dictionaryCount = count;
  endOfPlain(column, dictionary.at, dictionary.at + dictionary.used, count);
  if (column.width != 0) return;
  renew(column.offsets, (<usize>count) << 2);
  let offset: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(column.offsets.at + ((<usize>i) << 2), offset);
    offset += 4 + load<u32>(dictionary.at + offset);
  }
}

/** The position after the levels that were read last. */
let levelsEnd: usize = 0;

/** Adds levels to a buffer. `bytes` is -1 if their length is before them. */
function addLevels(from: usize, end: usize, bytes: i32, most: u32, count: u32, target: Buffer): void {
  let at = from;
  let length = <u32>bytes;
  if (bytes < 0) {
    if (end - at < 4) refuse(reasons.LEVELS);
    length = load<u32>(at);
    at += 4;
  }
  if (<usize>length > end - at) refuse(reasons.LEVELS);
  reserve(target, target.used + count);
  decodeBytes(at, at + length, widthOf(most), count, target.at + target.used);
  target.used += count;
  levelsEnd = at + length;
}

/** The number of levels in a region that are `level`. */
function countOf(at: usize, count: u32, level: u32): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) sum += u32(load<u8>(at + i) == level);
  return sum;
}

/** Moves what was not read of a nested column to the beginning of its buffers. */
function keepRest(column: Column): void {
  const next = column.next;
  const levels = column.count - next;
  memory.copy(column.definitions.at, column.definitions.at + next, levels);
  memory.copy(column.repetitions.at, column.repetitions.at + next, levels);
  const bytes = column.valuesEnd - column.valueAt;
  memory.copy(column.values.at, column.valueAt, bytes);
  column.definitions.used = column.repetitions.used = levels;
  column.values.used = bytes;
  column.count = levels;
  column.next = 0;
}

/** Reads the indices of `count` values. */
function readIndices(column: Column, from: usize, end: usize, count: u32): void {
  renew(column.indices, (<usize>count) << 2);
  const target = column.indices.at;
  if (from >= end) refuse(reasons.RUNS);
  const width = <u32>load<u8>(from);
  if (width > 32 || column.dictionaryCount == 0) refuse(reasons.DICTIONARY);
  if (width == 0) memory.fill(target, 0, (<usize>count) << 2);
  else decodeWords(from + 1, end, width, count, target);
  let most: u32 = 0;
  for (let i: u32 = 0; i < count; i++) most = max(most, load<u32>(target + ((<usize>i) << 2)));
  if (most >= column.dictionaryCount) refuse(reasons.DICTIONARY);
  column.isIndexed = true;
  column.valueAt = target;
  column.valuesEnd = target + ((<usize>count) << 2);
}

function addBits(from: usize, end: usize, count: u32, target: Buffer): void {
  if (<usize>((count + 7) >> 3) > end - from) refuse(reasons.VALUES);
  reserve(target, target.used + count);
  const to = target.at + target.used;
  for (let i: u32 = 0; i < count; i++) store<u8>(to + i, (load<u8>(from + (i >> 3)) >> <u8>(i & 7)) & 1);
  target.used += count;
}

function addRuns(from: usize, end: usize, count: u32, target: Buffer): void {
  if (end - from < 4) refuse(reasons.RUNS);
  const length = load<u32>(from);
  if (<usize>length > end - from - 4) refuse(reasons.RUNS);
  reserve(target, target.used + count);
  decodeBytes(from + 4, from + 4 + length, 1, count, target.at + target.used);
  target.used += count;
}

function addSplit(column: Column, from: usize, end: usize, count: u32, target: Buffer): void {
  const width = column.width;
  if (width == 0) refuse(reasons.ENCODING);
  endOfPlain(column, from, end, count);
  reserve(target, target.used + <usize>count * width);
  const to = target.at + target.used;
  for (let part: u32 = 0; part < width; part++) {
    const source = from + <usize>part * count;
    for (let i: u32 = 0; i < count; i++) store<u8>(to + <usize>i * width + part, load<u8>(source + i));
  }
  target.used += <usize>count * width;
}

/** Adds values of an encoding other than the plain one and that of a dictionary. */
function addDecoded(column: Column, encoding: u32, from: usize, end: usize, count: u32): void {
  const target = column.values;
  const type = column.type;
  const isInteger = type == types.INT32 || type == types.INT64;
  if (encoding == encodings.PLAIN && type == types.BOOLEAN) addBits(from, end, count, target);
  else if (encoding == encodings.RLE && type == types.BOOLEAN) addRuns(from, end, count, target);
  else if (encoding == encodings.BYTE_STREAM_SPLIT) addSplit(column, from, end, count, target);
  else if (encoding == encodings.DELTA_BINARY_PACKED && isInteger) {
    deltas(from, end, count, target, column.width);
    if (deltaCount != count) refuse(reasons.DELTAS);
  } else if (encoding == encodings.DELTA_LENGTH_BYTE_ARRAY && type == types.BYTE_ARRAY) {
    lengthsAndBytes(from, end, count, scratch, target);
  } else if (encoding == encodings.DELTA_BYTE_ARRAY && (type == types.BYTE_ARRAY || type == types.FIXED)) {
    prefixesAndBytes(from, end, count, column.width, scratch, target);
  } else refuse(reasons.ENCODING);
}

function isOfDictionary(encoding: u32): bool {
  return encoding == encodings.PLAIN_DICTIONARY || encoding == encodings.RLE_DICTIONARY;
}

/** Reads the values of a page of a column without repetitions. */
function readValues(column: Column, encoding: u32, from: usize, end: usize, count: u32): void {
  column.isIndexed = false;
  column.valueAt = column.valuesEnd = from;
  if (count == 0) return;
  if (isOfDictionary(encoding)) readIndices(column, from, end, count);
  else if (encoding == encodings.PLAIN && column.type != types.BOOLEAN) {
    column.valuesEnd = endOfPlain(column, from, end, count);
  } else {
    column.values.used = 0;
    addDecoded(column, encoding, from, end, count);
    column.valueAt = column.values.at;
    column.valuesEnd = column.values.at + column.values.used;
  }
}

/** Adds the values of a page to those that are left of a column with repetitions. */
function addValues(column: Column, encoding: u32, from: usize, end: usize, count: u32): void {
  const values = column.values;
  if (count == 0) {
    // Nothing is added.
  } else if (isOfDictionary(encoding)) {
    readIndices(column, from, end, count);
    const head: u32 = column.width == 0 ? 4 : 0;
    for (let i: u32 = 0; i < count; i++) {
      const at = takeValue(column);
      reserve(values, values.used + head + valueLength);
      memory.copy(values.at + values.used, at - head, head + valueLength);
      values.used += head + valueLength;
    }
  } else if (encoding == encodings.PLAIN && column.type != types.BOOLEAN) {
    const bytes = endOfPlain(column, from, end, count) - from;
    reserve(values, values.used + bytes);
    memory.copy(values.at + values.used, from, bytes);
    values.used += bytes;
  } else addDecoded(column, encoding, from, end, count);
  column.isIndexed = false;
  column.valueAt = values.at;
  column.valuesEnd = values.at + values.used;
}

/**
 * Reads the page, which has `count` levels. Those of a column with repetitions are added to what is left of it.
 * @param repetitionBytes the bytes of the levels, or -1 if each kind has its length before it
 */
export function loadPage(column: Column, encoding: u32, count: u32, repetitionBytes: i32, definitionBytes: i32): void {
  const isNested = column.maxRepetition > 0;
  if (isNested) keepRest(column);
  else column.definitions.used = column.next = column.count = 0;
  const end = column.page.at + column.page.used;
  levelsEnd = column.page.at;
  if (isNested) {
    addLevels(levelsEnd, end, repetitionBytes, column.maxRepetition, count, column.repetitions);
    column.rowStarts += countOf(column.repetitions.at + column.count, count, 0);
  } else if (repetitionBytes > 0) levelsEnd += repetitionBytes;
  let present = count;
  if (column.maxDefinition > 0) {
    addLevels(levelsEnd, end, definitionBytes, column.maxDefinition, count, column.definitions);
    present = countOf(column.definitions.at + column.count, count, column.maxDefinition);
  } else if (definitionBytes > 0) levelsEnd += definitionBytes;
  if (levelsEnd > end) refuse(reasons.LEVELS);
  column.hasDefinitions = isNested || present < count;
  column.count += count;
  if (isNested) addValues(column, encoding, levelsEnd, end, present);
  else readValues(column, encoding, levelsEnd, end, present);
}

/** The number of whole rows of a column that are left. The last row of a nested column goes on if more pages follow. */
export function rowsLeft(column: Column, isLast: bool): u32 {
  if (column.maxRepetition == 0) return column.count - column.next;
  return isLast || column.rowStarts == 0 ? column.rowStarts : column.rowStarts - 1;
}

/** Passes over rows of a column. */
export function passRows(column: Column, rows: u32): void {
  const isNested = column.maxRepetition > 0;
  for (let row: u32 = 0; row < rows; row++) {
    do {
      if (definitionOf(column) == column.maxDefinition) takeValue(column);
      column.next++;
    } while (isNested && repetitionOf(column) > 0);
  }
  column.rowStarts -= min(rows, column.rowStarts);
}
