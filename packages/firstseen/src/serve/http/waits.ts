// Clients of HTTP whose requests wait for a claim, and that may leave meanwhile.

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

/** Tells requests that wait when their connection closes. A connection may have many, as pipelines do, and has one listener for all of them. */
export class Departures {
  readonly #waiting = new WeakMap<Socket, Set<() => void>>();
  readonly #all = new Set<() => void>();
  #isOver = false;

  /** Calls back once the connection has closed, or the server stops: at once if that was before. @returns how to stop waiting */
  whenGone(socket: Socket, callback: () => void): () => void {
    if (socket.destroyed || this.#isOver) {
      callback();
      return () => undefined;
    }
    const callbacks = this.#waiting.get(socket) ?? this.#listen(socket);
    for (const set of [callbacks, this.#all]) set.add(callback);
    return () => {
      for (const set of [callbacks, this.#all]) set.delete(callback);
    };
  }

  /** Ends all waiting: the server stops. */
  endAll(): void {
    this.#isOver = true;
    for (const callback of [...this.#all]) callback();
  }

  #listen(socket: Socket): Set<() => void> {
    const callbacks = new Set<() => void>();
    this.#waiting.set(socket, callbacks);
    socket.once('close', () => {
      for (const callback of callbacks) callback();
    });
    return callbacks;
  }
}
