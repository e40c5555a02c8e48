// Changes an input at random: changes bytes, ranges and ends, and inserts tokens of the formats. The checksums of a changed
// snapshot are usually corrected, because otherwise the code after the checksum test is never reached.

import { referenceXxh64 } from '../reference/xxh64.ts';
import type { Random } from '../support/streams.ts';

const tokens = [
  ...['\n', '\r\n', '\r', '\0', '\xff', '\xc3', '\xef\xbb\xbf', '\xed\xa0\xbd', ' ', '\t'],
  ...[
    '"',
    '""',
    '","',
    '"\n',
    ',',
    'a,b\n',
    '{"a":',
    '{',
    '}',
    '[',
    ']',
    ':',
    '\\',
    '\\u',
    '\\ud83d',
    '\\u0061',
    '"at":',
  ],
  ...['WARC/1.0\r\n', 'Content-Length: ', 'WARC-Type: response\r\n', '\r\n\r\n', '\n\n'],
  ...['1700000000', '2024-02-29T23:59:60Z', '18446744073709551616', '-1', 'null', 'true', '1e9', '\\u002B'],
  ...[
    '\x1f\x8b',
    '\x1f\x8b\x08\0\0\0\0\0\0\x03',
    '\x28\xb5\x2f\xfd',
    '\x50\x2a\x4d\x18',
    '\0'.repeat(64),
    'x'.repeat(5000),
  ],
].map((text) => Uint8Array.from(text, (character) => character.charCodeAt(0)));

const MAGIC = '89315354';
const CHECKSUM_BYTES = 8;
const FIXED_BYTES = 64;
/** The number of changed snapshots, out of eight, whose checksums are corrected. */
const RESEALED = 7;

type Change = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array;

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** A random range of positions, in ascending order. */
function stretch(length: number, random: Random): [number, number] {
  const [a, b] = [random.below(length + 1), random.below(length + 1)];
  return a < b ? [a, b] : [b, a];
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random.below(items.length)] as Item;
}

const changes: readonly Change[] = [
  function flipBit(bytes, random) {
    const at = random.below(bytes.length);
    return bytes.map((byte, i) => (i === at ? byte ^ (1 << random.below(8)) : byte));
  },
  function setByte(bytes, random) {
    const at = random.below(bytes.length);
    const value = random.below(256);
    return bytes.map((byte, i) => (i === at ? value : byte));
  },
  function truncate(bytes, random) {
    return bytes.slice(0, random.below(bytes.length + 1));
  },
  function remove(bytes, random) {
    const [from, to] = stretch(bytes.length, random);
    return joined(bytes.subarray(0, from), bytes.subarray(to));
  },
  function duplicate(bytes, random) {
    const [from, to] = stretch(bytes.length, random);
    return joined(bytes.subarray(0, to), bytes.subarray(from));
  },
  function splice(bytes, random, others) {
    const other = pick(others, random);
    const [from, to] = stretch(other.length, random);
    const at = random.below(bytes.length + 1);
    return joined(bytes.subarray(0, at), other.subarray(from, to), bytes.subarray(at));
  },
  function insertToken(bytes, random) {
    const at = random.below(bytes.length + 1);
    return joined(bytes.subarray(0, at), pick(tokens, random), bytes.subarray(at));
  },
];

function isSnapshot(bytes: Uint8Array): boolean {
  return bytes.length > FIXED_BYTES && Buffer.from(bytes.subarray(0, 4)).toString('hex') === MAGIC;
}

/** The sizes of a snapshot's header and of its stored cells (docs/FORMAT.md). */
function partLengths(view: DataView): [headerBytes: number, cellsBytes: number] {
  const flags = view.getUint32(16, true);
  const noteBytes = Math.ceil(view.getUint32(44, true) / 8) * 8;
  const optional = ((flags & 1) + ((flags >> 1) & 1)) * 16;
  const lists = view.getUint32(20, true) * 24 + view.getUint32(40, true) * 8;
  return [FIXED_BYTES + lists + noteBytes + optional + CHECKSUM_BYTES, Number(view.getBigUint64(56, true))];
}

/** The snapshot with a corrected checksum for each part that lies within the bytes. */
export function resealed(bytes: Uint8Array): Uint8Array {
  if (!isSnapshot(bytes)) return bytes;
  const sealed = bytes.slice();
  const view = new DataView(sealed.buffer);
  const [headerBytes, cellsBytes] = partLengths(view);
  const cellsEnd = headerBytes + cellsBytes + CHECKSUM_BYTES;
  for (const [from, end] of [
    [0, headerBytes],
    [headerBytes, cellsEnd],
    [cellsEnd, sealed.length],
  ] as const) {
    if (end > sealed.length || end - from < CHECKSUM_BYTES) break;
    const checksumAt = end - CHECKSUM_BYTES;
    view.setBigUint64(checksumAt, referenceXxh64(sealed.subarray(from, checksumAt), 0n), true);
  }
  return sealed;
}

/** The input with one to four random changes. */
export function mutated(bytes: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  let changed = bytes;
  for (let count = 1 + random.below(4); count > 0; count--) {
    if (changed.length > 0) changed = pick(changes, random)(changed, random, others);
  }
  return random.below(8) < RESEALED ? resealed(changed) : changed;
}

/** Shortens an input by removing ranges while `isBroken` still returns true, in at most `most` attempts. */
export async function minimised(
  bytes: Uint8Array,
  isBroken: (bytes: Uint8Array) => Promise<boolean>,
  most: number,
): Promise<Uint8Array> {
  let best = bytes;
  let attempts = 0;
  for (let size = Math.ceil(best.length / 2); size > 0 && attempts < most; ) {
    let isShorter = false;
    for (let at = 0; at < best.length && attempts < most; attempts++) {
      const candidate = joined(best.subarray(0, at), best.subarray(at + size));
      if (await isBroken(candidate)) {
        best = candidate;
        isShorter = true;
      } else at += size;
    }
    if (!isShorter) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return best;
}
