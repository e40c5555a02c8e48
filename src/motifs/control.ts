// How the threads of a pipeline keep step: words of shared memory that they wait on.

import { CONTROL_BYTES } from '../near/motifkernel.js';

const SUBMITTED = 0;
const ARRIVED = 1;
const MEETINGS = 2;
/** By batch in flight: how many records it has. */
const COUNTS = 16;

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
    this.#words[COUNTS + place] = records;
    Atomics.add(this.#words, SUBMITTED, 1);
    Atomics.notify(this.#words, SUBMITTED);
  }

  /** Waits until batch number `batch` has been submitted, at this place; returns how many records it has. */
  taken(batch: number, place: number): number {
    for (let submitted = Atomics.load(this.#words, SUBMITTED); submitted <= batch; ) {
      Atomics.wait(this.#words, SUBMITTED, submitted);
      submitted = Atomics.load(this.#words, SUBMITTED);
    }
    return this.#words[COUNTS + place] as number;
  }

  /** Returns when every thread has called it as often. */
  meet(): void {
    const meeting = Atomics.load(this.#words, MEETINGS);
    if (Atomics.add(this.#words, ARRIVED, 1) === this.#threads - 1) {
      Atomics.store(this.#words, ARRIVED, 0);
      Atomics.add(this.#words, MEETINGS, 1);
      Atomics.notify(this.#words, MEETINGS);
      return;
    }
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(this.#words, MEETINGS) !== meeting) return;
    while (Atomics.load(this.#words, MEETINGS) === meeting) Atomics.wait(this.#words, MEETINGS, meeting);
  }
}
