// How the threads of a pipeline keep step and divide work: words of shared memory that they wait on.

import { MOTIFS_GROUP } from '../kernel/abi.js';
import { CONTROL_BYTES } from '../near/motifkernel.js';

/** Words to a cache line, of which each of these has one: threads that write to one do not slow down those that read another. */
const LINE_WORDS = 16;
const SUBMITTED = 0;
const ARRIVED = LINE_WORDS;
const MEETINGS = 2 * LINE_WORDS;
/** By batch in flight: the groups that threads have taken to hash, and those that are hashed; how many records it has. */
const BATCHES = 3 * LINE_WORDS;
const CLAIMED = 0;
const FINISHED = LINE_WORDS;
const RECORDS = 2 * LINE_WORDS;
const BATCH_WORDS = 3 * LINE_WORDS;

/** Looks at a word before a thread lies down to sleep: about as long as waking it would take. */
const SPINS = 4000;

export class Control {
  readonly #words: Int32Array;
  readonly #threads: number;

  /** @param offset where its words lie in the shared memory */
  constructor(memory: WebAssembly.Memory, offset: number, threads: number) {
    this.#words = new Int32Array(memory.buffer, offset, CONTROL_BYTES / 4);
    this.#threads = threads;
  }

  /** Hands the next batch, which lies at this place, to the threads. */
  submit(place: number, records: number): void {
    const batch = batchWords(place);
    this.#words[batch + CLAIMED] = 0;
    this.#words[batch + FINISHED] = 0;
    this.#words[batch + RECORDS] = records;
    Atomics.add(this.#words, SUBMITTED, 1);
    Atomics.notify(this.#words, SUBMITTED);
  }

  /** Waits until batch number `batch` has been submitted, at this place; returns how many records it has. */
  taken(batch: number, place: number): number {
    for (let submitted = Atomics.load(this.#words, SUBMITTED); submitted <= batch; ) {
      Atomics.wait(this.#words, SUBMITTED, submitted);
      submitted = Atomics.load(this.#words, SUBMITTED);
    }
    return this.#words[batchWords(place) + RECORDS] as number;
  }

  /** Takes a group of records of a batch to hash; undefined when none is left or the batch has not been submitted. */
  claim(batch: number, place: number): { from: number; to: number } | undefined {
    if (Atomics.load(this.#words, SUBMITTED) <= batch) return undefined;
    const words = batchWords(place);
    const records = this.#words[words + RECORDS] as number;
    if (Atomics.load(this.#words, words + CLAIMED) * MOTIFS_GROUP >= records) return undefined;
    const from = Atomics.add(this.#words, words + CLAIMED, 1) * MOTIFS_GROUP;
    return from < records ? { from, to: Math.min(records, from + MOTIFS_GROUP) } : undefined;
  }

  /** Says that a group that was claimed is hashed. */
  finish(place: number): void {
    const word = batchWords(place) + FINISHED;
    if (Atomics.add(this.#words, word, 1) === this.#groups(place) - 1) Atomics.notify(this.#words, word);
  }

  /** Returns when all groups of a batch are hashed. */
  finished(place: number, idle: () => boolean): void {
    const word = batchWords(place) + FINISHED;
    const groups = this.#groups(place);
    for (let done = Atomics.load(this.#words, word); done < groups; done = Atomics.load(this.#words, word)) {
      this.#waitWhile(word, done, idle);
    }
  }

  /** Returns when every thread has called it as often. Until then it calls `idle`, which says whether it found work to do. */
  meet(idle: () => boolean): void {
    const meeting = Atomics.load(this.#words, MEETINGS);
    if (Atomics.add(this.#words, ARRIVED, 1) === this.#threads - 1) {
      Atomics.store(this.#words, ARRIVED, 0);
      Atomics.add(this.#words, MEETINGS, 1);
      Atomics.notify(this.#words, MEETINGS);
      return;
    }
    this.#waitWhile(MEETINGS, meeting, idle);
  }

  #groups(place: number): number {
    return Math.ceil((this.#words[batchWords(place) + RECORDS] as number) / MOTIFS_GROUP);
  }

  #waitWhile(word: number, value: number, idle: () => boolean): void {
    while (Atomics.load(this.#words, word) === value && idle());
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(this.#words, word) !== value) return;
    while (Atomics.load(this.#words, word) === value) Atomics.wait(this.#words, word, value);
  }
}

function batchWords(place: number): number {
  return BATCHES + place * BATCH_WORDS;
}
