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
