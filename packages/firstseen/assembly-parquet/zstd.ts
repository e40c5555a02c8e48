// Decompresses frames of zstd (RFC 8878). All of a page is decompressed at once, so what came before is in its memory.

import {
  beginStream,
  bitsLeft,
  decodeHuffman,
  entropyEnd,
  forgetHuffman,
  hasHuffman,
  presetTable,
  readBits,
  readHuffman,
  readTable,
  singleTable,
  tableBits,
} from './entropy';
import { reasons, refuse } from './memory';

const MAGIC: u32 = 0xfd2fb528;
const SKIPPABLE: u32 = 0x184d2a50;
const MAX_BLOCK: u32 = 1 << 17;

/** Lengths of literals, offsets and lengths of matches: their tables, the bits of their states, and whether there is a table. */
const literalTable: usize = heap.alloc(512 << 2);
const offsetTable: usize = heap.alloc(256 << 2);
const matchTable: usize = heap.alloc(512 << 2);
const kept: StaticArray<i32> = [-1, -1, -1];

const LITERAL_PROBABILITIES: StaticArray<i8> = [
  4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1,
];
const MATCH_PROBABILITIES: StaticArray<i8> = [
  1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
  1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
];
const OFFSET_PROBABILITIES: StaticArray<i8> = [
  1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1,
];
/** The least length of each code, and the bits that are added. */
const LITERAL_BASES: StaticArray<u32> = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024,
  2048, 4096, 8192, 16384, 32768, 65536,
];
const LITERAL_BITS: StaticArray<u8> = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];
const MATCH_BASES: StaticArray<u32> = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33,
  34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539,
];
const MATCH_BITS: StaticArray<u8> = [
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3,
  3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
];

/** The literals of a block. */
const literals: usize = heap.alloc(MAX_BLOCK + 64);
let literalsAt: usize = 0;
let literalCount: u32 = 0;

/** The last three offsets. */
let first: u32 = 1;
let second: u32 = 4;
let third: u32 = 8;

/** The end of the output, and the beginning of what the frame has written. */
let to: usize = 0;
let limit: usize = 0;
let frameStart: usize = 0;

/** Copies bytes that do not overlap, 16 at once. What is after both regions may be read and written. */
function copyFar(target: usize, source: usize, length: u32): void {
  for (let done: u32 = 0; done < length; done += 16) v128.store(target + done, v128.load(source + done));
}

function copyMatch(offset: u32, length: u32): void {
  const from = to - offset;
  if (offset >= 16) copyFar(to, from, length);
  else for (let i: u32 = 0; i < length; i++) store<u8>(to + i, load<u8>(from + i));
  to += length;
}

function numberAt(at: usize, end: usize, bytes: u32): u64 {
  if (end - at < bytes) refuse(reasons.COMPRESSED);
  return load<u64>(at) & (bytes == 8 ? ~(<u64>0) : ((<u64>1) << (bytes << 3)) - 1);
}

/** Reads the literals of a block; returns the position after them. */
function readLiterals(at: usize, end: usize): usize {
  const head = <u32>numberAt(at, end, 1);
  const type = head & 3;
  const format = (head >> 2) & 3;
  if (type < 2) {
    const bytes: u32 = (format & 1) == 0 ? 1 : format == 1 ? 2 : 3;
    literalCount = <u32>(numberAt(at, end, bytes) >> (bytes == 1 ? 3 : 4));
    const from = at + bytes;
    if (literalCount > MAX_BLOCK) refuse(reasons.COMPRESSED);
    if (type == 1) {
      memory.fill(literals, <u8>numberAt(from, end, 1), literalCount);
      literalsAt = literals;
      return from + 1;
    }
    if (<usize>literalCount > end - from) refuse(reasons.COMPRESSED);
    literalsAt = from;
    return from + literalCount;
  }
  const bytes: u32 = format < 2 ? 3 : format + 2;
  const width: u32 = format < 2 ? 10 : format == 2 ? 14 : 18;
  const sizes = numberAt(at, end, bytes) >> 4;
  const mask = ((<u64>1) << width) - 1;
  literalCount = <u32>(sizes & mask);
  const stored = <u32>((sizes >> width) & mask);
  let from = at + bytes;
  if (literalCount > MAX_BLOCK || <usize>stored > end - from) refuse(reasons.COMPRESSED);
  const after = from + stored;
  if (type == 2) {
    readHuffman(from, after);
    from = entropyEnd;
  } else if (!hasHuffman()) refuse(reasons.COMPRESSED);
  literalsAt = literals;
  if (format == 0) decodeHuffman(from, <u32>(after - from), literals, literalCount);
  else readFour(from, after);
  return after;
}

