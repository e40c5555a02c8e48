// Replies that wait until the changes before them are safe, and are sent in their order.

import type { DataFolder } from './log/datafolder.js';

interface Held<Part> {
  readonly part: Part;
  isSafe: boolean;
}

/** The replies of one client that are not sent yet. */
export class HeldReplies<Part extends { readonly length: number }> {
  readonly #data: () => DataFolder | undefined;
  readonly #send: (part: Part) => void;
  readonly #released: () => void;
  readonly #held: Held<Part>[] = [];
  /** Bytes that wait. */
  bytes = 0;

  /**
   * @param data where changes are logged
   * @param send sends what is safe
   * @param released called after what has waited was sent
   */
  constructor(data: () => DataFolder | undefined, send: (part: Part) => void, released: () => void) {
    this.#data = data;
    this.#send = send;
    this.#released = released;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0;
  }

  /** Sends a part once the changes so far are safe. @param usesDetectors whether it tells of a detector, as in `Journal.whenSafe` */
  add(part: Part, usesDetectors: boolean): void {
    const data = this.#data();
    if (data === undefined) {
      this.#send(part);
      return;
    }
    const held: Held<Part> = { part, isSafe: false };
    const release = () => {
      held.isSafe = true;
      this.#letGo();
      this.#released();
    };
    held.isSafe = !data.whenSafe(release, usesDetectors);
    this.#held.push(held);
    this.bytes += part.length;
    this.#letGo();
  }

  #letGo(): void {
    while (this.#held[0]?.isSafe) {
      const { part } = this.#held.shift() as Held<Part>;
      this.bytes -= part.length;
      this.#send(part);
    }
  }
}
