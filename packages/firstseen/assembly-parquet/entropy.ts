// The codes of zstd: finite state entropy and Huffman (RFC 8878, sections 4.1 and 4.2). A stream is read from its end.

import { reasons, refuse } from './memory';

/** An entry of a table of states: symbol, bits to read, and the least next state, of 16 bits. */
const MAX_SYMBOLS: u32 = 256;
const norms: usize = heap.alloc(MAX_SYMBOLS << 1);
const nexts: usize = heap.alloc(MAX_SYMBOLS << 1);
const weights: usize = heap.alloc(MAX_SYMBOLS + 64);
const weightTable: usize = heap.alloc(64 << 2);
const MAX_HUFFMAN_BITS: u32 = 11;
/** An entry of the Huffman table: symbol and number of bits. */
const huffmanTable: usize = heap.alloc(2 << MAX_HUFFMAN_BITS);
let huffmanBits: u32 = 0;

/** The position after what was read last. */
export let entropyEnd: usize = 0;
/** The bits of the states of the table that was read last. */
export let tableBits: u32 = 0;

/** The stream that is read: its start, and the number of bits that are left. */
let streamAt: usize = 0;
let streamBits: i64 = 0;

/** Begins a stream, whose last bit that is set is a mark. */
export function beginStream(at: usize, length: u32): void {
  const last = length == 0 ? 0 : <u32>load<u8>(at + length - 1);
  if (last == 0) refuse(reasons.COMPRESSED);
  streamAt = at;
  streamBits = ((<i64>length - 1) << 3) + <i64>(31 - <u32>clz(last));
}

/** Bits that are left; below zero if more were read than there are. */
export function bitsLeft(): i64 {
  return streamBits;
}

/** Reads up to 56 bits. */
export function readBits(count: u32): u64 {
  streamBits -= count;
  if (streamBits < 0) return 0;
  const mask = ((<u64>1) << count) - 1;
  return (load<u64>(streamAt + <usize>(streamBits >> 3)) >> (streamBits & 7)) & mask;
}

/** Reads the probabilities of symbols. */
function readNorms(from: usize, end: usize, maxBits: u32, maxSymbol: u32): u32 {
  if (end - from < 1) refuse(reasons.COMPRESSED);
  const bits = (<u32>load<u8>(from) & 15) + 5;
  if (bits > maxBits) refuse(reasons.COMPRESSED);
  tableBits = bits;
  let bit: u32 = 4;
  let remaining: i32 = (1 << bits) + 1;
  let threshold: i32 = 1 << bits;
  let width = bits + 1;
  let symbol: u32 = 0;
  while (remaining > 1) {
    if (symbol > maxSymbol || from + (bit >> 3) >= end) refuse(reasons.COMPRESSED);
    const word = load<u32>(from + (bit >> 3)) >> (bit & 7);
    const most = 2 * threshold - 1 - remaining;
    let count = <i32>(word & (threshold - 1));
    if (count < most) bit += width - 1;
    else {
      count = <i32>(word & (2 * threshold - 1));
      if (count >= threshold) count -= most;
      bit += width;
    }
    count--;
    remaining -= abs(count);
    store<i16>(norms + (symbol << 1), <i16>count);
    symbol++;
    while (remaining < threshold) {
      width--;
      threshold >>= 1;
    }
    if (count != 0) continue;
    for (;;) {
      const zeros = (load<u32>(from + (bit >> 3)) >> (bit & 7)) & 3;
      bit += 2;
      for (let i: u32 = 0; i < zeros; i++) {
        if (symbol > maxSymbol) refuse(reasons.COMPRESSED);
        store<i16>(norms + (symbol << 1), 0);
        symbol++;
      }
      if (zeros < 3) break;
    }
  }
  entropyEnd = from + ((bit + 7) >> 3);
  if (remaining != 1 || entropyEnd > end) refuse(reasons.COMPRESSED);
  return symbol;
}

/** Makes the table of states of probabilities. */
function buildTable(table: usize, symbols: u32, bits: u32): void {
  const size: u32 = 1 << bits;
  let high = size;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const norm = load<i16>(norms + (symbol << 1));
    store<u16>(nexts + (symbol << 1), norm < 0 ? 1 : <u16>norm);
    if (norm < 0) store<u8>(table + (--high << 2), <u8>symbol);
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let state: u32 = 0;
  for (let symbol: u32 = 0; symbol < symbols; symbol++) {
    const norm = <i32>load<i16>(norms + (symbol << 1));
    for (let i: i32 = 0; i < norm; i++) {
      store<u8>(table + (state << 2), <u8>symbol);
      do state = (state + step) & (size - 1);
      while (state >= high);
    }
  }
  for (let i: u32 = 0; i < size; i++) {
    const at = table + (i << 2);
    const place = nexts + ((<u32>load<u8>(at)) << 1);
    const next = <u32>load<u16>(place);
    store<u16>(place, <u16>(next + 1));
    const width: u32 = bits - (31 - <u32>clz(next));
    store<u8>(at, <u8>width, 1);
    store<u16>(at, <u16>((next << width) - size), 2);
  }
}

