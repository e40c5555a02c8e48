// A gate between a source and a loop over the items that pass. It uses no file and no `node:` module.

import type { Exits, Gate } from '../claims/gate.js';

type ItemSource<Item> = AsyncIterable<Item> | Iterable<Item>;

async function* each<Item>(source: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  yield* source;
}

function isStream<Item>(source: ItemSource<Item>): source is ReadableStream<Item> & AsyncIterable<Item> {
  return typeof (source as Partial<ReadableStream<Item>>).getReader === 'function';
}

/** The items of a stream. Unlike those of the platform's iterator, they end at once while one is awaited. */
function streamItems<Item>(stream: ReadableStream<Item>): AsyncIterator<Item, void> {
  const reader = stream.getReader();
  const end = (): IteratorReturnResult<void> => {
    reader.releaseLock();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      const { done, value } = await reader.read();
      return done ? end() : { done, value };
    },
    async return() {
      const cancellation = reader.cancel();
      const lastResult = end();
      await cancellation;
      return lastResult;
    },
  };
}

function itemsOf<Item>(source: ItemSource<Item>): AsyncIterator<Item, unknown> {
  if (isStream(source)) return streamItems(source);
  const { [Symbol.asyncIterator]: open } = source as Partial<AsyncIterable<Item>>;
  return open ? open.call(source) : each(source as Iterable<Item>);
}

/** Reads one item at a time, ahead of the consumer. */
class SourceReader<Item> {
  readonly #source: ItemSource<Item>;
  /** The iterator; undefined before the first item is read. */
  #items: AsyncIterator<Item, unknown> | undefined;
  #take: (item: Item) => void;
  #failure: { error: unknown } | undefined;
  isAtEnd = false;
  /** Resolves when the next item was taken or the source ended; undefined if none is being read. */
  reading: Promise<void> | undefined;

  constructor(source: ItemSource<Item>, take: (item: Item) => void) {
    this.#source = source;
    this.#take = take;
  }

  start(): void {
    if (!this.isAtEnd) this.reading ??= this.#read();
  }

  async #read(): Promise<void> {
    try {
      const result = await this.#next();
      if (result.done) this.isAtEnd = true;
      else this.#take(result.value);
    } catch (error) {
      this.#failure = { error };
      this.isAtEnd = true;
    }
    this.reading = undefined;
  }

  async #next(): Promise<IteratorResult<Item, unknown>> {
    this.#items ??= itemsOf(this.#source);
    let isOpen = false;
    try {
      const result = await this.#items.next();
      isOpen = !result.done;
      return result;
    } finally {
      if (!isOpen) this.#items = undefined;
    }
  }

  /** Throws the error of the source, if there was one. To be called at the end. */
  finish(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Stops reading, and releases the source unless it has ended. */
  async close(): Promise<void> {
    this.#take = () => undefined;
    const closing = this.#release();
    // While an item is awaited, many sources, such as generators, close only after that item has arrived, if ever.
    if (this.reading) closing.catch(() => undefined);
    else await closing;
  }

  async #release(): Promise<void> {
    // The iterator of a Node stream waits for the next item, its `destroy` does not.
    const { destroy } = this.#source as { destroy?: unknown };
    if (this.reading && typeof destroy === 'function') destroy.call(this.#source);
    await this.#items?.return?.();
  }
}

/** Passes items from a gate to a loop. The gate waits until the loop asks for the next item. */
class Handover<Item> {
  #held: { item: Item; taken: () => void } | undefined;
  #wake = (): void => undefined;
  #failure: { error: unknown } | undefined;
  /** True if the loop has to end. */
  isEnded = false;

  readonly pass = (item: Item): Promise<void> =>
    new Promise((taken) => {
      this.#held = { item, taken };
      this.#wake();
    });

  readonly fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.end();
  };

  /** Ends the loop, even while it waits. */
  end(): void {
    this.isEnded = true;
    this.#wake();
  }

  /** Throws the error of the gate, if there was one. To be called at the end. */
  finish(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Resolves when there is an item, or the loop has to end. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#held || this.isEnded) resolve();
      else this.#wake = resolve;
    });
  }

  /** The current item, if there is one. */
  *take(): Generator<Item, void, undefined> {
    if (!this.#held) return;
    const { item, taken } = this.#held;
    this.#held = undefined;
    yield item;
    taken();
  }
}

/**
 * A generator whose `return` and `throw` do not queue behind a `next` that waits, because they first call `stop`, which ends the wait.
 */
export function stoppable<Item>(
  items: AsyncGenerator<Item, void, undefined>,
  stop: () => void,
): AsyncGenerator<Item, void, undefined> {
  const end = items.return.bind(items);
  const fail = items.throw.bind(items);
  // Defined and not assigned: where the prototype of generators is frozen, as under SES, nothing that it has can be assigned.
  const method = (value: unknown) => ({ value, writable: true, configurable: true });
  return Object.defineProperties(items, {
    return: method((value: Parameters<typeof end>[0]) => {
      stop();
      return end(value);
    }),
    throw: method((error: unknown) => {
      stop();
      return fail(error);
    }),
  });
}

/**
 * The items of `source` that pass, in the order of the source. The gate that `open` returns waits until the loop asks for the next
 * item. An item is yielded as soon as possible, whether or not the source has another one. When `stopped` is aborted, the items end.
 */
export async function* throughGate<Item>(
  source: ItemSource<Item>,
  open: (exits: Pick<Exits<Item>, 'pass' | 'fail'>) => Promise<Gate<Item>>,
  stopSignal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  const handover = new Handover<Item>();
  const gate = await open({ pass: handover.pass, fail: handover.fail });
  const reader = new SourceReader(source, (item) => gate.take(item));
  stopSignal.addEventListener('abort', () => {
    handover.end();
    void gate.close();
  });
  try {
    while (!stopSignal.aborted && !handover.isEnded && (!reader.isAtEnd || gate.oldest)) {
      if (!gate.room) reader.start();
      const events = [handover.arrival(), gate.oldest, reader.reading];
      await Promise.race(events.filter((event) => event !== undefined));
      yield* handover.take();
    }
    if (stopSignal.aborted) return;
    handover.finish();
    reader.finish();
  } finally {
    await gate.close();
    await reader.close();
  }
}
