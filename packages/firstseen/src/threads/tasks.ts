// Tasks that threads share: lists of calls of functions of the kernel, in the memory that they share. Any thread takes the next task
// that no other has taken.

/** Takes the place of an argument: the result of call number `call` of the same task. */
export class ResultOf {
  readonly call: number;

  constructor(call: number) {
    this.call = call;
  }
}

/** A function of the kernel, and its arguments, which are not negative. */
export interface Call {
  name: string;
  parameters: readonly (number | ResultOf)[];
}

/** Calls of the functions of a seat, one after the other. */
export interface Task {
  seat: number;
  calls: readonly Call[];
}

type KernelFunction = (...parameters: number[]) => number | undefined;

/** The functions of an instance of the kernel, in an order that all instances share. */
export class FunctionTable {
  readonly functions: readonly KernelFunction[];
  readonly #numbers: ReadonlyMap<string, number>;

  constructor(exports: object) {
    const named = Object.entries(exports).filter(([, value]) => typeof value === 'function');
    this.functions = named.map(([, value]) => value as KernelFunction);
    this.#numbers = new Map(named.map(([name], i) => [name, i]));
  }

  number(name: string): number {
    const found = this.#numbers.get(name);
    if (found === undefined) throw new Error(`the kernel has no function ${name}`);
    return found;
  }
}

const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;
const WORD_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Words that several threads write are in separate cache lines. */
const CACHE_LINE_WORDS = 16;
/** The number of tasks that were posted, and of those that were taken. Both wrap around. */
const POSTED = 0;
const TAKEN = CACHE_LINE_WORDS;
/** Changes whenever there is something to do. Threads without work wait on it. */
const WAKE = 2 * CACHE_LINE_WORDS;
/** Changes whenever something was done. The caller's thread waits on it. */
const DONE = 3 * CACHE_LINE_WORDS;
/** The number of times that threads had to prepare, and of threads that are prepared for the last one. */
const PREPARE = 4 * CACHE_LINE_WORDS;
const PREPARED = 5 * CACHE_LINE_WORDS;
const SHARED_WORDS = 6 * CACHE_LINE_WORDS;

/** Polls of a word before a thread sleeps: about as long as waking it would take. */
const SPINS = 4000;

/**
 * Numbers of a task: its calls, and their results. A task observes a batch of each seat at most, with two calls. With few threads,
 * it may have up to 32 of 128 partitions, each with a call for each batch and three others. The smallest values returned here
 * suffice for that.
 */
function callNumbers(seats: number): number {
  return Math.max(1600, 32 + 20 * seats);
}

function resultNumbers(seats: number): number {
  return Math.max(400, 8 + 4 * seats);
}

/** Tasks that may be in progress at a time: two for each seat. A power of two divides the numbers of tasks, which wrap around. */
function slotCount(seats: number): number {
  return 2 ** Math.ceil(Math.log2(2 * seats));
}

function wordsBytes(seats: number): number {
  return (SHARED_WORDS + slotCount(seats) * CACHE_LINE_WORDS) * WORD_BYTES;
}

/** Bytes of memory for the tasks of this many seats. */
export function taskBytes(seats: number): number {
  // What a seat prepares is kept as a task is.
  const slots = slotCount(seats) + seats;
  return wordsBytes(seats) + slots * (callNumbers(seats) + resultNumbers(seats)) * NUMBER_BYTES;
}

/** The place where a task is kept. */
interface Slot {
  /** The seat, the number of calls, and each call: its function, the number of its arguments, and these. */
  numbers: Float64Array;
  results: Float64Array;
}

export class Tasks {
  readonly #words: Int32Array;
  /** The slots of the tasks in progress. Task number n is in slot n modulo the number of slots. */
  readonly #slots: readonly Slot[];
  /** The calls that prepare each seat. */
  readonly #preparations: readonly Slot[];
  readonly #tables: readonly FunctionTable[];
  /** The number of times that this thread has prepared. */
  #prepared = 0;

  /**
   * @param offset address of `taskBytes` bytes, which are zero at first
   * @param tables the functions that this thread has for each seat
   */
  constructor(memory: WebAssembly.Memory, offset: number, tables: readonly FunctionTable[]) {
    const seats = tables.length;
    this.#words = new Int32Array(memory.buffer, offset, wordsBytes(seats) / WORD_BYTES);
    this.#tables = tables;
    let at = offset + wordsBytes(seats);
    const take = (numbers: number): Float64Array => {
      const view = new Float64Array(memory.buffer, at, numbers);
      at += view.byteLength;
      return view;
    };
    const takeSlots = (length: number) =>
      Array.from({ length }, (): Slot => ({ numbers: take(callNumbers(seats)), results: take(resultNumbers(seats)) }));
    this.#slots = takeSlots(slotCount(seats));
    this.#preparations = takeSlots(seats);
  }

