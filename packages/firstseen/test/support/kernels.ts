// The two builds of the kernel, compiled once per test file.

import { readFile } from 'node:fs/promises';

export const kernelNames = ['release', 'debug'] as const;
export type KernelName = (typeof kernelNames)[number];

const buildFolder = new URL('../../build/', import.meta.url);

export function kernelFile(name: KernelName, folder: URL = buildFolder): URL {
  return new URL(`kernel.${name}.wasm`, folder);
}

async function compile(name: KernelName, folder: URL): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(kernelFile(name, folder)));
}

/** Compiles both builds of a package's kernel. */
export async function compileKernels(folder: URL): Promise<Readonly<Record<KernelName, WebAssembly.Module>>> {
  return { release: await compile('release', folder), debug: await compile('debug', folder) };
}

export const kernelModules = await compileKernels(buildFolder);
