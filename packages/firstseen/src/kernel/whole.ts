// The release build of the kernel with all its functions, for near-duplicates, motifs and runs. A bundle of a program that only needs
// detectors does not contain it.

import { compileKernel } from './compile.js';
import { wholeKernelText } from './wholemodule.js';

let compiling: Promise<WebAssembly.Module> | undefined;

/**
 * Compiled at the first call.
 * @throws FirstseenError E_COMPILE where compiling is forbidden.
 */
export function wholeKernel(): Promise<WebAssembly.Module> {
  compiling ??= compileKernel(wholeKernelText);
  return compiling;
}
