// Calls of the client that never return. Each has a time of its own, but librdkafka 2.15.1 forgets some answers while coordinators change.

const STUCK_SECONDS = 60;

/** A call of the client has not returned. What it was asked of cannot be used or closed any more. */
export class ClientStuck extends Error {
  override readonly name = 'ClientStuck';
}

/**
 * Waits for a call of the client. Seconds are counted one by one, so that a process that was stopped meanwhile does not give up when it goes on.
 * @throws ClientStuck
 */
export async function answered<Value>(call: Promise<Value>): Promise<Value> {
  let seconds = 0;
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      seconds++;
      if (seconds >= STUCK_SECONDS) reject(new ClientStuck(`the client has not returned for ${seconds} seconds`));
    }, 1000);
  });
  try {
    return await Promise.race([call, stuck]);
  } finally {
    clearInterval(timer);
  }
}
