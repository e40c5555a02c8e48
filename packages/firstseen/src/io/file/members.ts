// How the bytes of a compressed output are divided into members, which can be decompressed one by one: into equal lengths, or one for
// each record.

import { joinBytes } from '../../base/utf8.js';
import type { Compress } from '../compression/compression.js';

/**
 * Uncompressed bytes of a member of equal length, so that the same records give the same file wherever a run was stopped and continued;
 * and about how many bytes of short members are compressed together.
 */
export const MEMBER_BYTES = 256 * 1024;

/** The most of a record that is kept to be one member. A longer one, which was read in pieces, has several. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

export interface Members {
  /** True if a later run may go on within the last member. */
  readonly mayPend: boolean;
  readonly isEmpty: boolean;
  /** True if what was added has to be taken now. */
  readonly isFull: boolean;
  /** The bytes that were added and not taken. */
  readonly pending: Uint8Array;
  /**
   * Adds bytes from an offset on, until it is full.
   * @param recordEnds as in `ByteSink.write`
   * @returns the offset after what was added
   */
  add(bytes: Uint8Array, recordEnds: readonly number[], from: number): number;
  /** Compresses what was added, and is empty then. */
  take(compress: Compress): Promise<Uint8Array>;
}

/** Members of equal length. */
export class EqualMembers implements Members {
  readonly mayPend = true;
  #member = new Uint8Array(MEMBER_BYTES);
  #filled: number;

  constructor(pending: Uint8Array) {
    this.#member.set(pending);
    this.#filled = pending.length;
  }

  get isEmpty(): boolean {
    return this.#filled === 0;
  }

  get isFull(): boolean {
    return this.#filled === MEMBER_BYTES;
  }

  get pending(): Uint8Array {
    return this.#member.subarray(0, this.#filled);
  }

  add(bytes: Uint8Array, _recordEnds: readonly number[], from: number): number {
    const taken = bytes.subarray(from, from + MEMBER_BYTES - this.#filled);
    this.#member.set(taken, this.#filled);
    this.#filled += taken.length;
    return from + taken.length;
  }

  take(compress: Compress): Promise<Uint8Array> {
    const { pending } = this;
    this.#member = new Uint8Array(MEMBER_BYTES);
    this.#filled = 0;
    return compress(pending);
  }
}

/** A member for each record, so that a reader with an index can begin at any of them. */
export class RecordMembers implements Members {
  readonly mayPend = false;
  #records: Uint8Array[] = [];
  /** The parts of the record that has not ended. */
  #parts: Uint8Array[];
  #bytes: number;

  constructor(pending: Uint8Array) {
    this.#parts = pending.length > 0 ? [pending] : [];
    this.#bytes = pending.length;
  }

  get isEmpty(): boolean {
    return this.#records.length + this.#parts.length === 0;
  }

  get isFull(): boolean {
    return this.#bytes >= (this.#parts.length > 0 ? MAX_RECORD_BYTES : MEMBER_BYTES);
  }

  get pending(): Uint8Array {
    return joinBytes([...this.#records, ...this.#parts]);
  }

  add(bytes: Uint8Array, recordEnds: readonly number[], from: number): number {
    let at = from;
    for (const end of recordEnds) {
      // A record may end where bytes begin, if all its parts were added before.
      if (end < at || (end === at && this.#parts.length === 0)) continue;
      if (end > at) this.#add(bytes.slice(at, end));
      this.#endRecord();
      at = end;
      if (this.isFull) return at;
    }
    if (at < bytes.length) this.#add(bytes.slice(at));
    return bytes.length;
  }

  take(compress: Compress): Promise<Uint8Array> {
    if (this.#parts.length > 0) this.#endRecord();
    const records = this.#records;
    this.#records = [];
    this.#bytes = 0;
    return Promise.all(records.map(compress)).then(joinBytes);
  }

  #add(part: Uint8Array): void {
    this.#parts.push(part);
    this.#bytes += part.length;
  }

  #endRecord(): void {
    const [only] = this.#parts;
    this.#records.push(only && this.#parts.length === 1 ? only : joinBytes(this.#parts));
    this.#parts = [];
  }
}
