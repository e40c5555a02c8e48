// The memory that a detector is created in.

import { defined } from '../base/defined.js';
import { type KernelOptions, kernelPages } from '../kernel/kernel.js';
import { type DetectorSettings, kernelSizes } from './settings.js';

/** The options with which a host that shares the kernel's memory creates a detector. */
export interface HostOptions {
  /** Bytes after the cells for keys, or for a host's input and output. */
  regionBytes?: number | undefined;
  /**
   * Another build of the kernel.
   * @internal
   */
  module?: WebAssembly.Module;
  /**
   * Memory that threads share, of the size for these settings; its own memory by default.
   * @internal
   */
  memory?: WebAssembly.Memory;
  /**
   * As `KernelOptions.equalKeyIn`.
   * @internal
   */
  equalKeyIn?: KernelOptions['equalKeyIn'];
  /**
   * The clock that the detector reads if its window is a duration, in milliseconds since 1970; by default the host sets the time.
   * @internal
   */
  now?: () => number;
}

/** The longest key that the library accepts. Memory is used only up to the longest key seen. */
export const MAX_KEY_BYTES = 2 ** 20;

export function kernelOptions(
  settings: DetectorSettings,
  { regionBytes = MAX_KEY_BYTES, module, memory, equalKeyIn }: HostOptions,
): KernelOptions {
  return { ...kernelSizes(settings), regionBytes, ...defined({ module, memory, equalKeyIn }) };
}

/**
 * Checks that a detector with these settings can have its memory, without creating one.
 * @throws FirstseenError E_MEMORY when it cannot.
 */
export function checkRoom(settings: DetectorSettings): void {
  kernelPages(kernelOptions(settings, {}));
}
