// Calls of functions of the kernel that are listed before they are made, in one thread or in several.

import type { KernelExports } from './abi.js';
import type { Kernel } from './kernel.js';

/** A function of the kernel and its arguments. */
export interface KernelCall {
  name: keyof KernelExports;
  parameters: number[];
}

/** Makes calls one after the other, in this thread. */
export function makeCalls({ exports }: Kernel, calls: readonly KernelCall[]): void {
  for (const { name, parameters } of calls) {
    const called = exports[name] as (...numbers: number[]) => void;
    called(...parameters);
  }
}
