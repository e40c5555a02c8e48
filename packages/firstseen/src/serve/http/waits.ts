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

/** The events of a client that closes its side, or whose connection closes. */
const DEPARTURES = ['end', 'close'] as const;

/** Tells requests that wait when their client leaves. */
export class Departures {
  readonly #waiting = new Set<() => void>();
  #isOver = false;

  /**
   * Calls back once the client has closed its side, or the server stops: at once if that was before. Nothing tells a client that only reads
   * on from one that has gone. @returns how to stop waiting
   */
  whenGone(socket: Socket, callback: () => void): () => void {
    if (socket.destroyed || socket.readableEnded || this.#isOver) {
      callback();
      return () => undefined;
    }
    this.#waiting.add(callback);
    for (const event of DEPARTURES) socket.once(event, callback);
    return () => {
      this.#waiting.delete(callback);
      for (const event of DEPARTURES) socket.off(event, callback);
    };
  }

  /** Ends all waiting: the server stops. */
  endAll(): void {
    this.#isOver = true;
    for (const callback of [...this.#waiting]) callback();
  }
}
