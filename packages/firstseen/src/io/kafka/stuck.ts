// Calls of the client that never return. Each has a time of its own, but librdkafka 2.15.1 forgets some answers while coordinators change.

import { called, type RdClient } from './rdkafka.js';

const STUCK_SECONDS = 60;

/** A call of the client has not returned. What it was asked of cannot be used or closed any more. */
export class ClientStuck extends Error {
  override readonly name = 'ClientStuck';

  constructor() {
    super(`the client has not returned for ${STUCK_SECONDS} seconds`);
  }
}

/**
 * Waits for a call of the client. Seconds are counted one by one, so that a process that was stopped meanwhile does not give up when it goes on.
 * @throws ClientStuck
 */
export async function answered<Value>(call: Promise<Value>): Promise<Value> {
  let seconds = 0;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      seconds++;
      if (seconds >= STUCK_SECONDS) reject(new ClientStuck());
    }, 1000);
  });
  try {
    return await Promise.race([call, deadline]);
  } finally {
    clearInterval(timer);
  }
}

/**
 * Closes a client. What it says against it does not matter.
 * @returns whether it has returned
 */
export async function disconnect(client: Pick<RdClient, 'disconnect'>): Promise<boolean> {
  try {
    await answered(called((callback) => client.disconnect(callback)));
  } catch (error) {
    return !(error instanceof ClientStuck);
  }
  return true;
}
