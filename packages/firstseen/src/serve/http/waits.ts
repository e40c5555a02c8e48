// Clients of HTTP whose requests wait for a claim, and that may leave meanwhile.

import type { Socket } from 'node:net';

/** The members of a socket that the time without traffic of a connection needs. */
export type TimedSocket = Pick<Socket, 'timeout' | 'setTimeout'>;

/** Lets a connection be idle as long as its request waits: a client that waits sends nothing. */
export async function whileWaiting<Result>(socket: TimedSocket, work: Promise<Result>): Promise<Result> {
  const idleMilliseconds = socket.timeout ?? 0;
  socket.setTimeout(0);
  try {
    return await work;
  } finally {
    socket.setTimeout(idleMilliseconds);
  }
}

/** Tells requests that wait when their connection closes. */
export class Departures {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  /** Calls back once the connection has closed, or the server stops: at once if that was before. @returns how to stop waiting */
  whenGone(socket: Socket, callback: () => void): () => void {
    if (socket.destroyed || this.#isOver) {
      callback();
      return () => undefined;
    }
    this.#waiting.add(callback);
    socket.once('close', callback);
    return () => {
      this.#waiting.delete(callback);
      socket.off('close', callback);
    };
  }

  /** Ends all waiting: the server stops. */
  endAll(): void {
    this.#isOver = true;
    for (const callback of [...this.#waiting]) callback();
  }
}
