// Writes the properties of characters as the table of the kernel: runs of equal classes, and runs of letters that are folded by
// the same distance. assembly/lib/characters.ts reads it.

import { classOf, foldOf, LISTED, UNICODE_VERSION } from './properties.mjs';

/** The first character beyond ASCII, which the kernel knows without a table. */
const FIRST = 0x80;

/** Seven bits a byte, the lowest first; the highest bit says that another byte follows. */
function numberBytes(number) {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...numberBytes(number >>> 7)];
}

function classBytes() {
  const bytes = [];
  for (let start = FIRST; start < LISTED; ) {
    let end = start + 1;
    const own = classOf(start);
    while (end < LISTED && classOf(end) === own) end++;
    bytes.push(...numberBytes((end - start) * 8 + own));
    start = end;
  }
  return bytes;
}

/** How many letters from `start` on, every `stride`, are folded by the same distance. */
function foldedCount(start, stride) {
  const distance = foldOf(start) - start;
  let count = 1;
  while (foldOf(start + count * stride) === start + count * stride + distance) count++;
  return count;
}

function foldBytes() {
  const runs = [];
  let next = FIRST;
  for (let start = FIRST; start < LISTED; start++) {
    if (foldOf(start) === start) continue;
    const stride = foldedCount(start, 2) > foldedCount(start, 1) ? 2 : 1;
    const count = foldedCount(start, stride);
    const distance = foldOf(start) - start;
    const signed = distance < 0 ? -2 * distance - 1 : 2 * distance;
    runs.push([(start - next) * 2 + stride - 1, count, signed].flatMap(numberBytes));
    next = start + (count - 1) * stride + 1;
    start = next - 1;
  }
  return [...numberBytes(runs.length), ...runs.flat()];
}

/** The text of the kernel's file. */
export function tableSource() {
  const bytes = Buffer.from([...classBytes(), ...foldBytes()]);
  const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8);
  bytes.copy(padded);
  const words = Array.from({ length: padded.length / 8 }, (_, i) => `0x${padded.readBigUInt64LE(8 * i).toString(16)}`);
  const rows = Array.from({ length: Math.ceil(words.length / 6) }, (_, i) => words.slice(6 * i, 6 * i + 6));
  return [
    `// The properties of characters in Unicode ${UNICODE_VERSION}. Written by tools/unicode.mjs; not to be edited.`,
    '',
    '/** Runs of classes, then runs of folded letters (characters.ts). */',
    'export const PROPERTIES: usize = memory.data<u64>([',
    ...rows.map((row) => `  ${row.join(', ')},`),
    ']);',
    '',
  ].join('\n');
}