/** Reads a table of states. */
export function readTable(from: usize, end: usize, maxBits: u32, maxSymbol: u32, table: usize): void {
  const symbols = readNorms(from, end, maxBits, maxSymbol);
  buildTable(table, symbols, tableBits);
}

/** Makes a table of states of given probabilities. */
export function presetTable(probabilities: StaticArray<i8>, bits: u32, table: usize): void {
  for (let i = 0; i < probabilities.length; i++) store<i16>(norms + (i << 1), unchecked(probabilities[i]));
  buildTable(table, probabilities.length, bits);
}

/** Makes a table of states of one symbol. */
export function singleTable(symbol: u32, table: usize): void {
  store<u32>(table, symbol);
}

/** Reads the weights of symbols that are compressed; returns their number. */
function readWeights(at: usize, length: u32): u32 {
  readTable(at, at + length, 6, 12, weightTable);
  const bits = tableBits;
  const head = <u32>(entropyEnd - at);
  beginStream(entropyEnd, length - head);
  let one = <u32>readBits(bits);
  let other = <u32>readBits(bits);
  let count: u32 = 0;
  while (streamBits >= 0) {
    if (count > MAX_SYMBOLS - 3) refuse(reasons.COMPRESSED);
    const entry = weightTable + (one << 2);
    store<u8>(weights + count++, load<u8>(entry));
    const next = <u32>load<u16>(entry, 2) + <u32>readBits(load<u8>(entry, 1));
    one = other;
    other = next;
  }
  // The stream ended when a state was to be followed by the next one, and the other state has a last weight.
  store<u8>(weights + count++, load<u8>(weightTable + (one << 2)));
  return count;
}

/** Reads the Huffman table, and sets the position after it. */
export function readHuffman(from: usize, end: usize): void {
  if (end - from < 1) refuse(reasons.COMPRESSED);
  const head = <u32>load<u8>(from);
  let count: u32 = 0;
  let after = from + 1;
  if (head >= 128) {
    count = head - 127;
    after += (count + 1) >> 1;
    if (after > end) refuse(reasons.COMPRESSED);
    for (let i: u32 = 0; i < count; i++) {
      const byte = load<u8>(from + 1 + (i >> 1));
      store<u8>(weights + i, (i & 1) == 0 ? byte >> 4 : byte & 15);
    }
  } else {
    after += head;
    if (after > end) refuse(reasons.COMPRESSED);
    count = readWeights(from + 1, head);
  }
  buildHuffman(count);
  entropyEnd = after;
}

function buildHuffman(read: u32): void {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < read; i++) {
    const weight = <u32>load<u8>(weights + i);
    if (weight > MAX_HUFFMAN_BITS) refuse(reasons.COMPRESSED);
    sum += (1 << weight) >> 1;
  }
  if (sum == 0) refuse(reasons.COMPRESSED);
  const bits: u32 = 32 - <u32>clz(sum);
  const rest: u32 = ((<u32>1) << bits) - sum;
  // The last weight follows from the others.
  if (bits > MAX_HUFFMAN_BITS || (rest & (rest - 1)) != 0) refuse(reasons.COMPRESSED);
  store<u8>(weights + read, <u8>(32 - <u32>clz(rest)));
  huffmanBits = bits;
  let at = huffmanTable;
  for (let weight: u32 = 1; weight <= bits; weight++) {
    const entries = (<u32>1) << (weight - 1);
    const code = (bits + 1 - weight) << 8;
    for (let symbol: u32 = 0; symbol <= read; symbol++) {
      if (<u32>load<u8>(weights + symbol) != weight) continue;
      for (let i: u32 = 0; i < entries; i++) {
        store<u16>(at, <u16>(symbol | code));
        at += 2;
      }
    }
  }
}

export function hasHuffman(): bool {
  return huffmanBits > 0;
}

/** Forgets the Huffman table, before another frame. */
export function forgetHuffman(): void {
  huffmanBits = 0;
}

/** Writes `count` bytes of a stream of Huffman codes. */
export function decodeHuffman(from: usize, length: u32, target: usize, count: u32): void {
  beginStream(from, length);
  const bits = huffmanBits;
  const mask = ((<u64>1) << bits) - 1;
  const end = target + count;
  let left = streamBits;
  let to = target;
  // A word has five codes of eleven bits at least.
  while (to + 5 <= end && left >= 56) {
    const base = (left - 56) >> 3;
    const word = load<u64>(from + <usize>base);
    let below = left - (base << 3);
    for (let i = 0; i < 5; i++) {
      const entry = load<u16>(huffmanTable + ((<usize>((word >> (below - bits)) & mask)) << 1));
      store<u8>(to, <u8>entry);
      below -= entry >> 8;
      to++;
    }
    left = (base << 3) + below;
  }
  while (to < end) {
    const below = left - bits;
    const index =
      below >= 0 ? (load<u64>(from + <usize>(below >> 3)) >> (below & 7)) & mask : (load<u64>(from) << -below) & mask;
    const entry = load<u16>(huffmanTable + ((<usize>index) << 1));
    store<u8>(to, <u8>entry);
    left -= entry >> 8;
    if (left < 0) refuse(reasons.COMPRESSED);
    to++;
  }
  if (left != 0) refuse(reasons.COMPRESSED);
}
