// Reads the beginnings of the next inputs while the current one is read, where each takes a request to a store. The order of the inputs
// stays, and what fails is thrown when the input is opened.

import type { Source } from './source.js';

/** Inputs after the current one whose beginnings are read at the same time. */
export const AHEAD_INPUTS = 32;

/** Bytes of the beginnings that are read and wait, together. */
export const AHEAD_BYTES = 16 * 2 ** 20;

/** Begins to read those of the next inputs, `AHEAD_INPUTS` at most, that fit, from the first on. */
export function beginAhead(next: readonly Source[]): void {
  let bytes = 0;
  for (const { ahead } of next) {
    bytes += ahead?.bytes ?? 0;
    if (bytes > AHEAD_BYTES) return;
    ahead?.begin();
  }
}

/** Ends what no reading has taken. */
export function endAhead(sources: readonly Source[]): void {
  for (const { ahead } of sources) ahead?.end();
}
