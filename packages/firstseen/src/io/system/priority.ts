// The priority of processes that work beside the one that has started them.

import { setPriority } from 'node:os';

const LOW_PRIORITY = 10;
/** The amount from which on work is urgent, as a multiple of the amount at which it begins. */
const URGENT_MULTIPLE = 1.5;
/** Time for which work stays urgent: a machine that is busy may stay so. */
const URGENT_MILLISECONDS = 600_000;

/** A part of the task of a process that works beside another one. */
export interface WorkBeside {
  /** True if others wait for the work: otherwise the process that has started it has what the processor does first. */
  isUrgent: boolean;
}

/** Tells which work is urgent: others wait for it, or would if it left the processor to them. */
export class Urgency {
  #at = Number.NEGATIVE_INFINITY;

  /** Notes that others have waited until now. */
  note(): void {
    this.#at = performance.now();
  }

  /** Tells if work is urgent, or was of late. @param multiple what is to be done, as a multiple of the amount at which work begins */
  isUrgent(multiple: number): boolean {
    if (multiple > URGENT_MULTIPLE) this.note();
    return performance.now() - this.#at < URGENT_MILLISECONDS;
  }
}

/**
 * Lets the processor do first what other processes have to do, unless the work of this one is urgent. It cannot be raised later. On Linux, it
 * holds for the main thread and those that it starts later.
 */
export function lowerUnlessUrgent({ isUrgent }: WorkBeside): void {
  if (isUrgent) return;
  try {
    setPriority(LOW_PRIORITY);
  } catch {
    // The system does not allow it: it runs as it is.
  }
}
