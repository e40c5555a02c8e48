// The priority of processes that work beside the one that has started them.

import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';

const LOW_PRIORITY = 10;

/** Lets the processor do first what other processes have to do. On Linux, it holds for the main thread and those that it starts later. */
export function lowerPriority({ pid }: Pick<ChildProcess, 'pid'>): void {
  try {
    if (pid !== undefined) setPriority(pid, LOW_PRIORITY);
  } catch {
    // It has ended, or the system does not allow it: it runs as it is.
  }
}
