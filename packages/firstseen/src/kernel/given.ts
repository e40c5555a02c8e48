// A kernel that the user gives, for hosts that do not compile bytes.

import type { OptionNames } from '../base/check.js';
import { defined } from '../base/defined.js';
import { invalidOption } from '../base/errors.js';
import { detectorKernelDigest } from './detectormoduledigest.js';
import { kernelDigest } from './moduledigest.js';

declare global {
  namespace WebAssembly {
    /** Merges with the type of the platform, for programs that have neither the types of Node nor those of a browser. */
    interface Module {}
  }
}

/** An option of everything that makes a detector. */
export interface ModuleOptions {
  /**
   * The compiled `firstseen/kernel.wasm` of this version, for hosts that do not compile WebAssembly from bytes, such as Cloudflare
   * Workers; by default the library compiles its own copy. Detectors, iterables and streams of records, claims and pools do with
   * `firstseen/detectors.wasm`, which is less than half as large.
   */
  module?: WebAssembly.Module | undefined;
}

export const moduleOptionNames: OptionNames<ModuleOptions> = { module: true };

/** The digest of the build to which a module belongs; undefined for another module, or for another value. */
function digestOf(module: unknown): string | undefined {
  try {
    const [section] = WebAssembly.Module.customSections(module as WebAssembly.Module, 'firstseen');
    return section && new TextDecoder().decode(section);
  } catch {
    return undefined;
  }
}

/** @throws FirstseenError E_PARAMETER unless the module is one of these builds. */
function checkedModule(
  { module }: ModuleOptions,
  digests: readonly string[],
  files: string,
): { module?: WebAssembly.Module } {
  if (module !== undefined && !digests.includes(digestOf(module) ?? '')) {
    throw invalidOption({
      option: 'module',
      given: module,
      expected: `the WebAssembly.Module of ${files} of this version`,
      remedy: 'import it from the same package as the library',
    });
  }
  return defined({ module });
}

/**
 * The module that options name for a detector, as an option of the kernel.
 * @throws FirstseenError E_PARAMETER unless it is a kernel of this version.
 */
export function givenModule(options: ModuleOptions): { module?: WebAssembly.Module } {
  const files = 'firstseen/detectors.wasm or firstseen/kernel.wasm';
  return checkedModule(options, [detectorKernelDigest, kernelDigest], files);
}

/** The same for what scans records or compares documents, which the kernel of detectors cannot do. */
export function givenWholeModule(options: ModuleOptions): { module?: WebAssembly.Module } {
  return checkedModule(options, [kernelDigest], 'firstseen/kernel.wasm');
}

/** The other options. A value that is not an object passes, and the check of the other options refuses it. */
export function withoutModule<Options extends ModuleOptions>(options: Options): Omit<Options, 'module'> {
  if (typeof options !== 'object' || options === null || !('module' in options)) return options;
  const { module: _module, ...others } = options;
  return others;
}

/** @throws FirstseenError E_PARAMETER when a module is given for threads, which have a build of their own. */
export function refuseModule(options: object): void {
  const { module }: ModuleOptions = options;
  if (module === undefined) return;
  throw invalidOption({ option: 'module', given: module, expected: 'left out with threads' });
}
