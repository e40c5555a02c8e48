// The build of the kernel for a memory that threads share.

import { brotliDecompressSync } from 'node:zlib';
import { type DetectorSettings, kernelSizes } from '../detectors/settings.js';
import { sharedMemory } from '../kernel/kernel.js';

/** Loaded when threads are used. */
export async function sharedKernel(): Promise<WebAssembly.Module> {
  const { sharedKernelText } = await import('../kernel/sharedmodule.js');
  return WebAssembly.compile(new Uint8Array(brotliDecompressSync(Buffer.from(sharedKernelText, 'base64'))));
}

/** The sizes, the module and the memory of a kernel that threads share, for a detector with these settings. */
export async function sharedHost(settings: DetectorSettings, regionBytes: number) {
  const sizes = { ...kernelSizes(settings), regionBytes };
  return { ...sizes, module: await sharedKernel(), memory: sharedMemory(sizes) };
}

export type SharedHost = Awaited<ReturnType<typeof sharedHost>>;
