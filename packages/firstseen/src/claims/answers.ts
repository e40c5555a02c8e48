// The answers of committed claims, in bounded memory: the oldest leave when it is full.

import { bytesIn, isBytes } from '../base/bytes.js';
import { checkAttached } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import { isOther, type Lease } from './lease.js';

/** The answer of a committed claim: text, such as the JSON of a response, or bytes. */
export type Answer = string | Uint8Array;

/** What claims know about the answers of committed keys. */
export interface AnswerStats {
  /** Keys whose answer or body is kept. */
  kept: number;
  /** Bytes that they take, of the memory `answers`. */
  bytes: number;
  /** Keys whose answer left because the memory was full, or was larger than the memory. Their repeats are `duplicate` without it. */
  evicted: number;
  /** Claims answered `mismatch`. */
  mismatches: number;
}

/** What is kept of a committed key. */
export interface KeptAnswer {
  /** The fingerprint of the key. */
  readonly key: bigint;
  /** The fingerprint of the body, if it was given. */
  readonly body: bigint | undefined;
  readonly answer: Answer | undefined;
}

/** What an entry takes besides its answer. A million of them took 136 bytes each in Node 20; a list that grows has room to spare. */
const ENTRY_BYTES = 160;

/** A copy of a text. A part of a long text would keep all of it in memory: what JSON.parse makes is a text of its own. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text));
}

/** A copy of an answer, which its program may change. @throws FirstseenError E_PARAMETER unless it is text, bytes or undefined. */
export function checkAnswer(answer: Answer | undefined): Answer | undefined {
  if (answer === undefined) return undefined;
  if (typeof answer === 'string') return copyOf(answer);
  if (!isBytes(answer)) throw invalidOption({ option: 'answer', given: answer, expected: 'text or a Uint8Array' });
  checkAttached(answer, 'answer', 'E_PARAMETER');
  return new Uint8Array(bytesIn(answer));
}

/** An answer for a program, which may change its bytes. */
export function answerFor(answer: Answer): Answer {
  return typeof answer === 'string' ? answer : answer.slice();
}

/** A character of text takes two bytes, unless an engine can do with one. */
function bytesOf({ answer = '' }: KeptAnswer): number {
  return ENTRY_BYTES + (typeof answer === 'string' ? 2 * answer.length : answer.length);
}

/** The answers, in the order in which they came. */
export class AnswerStore {
  readonly #mostBytes: number;
  readonly #kept = new Map<bigint, KeptAnswer>();
  /** The entries in their order, with those that were replaced since; the first `#left` have left. */
  #order: KeptAnswer[] = [];
  #left = 0;
  #bytes = 0;
  #evicted = 0;
  #mismatches = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(key: bigint): KeptAnswer | undefined {
    return this.#kept.get(key);
  }

  /** Keeps an answer in place of an earlier one of the key. */
  set(entry: KeptAnswer): void {
    this.remove(entry.key);
    const bytes = bytesOf(entry);
    if (bytes > this.#mostBytes) {
      this.#evicted++;
      // Without the answer, the body may fit.
      if (entry.answer !== undefined && entry.body !== undefined && ENTRY_BYTES <= this.#mostBytes)
        this.#keep({ ...entry, answer: undefined });
      return;
    }
    this.#keep(entry);
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
    return { kept: this.#kept.size, bytes: this.#bytes, evicted: this.#evicted, mismatches: this.#mismatches };
  }

  #keep(entry: KeptAnswer): void {
    const bytes = bytesOf(entry);
    while (this.#bytes + bytes > this.#mostBytes) this.#evictOldest();
    this.#kept.set(entry.key, entry);
    this.#order.push(entry);
    this.#bytes += bytes;
  }

  /** Discards what is kept of a key. */
  remove(key: bigint): void {
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
      this.#evicted++;
      this.remove(entry.key);
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

/** The answer to a claim with another body than the one before. It is counted. */
export function mismatchIn(answers: AnswerStore | undefined): { verdict: 'mismatch' } {
  answers?.countMismatch();
  return { verdict: 'mismatch' };
}
