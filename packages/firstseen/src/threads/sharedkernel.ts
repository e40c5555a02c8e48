// The build of the kernel for a memory that threads share.

import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import { type DetectorSettings, kernelSizes } from '../detectors/settings.js';
import { sharedMemory } from '../kernel/kernel.js';

/** Written by the build. Only Node has threads, so it is a file and not text in a module, which would be a third longer. */
const kernelUrl = new URL('./sharedkernel.wasm.br', import.meta.url);

/** Loaded when threads are used. */
export async function sharedKernel(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(new Uint8Array(brotliDecompressSync(await readFile(kernelUrl))));
}

/** The sizes, the module and the memory of a kernel that threads share, for a detector with these settings. */
export async function sharedHost(settings: DetectorSettings, regionBytes: number) {
  const sizes = { ...kernelSizes(settings), regionBytes };
  return { ...sizes, module: await sharedKernel(), memory: sharedMemory(sizes) };
}

export type SharedHost = Awaited<ReturnType<typeof sharedHost>>;
