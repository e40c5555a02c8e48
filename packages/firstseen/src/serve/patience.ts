// How long the server waits for a client. The server looks at all its connections once in a while, so that a chunk costs nothing.

export interface TimeLimits {
  /** For a whole command, and for the token of a client that needs one. */
  requestMilliseconds: number;
  /** For anything at all; undefined for any time. */
  idleMilliseconds?: number | undefined;
}

/** The condition of a connection when the server looks at it. */
export interface Seen {
  /** Bytes that came so far. */
  bytes: number;
  /** Commands that came so far. */
  commands: number;
  /** True if a part of a command has come. */
  isPartial: boolean;
  /** True if the client still has to say its token. */
  isUnknown: boolean;
  /** True if the client waits for the server, so that nothing can come. */
  isServed: boolean;
}

/** The patience with one client. */
export class Patience {
  /** The time up to which the client was not in the middle of a command, and that at which something came. */
  #quietAt: number;
  #heardAt: number;
  readonly #openedAt: number;
  #bytes = 0;
  #commands = 0;

  constructor(now: number) {
    [this.#openedAt, this.#quietAt, this.#heardAt] = [now, now, now];
  }

  /** Tells if the client takes longer than it may. */
  isOver(now: number, seen: Seen, { requestMilliseconds, idleMilliseconds }: TimeLimits): boolean {
    const { bytes, commands, isPartial, isUnknown, isServed } = seen;
    if (isServed || bytes !== this.#bytes) this.#heardAt = now;
    if (isServed || !isPartial || commands !== this.#commands) this.#quietAt = now;
    [this.#bytes, this.#commands] = [bytes, commands];
    const commandSince = isUnknown ? this.#openedAt : this.#quietAt;
    if (now - commandSince > requestMilliseconds) return true;
    return idleMilliseconds !== undefined && now - this.#heardAt > idleMilliseconds;
  }
}
