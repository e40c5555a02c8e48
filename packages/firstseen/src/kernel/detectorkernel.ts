// The build of the kernel that has the functions of detectors alone. It is the only one in a bundle of `create`.

import { type Build, compiledAtHand, compiledOnce } from './compile.js';
import { detectorKernelText } from './detectormodule.js';

const build: Build = { text: () => detectorKernelText, module: undefined, ready: undefined };

/** The kernel of detectors, compiled at the first call. @throws FirstseenError E_COMPILE as `compileKernel` */
export function detectorKernel(): Promise<WebAssembly.Module> {
  return compiledOnce(build);
}

/** The same at once. @throws FirstseenError E_COMPILE where it is not compiled yet, and can only be compiled asynchronously. */
export function detectorKernelAtHand(): WebAssembly.Module {
  return compiledAtHand(build);
}
