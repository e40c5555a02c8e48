// A gate between a source and a loop over the items that pass. It uses no file and no `node:` module.

import type { Exits, Gate } from './gate.js';

type ItemSource<Item> = AsyncIterable<Item> | Iterable<Item>;

async function* each<Item>(source: ItemSource<Item>): AsyncGenerator<Item, void, undefined> {
  yield* source;
}

/** Reads one item at a time, ahead of the consumer. */
class SourceReader<Item> {
  readonly #items: AsyncGenerator<Item, void, undefined>;
  #take: (item: Item) => void;
  #failure: { error: unknown } | undefined;
  isAtEnd = false;
  /** Resolves when the next item was taken or the source ended; undefined if none is being read. */
  reading: Promise<void> | undefined;

  constructor(source: ItemSource<Item>, take: (item: Item) => void) {
    this.#items = each(source);
    this.#take = take;
  }

  start(): void {
    if (!this.isAtEnd) this.reading ??= this.#read();
  }

  async #read(): Promise<void> {
    try {
      const { done, value } = await this.#items.next();
      if (done) this.isAtEnd = true;
      else this.#take(value);
    } catch (error) {
      this.#failure = { error };
      this.isAtEnd = true;
    }
    this.reading = undefined;
  }

  /** Throws the error of the source, if there was one. To be called at the end. */
  finish(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Stops reading. */
  async close(): Promise<void> {
    this.#take = () => undefined;
    const closing = this.#items.return();
    // While an item is awaited, a source closes only after that item has arrived, if ever.
    if (this.reading) closing.catch(() => undefined);
    else await closing;
  }
}

/** Passes items from a gate to a loop. The gate waits until the loop asks for the next item. */
class Handover<Item> {
  #held: { item: Item; taken: () => void } | undefined;
  #wake = (): void => undefined;
  #failure: { error: unknown } | undefined;
  /** Whether the loop has to end. */
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

  /** Has the loop end, even while it waits. */
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
  return Object.assign(items, {
    return: (value: Parameters<typeof end>[0]) => {
      stop();
      return end(value);
    },
    throw: (error: unknown) => {
      stop();
      return fail(error);
    },
  });
}

/**
 * The items of `source` that pass, in the order of the source. The gate that `open` returns waits until the loop asks for the next
 * item. An item is yielded as soon as possible, whether or not the source has another one. When `stopped` is aborted, the items end.
 */
export async function* throughGate<Item>(
  source: ItemSource<Item>,
  open: (exits: Pick<Exits<Item>, 'pass' | 'fail'>) => Promise<Gate<Item>>,
  stopped: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  const handover = new Handover<Item>();
  const gate = await open({ pass: handover.pass, fail: handover.fail });
  const reader = new SourceReader(source, (item) => gate.take(item));
  stopped.addEventListener('abort', () => {
    handover.end();
    gate.close();
  });
  try {
    while (!stopped.aborted && !handover.isEnded && (!reader.isAtEnd || gate.oldest)) {
      if (!gate.room) reader.start();
      const events = [handover.arrival(), gate.oldest, reader.reading];
      await Promise.race(events.filter((event) => event !== undefined));
      yield* handover.take();
    }
    if (stopped.aborted) return;
    handover.finish();
    reader.finish();
  } finally {
    await gate.close();
    await reader.close();
  }
}
