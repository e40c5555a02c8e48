// Where a value is in a record, as it is written there.

import type { Kernel } from '../../kernel/kernel.js';

export const QUOTE = 0x22;

/** The addresses of the first byte of a value and one past its last byte. */
export interface Place {
  start: number;
  end: number;
}

/** One past the content of a record of the batch. */
function contentEnd(kernel: Kernel, index: number): number {
  return kernel.exports.joinedContentEnd(index) >>> 0 || (kernel.recordEnds[index] as number);
}

/** The value at a path in a record of the batch; undefined if the record has none. */
export function placeOf(kernel: Kernel, path: number, index: number): Place | undefined {
  const end = contentEnd(kernel, index);
  const start = kernel.exports.jsonValue(path, kernel.recordStarts[index] as number, end) >>> 0;
  return start === 0 ? undefined : { start, end: kernel.exports.jsonValueEnd(start, end) >>> 0 };
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

function codeUnit(raw: Uint8Array, at: number): number {
  return Number.parseInt(String.fromCharCode(...raw.subarray(at + 2, at + 6)), 16);
}

/** Whether there is a \u escape at `at` whose code unit is in the lower or upper half of surrogates. */
function isSurrogate(raw: Uint8Array, at: number, first: number): boolean {
  return raw[at] === BACKSLASH && raw[at + 1] === LETTER_U && codeUnit(raw, at) >> 10 === first;
}

/** The bytes of the escape at `at`, and of the character that it means. */
function escapeAt(raw: Uint8Array, at: number): [written: number, decoded: number] {
  if (raw[at + 1] !== LETTER_U) return [2, 1];
  const unit = codeUnit(raw, at);
  if (unit < 0x80) return [6, 1];
  if (unit < 0x800) return [6, 2];
  return isSurrogate(raw, at, 0x36) && isSurrogate(raw, at + 6, 0x37) ? [12, 4] : [6, 3];
}

/**
 * Where bytes of a JSON string are in its content as it is written.
 * @param decoded the offsets of the bytes when escapes are decoded, in ascending order, each at the beginning of a character
 */
export function writtenOffsets(raw: Uint8Array, decoded: readonly number[]): number[] {
  let [at, before] = [0, 0];
  let next = raw.indexOf(BACKSLASH);
  return decoded.map((offset) => {
    while (next !== -1 && before + next - at < offset) {
      const [written, bytes] = escapeAt(raw, next);
      before += next - at + bytes;
      at = next + written;
      next = raw.indexOf(BACKSLASH, at);
    }
    return at + offset - before;
  });
}