/** Reads literals that are in four streams. */
function readFour(from: usize, end: usize): void {
  if (end - from < 6) refuse(reasons.COMPRESSED);
  const part = (literalCount + 3) >> 2;
  if (part * 3 > literalCount) refuse(reasons.COMPRESSED);
  let at = from + 6;
  for (let i: u32 = 0; i < 4; i++) {
    const left = <u32>(end - at);
    const length = i < 3 ? <u32>load<u16>(from + (i << 1)) : left;
    if (length > left) refuse(reasons.COMPRESSED);
    decodeHuffman(at, length, literals + i * part, i < 3 ? part : literalCount - 3 * part);
    at += length;
  }
}

/** Reads the table of one of the three codes; returns the position after it. */
function readCode(code: u32, mode: u32, at: usize, end: usize): usize {
  const table = code == 0 ? literalTable : code == 1 ? offsetTable : matchTable;
  const maxSymbol: u32 = code == 0 ? 35 : code == 1 ? 31 : 52;
  if (mode == 0) {
    const probabilities = code == 0 ? LITERAL_PROBABILITIES : code == 1 ? OFFSET_PROBABILITIES : MATCH_PROBABILITIES;
    const bits: u32 = code == 1 ? 5 : 6;
    presetTable(probabilities, bits, table);
    unchecked((kept[code] = bits));
    return at;
  }
  if (mode == 1) {
    const symbol = <u32>numberAt(at, end, 1);
    if (symbol > maxSymbol) refuse(reasons.COMPRESSED);
    singleTable(symbol, table);
    unchecked((kept[code] = 0));
    return at + 1;
  }
  if (mode == 2) {
    readTable(at, end, code == 1 ? 8 : 9, maxSymbol, table);
    unchecked((kept[code] = tableBits));
    return entropyEnd;
  }
  if (unchecked(kept[code]) < 0) refuse(reasons.COMPRESSED);
  return at;
}

/** The offset of a number, which is one of the last three if it is below 4. */
function offsetOf(number: u32, literalLength: u32): u32 {
  if (number > 3) {
    third = second;
    second = first;
    first = number - 3;
    return first;
  }
  const which = number + u32(literalLength == 0);
  if (which == 1) return first;
  const offset = which == 2 ? second : which == 3 ? third : first - 1;
  if (which > 2) third = second;
  second = first;
  first = offset;
  return offset;
}

