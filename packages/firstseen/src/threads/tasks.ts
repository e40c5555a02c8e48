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
const LINE_WORDS = 16;
/** The turns so far; a turn is a number of tasks. Threads wait on it. */
const TURN = 0;
/**
 * The turn, the number of its tasks and the number of those that were taken. They are in one word, because a late thread may still be
 * in the turn before. The number of tasks is 0 if every thread makes all of them.
 */
const TAKEN = LINE_WORDS;
/** The number of tasks, or of threads, that are done. */
const DONE = 2 * LINE_WORDS;
/** The number of threads that have begun. */
const READY = 3 * LINE_WORDS;
const TASK_BITS = 8;
const TURN_MASK = 0x7fff;
export const MOST_TASKS = 2 ** TASK_BITS - 1;
/** Whether each task of the turn is done: one word per task. */
const IS_DONE = 4 * LINE_WORDS;
const WORDS_BYTES = (IS_DONE + MOST_TASKS + 1) * WORD_BYTES;

/** Polls of a word before a thread sleeps: about as long as waking it would take. */
const SPINS = 4000;

/** Numbers of a task: its calls, and their results. A task observes a batch of each task, with three calls. */
function callNumbers(tasks: number): number {
  return 32 + 16 * tasks;
}

function resultNumbers(tasks: number): number {
  return 8 + 3 * tasks;
}

/** Bytes of memory for up to this many tasks. */
export function taskBytes(tasks: number): number {
  return WORDS_BYTES + tasks * (callNumbers(tasks) + resultNumbers(tasks)) * NUMBER_BYTES;
}

export class Tasks {
  readonly #words: Int32Array;
  readonly #calls: readonly Float64Array[];
  readonly #results: readonly Float64Array[];
  readonly #tables: readonly FunctionTable[];
  #turn = 0;

  /**
   * @param offset address of `taskBytes` bytes, which are zero at first
   * @param tables the functions with which this thread makes task 0, 1 and so on
   */
  constructor(memory: WebAssembly.Memory, offset: number, tables: readonly FunctionTable[]) {
    this.#words = new Int32Array(memory.buffer, offset, WORDS_BYTES / WORD_BYTES);
    this.#tables = tables;
    let at = offset + WORDS_BYTES;
    const take = (numbers: number): Float64Array => {
      const taken = new Float64Array(memory.buffer, at, numbers);
      at += taken.byteLength;
      return taken;
    };
    this.#calls = tables.map(() => take(callNumbers(tables.length)));
    this.#results = tables.map(() => take(resultNumbers(tables.length)));
  }

  /**
   * Begins a turn. The one before must be done.
   * @param byAll whether every thread makes all tasks, of which there is then one for each table
   */
  begin(tasks: readonly (readonly Call[])[], byAll = false): void {
    for (const [i, calls] of tasks.entries()) {
      this.#write(i, calls);
      Atomics.store(this.#words, IS_DONE + i, 0);
    }
    this.#turn = (this.#turn + 1) & TURN_MASK;
    const count = byAll ? 0 : tasks.length;
    Atomics.store(this.#words, DONE, 0);
    Atomics.store(this.#words, TAKEN, ((this.#turn << TASK_BITS) | count) << TASK_BITS);
    Atomics.store(this.#words, TURN, this.#turn);
    Atomics.notify(this.#words, TURN);
  }

  /**
   * Makes tasks of the turn until none is left; none if the turn is over.
   * @param afterEach called after each task
   */
  work(afterEach?: () => void): void {
    for (let task = this.#take(); task !== undefined; task = this.#take()) {
      if (task === 'all') {
        for (let each = 0; each < this.#calls.length; each++) this.#make(each);
        this.#addDone();
        return;
      }
      this.#make(task);
      Atomics.store(this.#words, IS_DONE + task, 1);
      this.#addDone();
      afterEach?.();
    }
  }

  /** Whether a task of the turn is done. */
  isDone(task: number): boolean {
    return Atomics.load(this.#words, IS_DONE + task) === 1;
  }

  /** Waits at most `milliseconds` until a task of the turn is done; false if it is not. */
  waitForTask(task: number, milliseconds: number): boolean {
    for (let spin = 0; spin < SPINS; spin++) if (this.isDone(task)) return true;
    const done = Atomics.load(this.#words, DONE);
    if (!this.isDone(task)) Atomics.wait(this.#words, DONE, done, milliseconds);
    return this.isDone(task);
  }

  /** Waits at most `milliseconds` until `parts` tasks or threads are done; false if they are not. */
  waitForDone(parts: number, milliseconds: number): boolean {
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(this.#words, DONE) === parts) return true;
    const done = Atomics.load(this.#words, DONE);
    if (done !== parts) Atomics.wait(this.#words, DONE, done, milliseconds);
    return Atomics.load(this.#words, DONE) === parts;
  }

  /** The results of the first `count` calls of a task. */
  results(task: number, count: number): number[] {
    return [...(this.#results[task] as Float64Array).subarray(0, count)];
  }

  /** Waits for the next turn. */
  waitForTurn(): void {
    let spin = 0;
    while (Atomics.load(this.#words, TURN) === this.#turn) {
      if (++spin > SPINS) Atomics.wait(this.#words, TURN, this.#turn);
    }
    this.#turn = Atomics.load(this.#words, TURN);
  }

  reportReady(): void {
    Atomics.add(this.#words, READY, 1);
  }

  get readyThreads(): number {
    return Atomics.load(this.#words, READY);
  }

  /** The number of a task that no thread has taken; undefined if there is none. */
  #take(): number | 'all' | undefined {
    for (;;) {
      const taken = Atomics.load(this.#words, TAKEN);
      if (taken >> (2 * TASK_BITS) !== this.#turn) return undefined;
      const [count, task] = [(taken >> TASK_BITS) & MOST_TASKS, taken & MOST_TASKS];
      if (count === 0) return 'all';
      if (task >= count) return undefined;
      if (Atomics.compareExchange(this.#words, TAKEN, taken, taken + 1) === taken) return task;
    }
  }

  #addDone(): void {
    Atomics.add(this.#words, DONE, 1);
    Atomics.notify(this.#words, DONE);
  }

  #write(task: number, calls: readonly Call[]): void {
    const numbers = this.#calls[task] as Float64Array;
    const table = this.#tables[task] as FunctionTable;
    let at = 0;
    numbers[at++] = calls.length;
    for (const { name, parameters } of calls) {
      numbers[at++] = table.number(name);
      numbers[at++] = parameters.length;
      // A negative number refers to a result.
      for (const value of parameters) numbers[at++] = typeof value === 'number' ? value : -1 - value.call;
    }
    if (at > numbers.length) throw new RangeError('the calls of a task do not fit in its memory');
  }

  /** Makes the calls of a task one after the other. */
  #make(task: number): void {
    const numbers = this.#calls[task] as Float64Array;
    const results = this.#results[task] as Float64Array;
    const { functions } = this.#tables[task] as FunctionTable;
    const count = numbers[0] as number;
    for (let call = 0, at = 1; call < count; call++) {
      const called = functions[numbers[at] as number] as KernelFunction;
      const end = at + 2 + (numbers[at + 1] as number);
      const values = Array.from(numbers.subarray(at + 2, end), (value) =>
        value < 0 ? (results[-1 - value] as number) : value,
      );
      results[call] = (called(...values) ?? 0) >>> 0;
      at = end;
    }
  }
}
