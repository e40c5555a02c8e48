// The two builds of the kernel, compiled once per test file.

import { readFile } from 'node:fs/promises';

export const kernelNames = ['release', 'debug'] as const;
export type KernelName = (typeof kernelNames)[number];

export function kernelFile(name: KernelName): URL {
  return new URL(`../../build/kernel.${name}.wasm`, import.meta.url);
}

async function compile(name: KernelName): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(kernelFile(name)));
}

export const kernelModules: Readonly<Record<KernelName, WebAssembly.Module>> = {
  release: await compile('release'),
  debug: await compile('debug'),
};