/** Writes what the sequences of a block say. */
function readSequences(from: usize, end: usize): void {
  const head = <u32>numberAt(from, end, 1);
  let at = from + 1;
  let count = head;
  if (head == 255) {
    count = <u32>numberAt(at, end, 2) + 0x7f00;
    at += 2;
  } else if (head >= 128) {
    count = ((head - 128) << 8) + <u32>numberAt(at, end, 1);
    at += 1;
  }
  let literal = literalsAt;
  const literalsEnd = literalsAt + literalCount;
  if (count > 0) {
    const modes = <u32>numberAt(at, end, 1);
    at = readCode(0, modes >> 6, at + 1, end);
    at = readCode(1, (modes >> 4) & 3, at, end);
    at = readCode(2, (modes >> 2) & 3, at, end);
    if (at >= end) refuse(reasons.COMPRESSED);
    beginStream(at, <u32>(end - at));
    let literalState = literalTable + ((<usize>readBits(unchecked(kept[0]))) << 2);
    let offsetState = offsetTable + ((<usize>readBits(unchecked(kept[1]))) << 2);
    let matchState = matchTable + ((<usize>readBits(unchecked(kept[2]))) << 2);
    for (let left = count; ; ) {
      const offsetCode = <u32>load<u8>(offsetState);
      const matchCode = <u32>load<u8>(matchState);
      const literalCode = <u32>load<u8>(literalState);
      const number = ((<u32>1) << offsetCode) + <u32>readBits(offsetCode);
      const length = unchecked(MATCH_BASES[matchCode]) + <u32>readBits(unchecked(MATCH_BITS[matchCode]));
      const literalLength = unchecked(LITERAL_BASES[literalCode]) + <u32>readBits(unchecked(LITERAL_BITS[literalCode]));
      const offset = offsetOf(number, literalLength);
      if (<usize>literalLength > literalsEnd - literal || <usize>literalLength + length > limit - to) {
        refuse(reasons.COMPRESSED);
      }
      copyFar(to, literal, literalLength);
      literal += literalLength;
      to += literalLength;
      if (offset == 0 || <usize>offset > to - frameStart) refuse(reasons.COMPRESSED);
      copyMatch(offset, length);
      if (--left == 0) break;
      literalState =
        literalTable + ((<usize>load<u16>(literalState, 2) + <usize>readBits(load<u8>(literalState, 1))) << 2);
      matchState = matchTable + ((<usize>load<u16>(matchState, 2) + <usize>readBits(load<u8>(matchState, 1))) << 2);
      offsetState = offsetTable + ((<usize>load<u16>(offsetState, 2) + <usize>readBits(load<u8>(offsetState, 1))) << 2);
    }
    if (bitsLeft() != 0) refuse(reasons.COMPRESSED);
  }
  const rest = literalsEnd - literal;
  if (rest > limit - to) refuse(reasons.COMPRESSED);
  memory.copy(to, literal, rest);
  to += rest;
}

/** Decompresses a frame; returns the position after it. */
function readFrame(from: usize, end: usize): usize {
  const flags = <u32>numberAt(from, end, 1);
  const isSingle = (flags >> 5) & 1;
  const sizeFlag = flags >> 6;
  const dictionaryBytes: u32 = (1 << (flags & 3)) >> 1;
  const sizeBytes: u32 = sizeFlag == 0 ? isSingle : 1 << sizeFlag;
  let at = from + 1 + (1 - isSingle);
  // No page has a dictionary of zstd.
  if (dictionaryBytes > 0 && numberAt(at, end, dictionaryBytes) != 0) refuse(reasons.COMPRESSED);
  at += dictionaryBytes + sizeBytes;
  first = 1;
  second = 4;
  third = 8;
  for (let i = 0; i < 3; i++) unchecked((kept[i] = -1));
  forgetHuffman();
  frameStart = to;
  for (let isLast = false; !isLast; ) {
    if (at > end) refuse(reasons.COMPRESSED);
    const head = <u32>numberAt(at, end, 3);
    const type = (head >> 1) & 3;
    const size = head >> 3;
    isLast = (head & 1) != 0;
    at += 3;
    const stored: u32 = type == 1 ? 1 : size;
    if (type == 3 || size > MAX_BLOCK || <usize>stored > end - at) refuse(reasons.COMPRESSED);
    if (type == 2) readSequences(readLiterals(at, at + size), at + size);
    else {
      if (<usize>size > limit - to) refuse(reasons.COMPRESSED);
      if (type == 0) memory.copy(to, at, size);
      else memory.fill(to, load<u8>(at), size);
      to += size;
    }
    at += stored;
  }
  return at + ((flags & 4) != 0 ? 4 : 0);
}

/** Decompresses frames to a region. */
export function zstdDecompress(from: usize, length: u32, target: usize, size: u32): void {
  const end = from + length;
  to = target;
  limit = target + size;
  for (let at = from; at < end; ) {
    const magic = <u32>numberAt(at, end, 4);
    if (magic == MAGIC) at = readFrame(at + 4, end);
    else if ((magic & 0xfffffff0) == SKIPPABLE) at += 8 + <usize>numberAt(at + 4, end, 4);
    else refuse(reasons.COMPRESSED);
  }
  if (to != limit) refuse(reasons.COMPRESSED);
}
