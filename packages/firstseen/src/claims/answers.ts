// The answers of committed claims, in bounded memory: the oldest leave when it is full.

import type { Answer } from './answer.js';
import { BodyTable } from './bodies.js';
import { isOther, type Lease } from './lease.js';

/** The statistics of the answers of committed keys. */
export interface AnswerStats {
  /** Keys whose answer is kept, or that were committed without one and whose body is kept. */
  kept: number;
  /** Keys whose answer has left, and whose body still tells repeats apart. */
  bodies: number;
  /** Bytes that all of them take, of the memory `answers`. */
  bytes: number;
  /** Keys whose answer left because the memory was full, or was larger than the memory. Their repeats are `duplicate` without it. */
  evicted: number;
  /** Claims answered `mismatch`. */
  mismatches: number;
}

/** The answer of a committed key, and the fingerprints that it is kept with. */
export interface KeptAnswer {
  /** The fingerprint of the key. */
  readonly key: bigint;
  /** The fingerprint of the body, if it was given. */
  readonly body: bigint | undefined;
  readonly answer: Answer | undefined;
}

/** The part of the memory that is for the bodies of keys whose answers have left: one in so many bytes. */
const BODIES_ONE_IN = 8;

/**
 * The bytes of an entry without its answer. A million entries took 136 bytes each in Node 20; a list that grows has
 * room to spare.
 */
const ENTRY_BYTES = 160;

/** A character of text takes two bytes, unless an engine can do with one. */
function bytesOf({ answer = '' }: KeptAnswer): number {
  return ENTRY_BYTES + (typeof answer === 'string' ? 2 * answer.length : answer.length);
}

/** The answers, in the order in which they came. */
export class AnswerStore {
  /** The limit of the memory, without that of bodies. */
  readonly #maxBytes: number;
  /** The bodies of keys whose answers have left. */
  readonly #bodies: BodyTable;
  readonly #kept = new Map<bigint, KeptAnswer>();
  /** The entries in their order, with those that were replaced since; the first `#left` have left. */
  #order: KeptAnswer[] = [];
  #left = 0;
  #bytes = 0;
  #evicted = 0;
  #mismatches = 0;

  constructor(maxBytes: number) {
    const bodiesBytes = Math.floor(maxBytes / BODIES_ONE_IN);
    this.#maxBytes = maxBytes - bodiesBytes;
    this.#bodies = new BodyTable(bodiesBytes);
  }

  get(key: bigint): KeptAnswer | undefined {
    const entry = this.#kept.get(key);
    if (entry) return entry;
    const body = this.#bodies.get(key);
    return body === undefined ? undefined : { key, body, answer: undefined };
  }

  /** Keeps an answer in place of an earlier one of the key. */
  set(entry: KeptAnswer): void {
    this.remove(entry.key);
    if (bytesOf(entry) > this.#maxBytes) this.#evict(entry);
    else this.#keep(entry);
  }

  /**
   * Keeps the answer of a commit. That of a late one is kept too, unless another was committed before: repeats may have that one already.
   * It may also belong to an earlier operation, if what is done for the key has another body now.
   * @param holder the lease that holds the key now
   */
  keep({ fingerprint: key, body }: Lease, holder: Lease | undefined, answer: Answer | undefined): void {
    if (answer === undefined && body === undefined) return;
    const before = this.get(key);
    if (before?.answer !== undefined || isOther(before?.body, body) || isOther(holder?.body, body)) return;
    this.set({ key, body: body ?? before?.body, answer });
  }

  countMismatch(): void {
    this.#mismatches++;
  }

  stats(): AnswerStats {
    return {
      kept: this.#kept.size,
      bodies: this.#bodies.size,
      bytes: this.#bytes + this.#bodies.bytes,
      evicted: this.#evicted,
      mismatches: this.#mismatches,
    };
  }

  #keep(entry: KeptAnswer): void {
    const bytes = bytesOf(entry);
    while (this.#bytes + bytes > this.#maxBytes) this.#evictOldest();
    this.#kept.set(entry.key, entry);
    this.#order.push(entry);
    this.#bytes += bytes;
  }

  /** Lets an answer go. Its body stays, because a repeat with another one must not be told that it was done. */
  #evict({ key, body }: KeptAnswer): void {
    this.#evicted++;
    if (body !== undefined) this.#bodies.set(key, body);
  }

  /** Discards what is kept of a key. */
  remove(key: bigint): void {
    this.#bodies.delete(key);
    const entry = this.#kept.get(key);
    if (!entry) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(entry);
    this.#compact();
  }

  /** Entries that were replaced are in the order still, so it takes several steps to come to one that is kept. */
  #evictOldest(): void {
    const entry = this.#order[this.#left] as KeptAnswer;
    this.#left++;
    if (this.#kept.get(entry.key) === entry) {
      this.remove(entry.key);
      this.#evict(entry);
    }
    this.#compact();
  }

  /** Shortens the order when most of it has left or was replaced. */
  #compact(): void {
    if (this.#order.length < 2 * this.#kept.size + 16) return;
    this.#order = this.#order.slice(this.#left).filter((entry) => this.#kept.get(entry.key) === entry);
    this.#left = 0;
  }
}
