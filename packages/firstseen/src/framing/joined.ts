// Records of ndjson that another record follows on their line. In an output each has a line of its own.

import { joinBytes } from '../base/utf8.js';
import { bytesBetween } from '../kernel/bytes.js';
import type { Kernel } from '../kernel/kernel.js';

/** The bytes in an output after a record that another follows on its line. */
export const JOINED_END: Uint8Array = Uint8Array.of(0x0a);

/** The number of records among the first `count` of a batch that another record follows on its line. */
export function joinedRecords({ exports }: Kernel, count: number): number {
  if (exports.joinedEnd() === 0) return 0;
  let joined = 0;
  for (let i = 0; i < count; i++) if (exports.joinedContentEnd(i) !== 0) joined++;
  return joined;
}

/** The bytes of a record as an output has them: with its terminator, or a newline in place of what is before the next record. */
export function recordBytes(kernel: Kernel, index: number): Uint8Array<ArrayBuffer> {
  const start = kernel.recordStarts[index] as number;
  const contentEnd = kernel.exports.joinedContentEnd(index) >>> 0;
  if (contentEnd === 0) return bytesBetween(kernel, start, kernel.recordEnds[index] as number);
  return joinBytes([bytesBetween(kernel, start, contentEnd), JOINED_END]);
}