  /** Posts tasks for any thread; returns the number of the first one. The others follow it. */
  post(tasks: readonly Task[]): number {
    const first = Atomics.load(this.#words, POSTED);
    for (const [i, task] of tasks.entries()) {
      const number = (first + i) | 0;
      if (!this.isDone((number - this.#slots.length) | 0)) throw new RangeError('too many tasks are in progress');
      this.#write(this.#slotOf(number), task);
    }
    Atomics.store(this.#words, POSTED, (first + tasks.length) | 0);
    this.#wake();
    return first;
  }

  /** Tells if a task was done. A number before the first one counts as done. */
  isDone(number: number): boolean {
    const done = Atomics.load(this.#words, this.#doneWord(number));
    return ((done - number) | 0) > 0;
  }

  /** Takes a task and makes its calls; false if there is none. */
  work(): boolean {
    for (;;) {
      const number = Atomics.load(this.#words, TAKEN);
      if (number === Atomics.load(this.#words, POSTED)) return false;
      if (Atomics.compareExchange(this.#words, TAKEN, number, (number + 1) | 0) !== number) continue;
      this.#make(this.#slotOf(number));
      Atomics.store(this.#words, this.#doneWord(number), (number + 1) | 0);
      this.#tell();
      return true;
    }
  }

  /** Waits at most `milliseconds` until something is true that becomes true when a thread has done something. */
  waitUntil(isTrue: () => boolean, milliseconds: number): boolean {
    for (let spin = 0; spin < SPINS; spin++) if (isTrue()) return true;
    const seen = Atomics.load(this.#words, DONE);
    if (!isTrue()) Atomics.wait(this.#words, DONE, seen, milliseconds);
    return isTrue();
  }

  /** The results of the first `count` calls of a task that is done. */
  results(number: number, count: number): number[] {
    return [...this.#slotOf(number).results.subarray(0, count)];
  }

  /** Lets all other threads make the calls that set up what their instances keep. No task may be in progress. */
  beginToPrepare(preparations: readonly Task[]): void {
    for (const slot of this.#preparations) slot.numbers[1] = 0;
    for (const preparation of preparations) this.#write(this.#preparations[preparation.seat] as Slot, preparation);
    Atomics.store(this.#words, PREPARED, 0);
    this.#prepared = (Atomics.add(this.#words, PREPARE, 1) + 1) | 0;
    this.#wake();
    for (const slot of this.#preparations) this.#make(slot);
  }

  /** The number of other threads that are prepared, or that have begun if nothing was to prepare. */
  get preparedThreads(): number {
    return Atomics.load(this.#words, PREPARED);
  }

  /** Reports that this thread has begun. */
  reportReady(): void {
    Atomics.add(this.#words, PREPARED, 1);
    this.#tell();
  }

  /** Prepares, if there is something to prepare. */
  prepare(): void {
    const prepare = Atomics.load(this.#words, PREPARE);
    if (prepare === this.#prepared) return;
    for (const slot of this.#preparations) this.#make(slot);
    this.#prepared = prepare;
    this.reportReady();
  }

  /** Waits until there is a task. Prepares first, if there is something to prepare. */
  waitForWork(): void {
    for (let spin = 0; ; spin++) {
      const wake = Atomics.load(this.#words, WAKE);
      this.prepare();
      if (Atomics.load(this.#words, TAKEN) !== Atomics.load(this.#words, POSTED)) return;
      if (spin > SPINS) Atomics.wait(this.#words, WAKE, wake);
    }
  }

  #wake(): void {
    Atomics.add(this.#words, WAKE, 1);
    Atomics.notify(this.#words, WAKE);
  }

  #tell(): void {
    Atomics.add(this.#words, DONE, 1);
    Atomics.notify(this.#words, DONE);
  }

  #slotOf(number: number): Slot {
    return this.#slots[(number >>> 0) % this.#slots.length] as Slot;
  }

  #doneWord(number: number): number {
    return SHARED_WORDS + ((number >>> 0) % this.#slots.length) * CACHE_LINE_WORDS;
  }

  #write({ numbers, results }: Slot, { seat, calls }: Task): void {
    const table = this.#tables[seat] as FunctionTable;
    let at = 0;
    numbers[at++] = seat;
    numbers[at++] = calls.length;
    for (const { name, parameters } of calls) {
      numbers[at++] = table.number(name);
      numbers[at++] = parameters.length;
      // A negative number refers to a result.
      for (const value of parameters) numbers[at++] = typeof value === 'number' ? value : -1 - value.call;
    }
    if (at > numbers.length || calls.length > results.length) {
      throw new RangeError('the calls of a task do not fit in its memory');
    }
  }

  /** Makes the calls of a task one after the other. */
  #make({ numbers, results }: Slot): void {
    const { functions } = this.#tables[numbers[0] as number] as FunctionTable;
    const count = numbers[1] as number;
    for (let call = 0, at = 2; call < count; call++) {
      const kernelFunction = functions[numbers[at] as number] as KernelFunction;
      const end = at + 2 + (numbers[at + 1] as number);
      const values = Array.from(numbers.subarray(at + 2, end), (value) =>
        value < 0 ? (results[-1 - value] as number) : value,
      );
      results[call] = (kernelFunction(...values) ?? 0) >>> 0;
      at = end;
    }
  }
}
