// The build of the kernel for a memory that threads share.

import { brotliDecompressSync } from 'node:zlib';

/** Loaded when a run uses threads. */
export async function sharedKernel(): Promise<WebAssembly.Module> {
  const { sharedKernelText } = await import('../kernel/sharedmodule.js');
  return WebAssembly.compile(new Uint8Array(brotliDecompressSync(Buffer.from(sharedKernelText, 'base64'))));
}
