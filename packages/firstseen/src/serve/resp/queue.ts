// Commands of a transaction: copies, because the buffer of the parser is used again before they are run.

import type { ParsedCommands, RequestLimits } from './commands.js';

/** Commands that are run together later. They may have as many arguments and bytes together as one command. */
export class CommandQueue {
  readonly #limits: RequestLimits;
  readonly #parts: Buffer[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #firsts: number[] = [0];
  #byteCount = 0;

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** Bytes of the commands. */
  get bytes(): number {
    return this.#byteCount;
  }

  /** Takes a copy of a command. @returns false if the queue is full */
  add({ bytes, starts, ends, firsts }: ParsedCommands, index: number): boolean {
    const [first, end] = [firsts[index] as number, firsts[index + 1] as number];
    const from = starts[first] as number;
    const part = bytes.subarray(from, ends[end - 1]);
    const { requestBytes, commandArguments } = this.#limits;
    if (this.#byteCount + part.length > requestBytes) return false;
    if (this.#starts.length + end - first > commandArguments) return false;
    for (let i = first; i < end; i++) {
      this.#starts.push((starts[i] as number) - from + this.#byteCount);
      this.#ends.push((ends[i] as number) - from + this.#byteCount);
    }
    this.#firsts.push(this.#starts.length);
    this.#parts.push(Buffer.from(part));
    this.#byteCount += part.length;
    return true;
  }

  /** All commands. */
  commands(): ParsedCommands {
    return {
      bytes: Buffer.concat(this.#parts),
      starts: Uint32Array.from(this.#starts),
      ends: Uint32Array.from(this.#ends),
      firsts: this.#firsts,
      repeats: [],
      count: this.#parts.length,
    };
  }
}
