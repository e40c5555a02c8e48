// Waits for what a server does.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.mjs';

const WAIT_MILLISECONDS = 5;
const MAX_WAITS = 36_000;

/** @returns the first result of a function that counts as true @throws Error if there is none, with what was waited for */
export async function waitFor(isDone, what) {
  for (let i = 0; i < MAX_WAITS; i++) {
    const found = isDone();
    if (found) return found;
    await sleep(WAIT_MILLISECONDS);
  }
  throw new Error(`${what} did not happen`);
}

/** Asks for new snapshots. @returns the process that writes them, and the reply */
export async function beginSave(server) {
  const client = await Client.open(server.port);
  const reply = client.send('FS.SAVE').finally(() => client.close());
  return { child: await waitFor(() => server.compactor, 'a compaction'), reply };
}
