// The beginning and the end of what has been read of a file: they show whether the file still has what was read.

import type { FileHandle } from 'node:fs/promises';
import { digestOf, EDGE_BYTES, readEdge } from '../edges.js';

const NEWLINE = 0x0a;

/** The first and the last bytes of what has been read of a file, by which it is recognized. */
export class ReadEdges {
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);

  get digest(): string {
    return digestOf([this.#head, this.#tail]);
  }

  /** Takes the edges of a file up to a position. */
  async take(file: FileHandle, position: number): Promise<void> {
    const bytes = Math.min(position, EDGE_BYTES);
    this.#head = Buffer.from(await readEdge(file, bytes, 0));
    this.#tail = Buffer.from(await readEdge(file, bytes, position - bytes));
  }

  /** Adds bytes that were read. */
  add(bytes: Uint8Array): void {
    const missing = EDGE_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, missing)]);
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
  }

  get endsLine(): boolean {
    return this.#tail.length === 0 || this.#tail.at(-1) === NEWLINE;
  }

  /** Whether a file has them, up to a position. */
  async areOf(file: FileHandle, position: number): Promise<boolean> {
    const { size } = await file.stat();
    if (size < position) return false;
    const head = await readEdge(file, this.#head.length, 0);
    const tail = await readEdge(file, this.#tail.length, position - this.#tail.length);
    return this.#head.equals(head) && this.#tail.equals(tail);
  }
}
