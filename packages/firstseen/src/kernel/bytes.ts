// Bytes in the memory of a kernel.

import type { Kernel } from './kernel.js';

/** The bytes of memory from one address to another. */
export function bytesBetween(kernel: Kernel, from: number, to: number): Uint8Array<ArrayBuffer> {
  return kernel.bytes.subarray(from, to);
}
