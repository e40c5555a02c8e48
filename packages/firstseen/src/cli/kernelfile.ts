// The kernel as a file of the package, which is read faster than its text in a module is loaded, decoded and decompressed.

import { readFileSync } from 'node:fs';

/** Beside the folder of chunks, in which the build puts this module. */
const kernelUrl = new URL('../kernel.wasm', import.meta.url);

/** The release build of the kernel; undefined where the file cannot be read. */
export function kernelOfFile(): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(readFileSync(kernelUrl));
  } catch {
    return undefined;
  }
}
