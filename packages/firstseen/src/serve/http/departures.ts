// Clients of HTTP that leave while their requests wait.

import type { Socket } from 'node:net';

/** Tells requests that wait when their connection closes. A connection may have many, as pipelines do, and has one listener for all of them. */
export class Departures {
  readonly #waiting = new WeakMap<Socket, Set<() => void>>();

  /** Calls back once the connection has closed: at once if it has. @returns how to stop waiting */
  whenGone(socket: Socket, callback: () => void): () => void {
    if (socket.destroyed) {
      callback();
      return () => undefined;
    }
    const callbacks = this.#waiting.get(socket) ?? this.#listen(socket);
    callbacks.add(callback);
    return () => callbacks.delete(callback);
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
