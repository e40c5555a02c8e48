// Finds the texts of a record, as they are written there.

import type { Kernel } from '../../kernel/kernel.js';
import type { RecordRegions } from './recordregions.js';

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

/** The place of a string of the texts of a record, without its quotes, and its bytes in the text when its escapes are decoded. */
export interface TextPlace extends Place {
  firstByte: number;
  lastByte: number;
}

/** The strings of the texts of a record of the batch, in the order of the text. */
export function placesOf(
  kernel: Kernel,
  { textPaths, strings }: Pick<RecordRegions, 'textPaths' | 'strings'>,
  { textKeys, index }: { textKeys: readonly string[]; index: number },
): TextPlace[] {
  const { exports, bytes } = kernel;
  const [from, to] = [kernel.recordStarts[index] as number, contentEnd(kernel, index)];
  const count = exports.jsonStrings(textPaths, textKeys.length, from, to, strings) >>> 0;
  const spans = new Uint32Array(bytes.buffer, strings, 2 * count);
  let next = 0;
  return Array.from({ length: count }, (_, i) => {
    const [start, end] = [(spans[2 * i] as number) + 1, (spans[2 * i + 1] as number) - 1];
    const firstByte = next;
    // The last string is as long as it is, and a boundary follows each other one.
    const lastByte = i === count - 1 ? Number.POSITIVE_INFINITY : firstByte + (exports.rewriteBytes(start, end) >>> 0);
    next = lastByte + 1;
    return { start, end, firstByte, lastByte };
  });
}
