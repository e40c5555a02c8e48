// Synchronizes the threads of a pipeline and divides the work among them, through words of shared memory on which they wait.

import { MOTIFS_GROUP } from '../../kernel/abi.js';
import { CONTROL_BYTES } from '../../near/motifkernel.js';

/** Words per cache line. Each word has its own line, so that threads that write one do not slow down those that read another. */
const LINE_WORDS = 16;
const SUBMITTED = 0;
const ARRIVED = LINE_WORDS;
const MEETINGS = 2 * LINE_WORDS;
/** For each batch in flight: the groups claimed by threads, the groups hashed, and the number of records. */
const BATCHES = 3 * LINE_WORDS;
const CLAIMED = 0;
const FINISHED = LINE_WORDS;
const RECORDS = 2 * LINE_WORDS;
const BATCH_WORDS = 3 * LINE_WORDS;

/** Polls of a word before a thread sleeps: about as long as waking it would take. */
const SPINS = 4000;

export class Control {
  readonly #words: Int32Array;
  readonly #threads: number;

  /** @param offset address of the words in the shared memory */
  constructor(memory: WebAssembly.Memory, offset: number, threads: number) {
    this.#words = new Int32Array(memory.buffer, offset, CONTROL_BYTES / 4);
    this.#threads = threads;
  }

  /** Passes the next batch, which is in this slot, to the threads. */
  submit(slot: number, records: number): void {
    const batch = batchWords(slot);
    this.#words[batch + CLAIMED] = 0;
    this.#words[batch + FINISHED] = 0;
    this.#words[batch + RECORDS] = records;
    Atomics.add(this.#words, SUBMITTED, 1);
    Atomics.notify(this.#words, SUBMITTED);
  }

  /** Waits until batch number `batch` has been submitted, in this slot; returns its number of records. */
  taken(batch: number, slot: number): number {
    for (let submitted = Atomics.load(this.#words, SUBMITTED); submitted <= batch; ) {
      Atomics.wait(this.#words, SUBMITTED, submitted);
      submitted = Atomics.load(this.#words, SUBMITTED);
    }
    return this.#words[batchWords(slot) + RECORDS] as number;
  }

  /** Claims a group of records of a batch to hash; undefined if none is left or the batch has not been submitted. */
  claim(batch: number, slot: number): { from: number; to: number } | undefined {
    if (Atomics.load(this.#words, SUBMITTED) <= batch) return undefined;
    const words = batchWords(slot);
    const records = this.#words[words + RECORDS] as number;
    if (Atomics.load(this.#words, words + CLAIMED) * MOTIFS_GROUP >= records) return undefined;
    const from = Atomics.add(this.#words, words + CLAIMED, 1) * MOTIFS_GROUP;
    return from < records ? { from, to: Math.min(records, from + MOTIFS_GROUP) } : undefined;
  }

  /** Reports that a claimed group is hashed. */
  finish(slot: number): void {
    const word = batchWords(slot) + FINISHED;
    if (Atomics.add(this.#words, word, 1) === this.#groups(slot) - 1) Atomics.notify(this.#words, word);
  }

  /** Waits until all groups of a batch are hashed. */
  finished(slot: number, idle: () => boolean): void {
    const word = batchWords(slot) + FINISHED;
    const groups = this.#groups(slot);
    for (let done = Atomics.load(this.#words, word); done < groups; done = Atomics.load(this.#words, word)) {
      this.#waitWhile(word, done, idle);
    }
  }

  /** Waits until all threads have arrived. Meanwhile it calls `idle`, which returns whether it found work. */
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

  #groups(slot: number): number {
    return Math.ceil((this.#words[batchWords(slot) + RECORDS] as number) / MOTIFS_GROUP);
  }

  #waitWhile(word: number, value: number, idle: () => boolean): void {
    while (Atomics.load(this.#words, word) === value && idle());
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(this.#words, word) !== value) return;
    while (Atomics.load(this.#words, word) === value) Atomics.wait(this.#words, word, value);
  }
}

function batchWords(slot: number): number {
  return BATCHES + slot * BATCH_WORDS;
}
