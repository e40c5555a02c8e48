// The kernel of the streams: a module of its own, over the library's memory map.

import { compileKernel } from 'firstseen/internal';
import { kernelText } from './module.js';

let compiled: Promise<WebAssembly.Module> | undefined;

/** The release build, compiled at the first call. */
export function streamKernel(): Promise<WebAssembly.Module> {
  compiled ??= compileKernel(kernelText);
  return compiled;
}
