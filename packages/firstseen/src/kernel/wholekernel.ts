// The build of the kernel that has all functions: those that scan records and compare documents, too.

import { type Build, compiledOnce, compileKernel, moduleOf } from './compile.js';
import { kernelText } from './module.js';

const build: Build = { text: () => kernelText, module: undefined, ready: undefined };

/**
 * The function that finds the build besides the text. It belongs to the process, as the compiled module does: whichever
 * part needs the kernel first has it compiled for all others, and ten parts can be the first, from the header of a
 * state to a detector. As an option, it would pass through all of them, and have an effect in one call of them alone.
 * It changes no answer, because both builds are the same bytes. Only the command sets it, once, before anything else.
 */
let findBytes: (() => Uint8Array<ArrayBuffer> | undefined) | undefined;

/** Makes the first call that needs the kernel take its bytes from a file, if the file can be read. For the command alone. */
export function findKernelBy(find: () => Uint8Array<ArrayBuffer> | undefined): void {
  findBytes = find;
}

async function compile(): Promise<WebAssembly.Module> {
  const found = findBytes?.();
  return found ? moduleOf(() => found) : compileKernel(build.text());
}

/** The whole kernel, compiled at the first call. @throws FirstseenError E_COMPILE as `compileKernel` */
export function wholeKernel(): Promise<WebAssembly.Module> {
  return compiledOnce(build, compile);
}
