// Clients of HTTP that leave while their requests wait.

import type { Socket } from 'node:net';

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
