// The beginning and the end of what has been read of a file. They recognize the file, and show whether it still has what was read.

import { fstatSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Beginning } from '../source.js';
import { BEGINNING_DIGITS, digestOf, EDGE_BYTES, readEdge } from '../system/edges.js';

const NEWLINE = 0x0a;

/** Bytes at the end that are kept: the edge, and before it the bytes of an unfinished last record. */
const TAIL_BYTES = EDGE_BYTES + 65536;

/** The number of last lines with which a beginning may end. */
const MAX_BEGINNINGS = 64;

/** A file that was changed less than this time ago may be changed again without a change of its time. */
const UNSETTLED_MILLISECONDS = 100;

/** The edges of the bytes that have been read of an open file, up to a position. */
export class ReadEdges {
  position: number;
  readonly #file: FileHandle;
  readonly #head: Buffer[];
  #headBytes: number;
  #tail: Buffer;
  /** The time of the last change of the file up to which it is known to have what was read. */
  #checkedMilliseconds: number | undefined;
  #wasRewritten = false;

  private constructor(file: FileHandle, position: number, head: Uint8Array, tail: Uint8Array) {
    this.#file = file;
    this.position = position;
    this.#head = [Buffer.from(head)];
    this.#headBytes = head.length;
    this.#tail = Buffer.from(tail);
  }

  /** The edges of what is before a position. */
  static async of(file: FileHandle, position: number): Promise<ReadEdges> {
    const [headBytes, tailBytes] = [Math.min(position, EDGE_BYTES), Math.min(position, TAIL_BYTES)];
    const tail = await readEdge(file, tailBytes, position - tailBytes);
    return new ReadEdges(file, position, await readEdge(file, headBytes, 0), tail);
  }

  /** Adds bytes that were read. */
  add(bytes: Uint8Array): void {
    const missing = EDGE_BYTES - this.#headBytes;
    if (missing > 0) {
      this.#head.push(Buffer.from(bytes.subarray(0, missing)));
      this.#headBytes += Math.min(missing, bytes.length);
    }
    const tail = Buffer.from(bytes.subarray(-TAIL_BYTES));
    this.#tail = tail.length < TAIL_BYTES ? Buffer.concat([this.#tail, tail]).subarray(-TAIL_BYTES) : tail;
    this.position += bytes.length;
  }

  get endsLine(): boolean {
    return this.#tail.length === 0 || this.#tail.at(-1) === NEWLINE;
  }

  /** Bytes from one position to another, if they are kept. */
  #between(from: number, to: number): Uint8Array | undefined {
    const tailStart = this.position - this.#tail.length;
    if (from >= tailStart && to <= this.position) return this.#tail.subarray(from - tailStart, to - tailStart);
    return to <= this.#headBytes ? Buffer.concat(this.#head).subarray(from, to) : undefined;
  }

  /** The digest of the edges of the first `offset` bytes, as of a file; undefined if they are not kept. */
  digestAt(offset: number): string | undefined {
    const bytes = Math.min(offset, EDGE_BYTES);
    const [head, tail] = [this.#between(0, bytes), this.#between(offset - bytes, offset)];
    return head && tail && digestOf([head, tail]);
  }

  /** The beginnings of the first `offset` bytes that end with one of the last lines, the longest first. */
  beginningsOf(offset: number): Beginning[] {
    const tailStart = this.position - this.#tail.length;
    const beginnings: Beginning[] = [];
    let end = offset - tailStart - 1;
    while (end > 0 && beginnings.length < MAX_BEGINNINGS) {
      end = this.#tail.lastIndexOf(NEWLINE, end - 1);
      const digest = end < 0 ? undefined : this.digestAt(tailStart + end + 1);
      if (digest === undefined) break;
      beginnings.push([tailStart + end + 1, digest.slice(0, BEGINNING_DIGITS)]);
    }
    return beginnings;
  }

  /** Tells if an open file has what was read. */
  async areOf(file: FileHandle): Promise<boolean> {
    const { size } = await file.stat();
    if (size < this.position) return false;
    const head = await readEdge(file, this.#headBytes, 0);
    const bytes = Math.min(this.#tail.length, EDGE_BYTES);
    const tail = await readEdge(file, bytes, this.position - bytes);
    return Buffer.concat(this.#head).equals(head) && this.#tail.subarray(this.#tail.length - bytes).equals(tail);
  }

  /** Tells if the file that is read was emptied since then, and possibly written to again. */
  async wasRewritten(): Promise<boolean> {
    if (this.#wasRewritten) return true;
    // After each chunk. A thread of Node's pool would take longer to wake than this takes.
    const { ctimeMs, size } = fstatSync(this.#file.fd);
    if (ctimeMs === this.#checkedMilliseconds && size >= this.position) return false;
    this.#wasRewritten = !(await this.areOf(this.#file));
    this.#checkedMilliseconds = Date.now() - ctimeMs > UNSETTLED_MILLISECONDS ? ctimeMs : undefined;
    return this.#wasRewritten;
  }
}
