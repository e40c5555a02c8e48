// Clients of HTTP whose requests wait for a claim.

import type { Socket } from 'node:net';

/** The members of a socket that the time without traffic of a connection needs. */
export type TimedSocket = Pick<Socket, 'timeout' | 'setTimeout'>;

/** A connection of which requests wait. */
interface Waiting {
  requests: number;
  /** The time for which the connection may be idle when none waits. */
  readonly timeout: number;
}

/** Lets connections be idle as long as one of their requests waits: a client that waits sends nothing. A pipeline may have several that wait. */
export class Waits {
  readonly #waiting = new WeakMap<TimedSocket, Waiting>();

  async whileWaiting<Result>(socket: TimedSocket, work: Promise<Result>): Promise<Result> {
    const waiting = this.#waiting.get(socket) ?? this.#begin(socket);
    waiting.requests++;
    try {
      return await work;
    } finally {
      waiting.requests--;
      if (waiting.requests === 0) {
        this.#waiting.delete(socket);
        socket.setTimeout(waiting.timeout);
      }
    }
  }

  #begin(socket: TimedSocket): Waiting {
    const waiting = { requests: 0, timeout: socket.timeout ?? 0 };
    this.#waiting.set(socket, waiting);
    socket.setTimeout(0);
    return waiting;
  }
}
