// Waiting for what happens in other processes.

import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a function has an answer.
 * @param options seconds; milliseconds between two questions; told: what to add to the error
 * @throws Error if it does not come in time
 */
export async function waitFor(what, ask, { seconds = 60, milliseconds = 20, told = () => '' } = {}) {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const found = await ask();
    if (found) return found;
    await sleep(milliseconds);
  }
  throw new Error(`${what} did not happen within ${seconds} seconds. ${told()}`);
}
