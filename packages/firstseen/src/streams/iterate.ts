// A gate between a source and a loop over what passes. No file, no `node:` module.

import type { Exits, Gate } from './gate.js';

type Source<Item> = AsyncIterable<Item> | Iterable<Item>;

async function* each<Item>(source: Source<Item>): AsyncGenerator<Item, void, undefined> {
  yield* source;
}

/** Reads one item at a time, ahead of whoever waits for it. */
class SourceReader<Item> {
  readonly #items: AsyncGenerator<Item, void, undefined>;
  #take: (item: Item) => void;
  #failure: { error: unknown } | undefined;
  isAtEnd = false;
  /** Resolves when the item that is being read was taken, or there is none; nothing while none is being read. */
  reading: Promise<void> | undefined;

  constructor(source: Source<Item>, take: (item: Item) => void) {
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

  /** At the end; throws what the source threw. */
  finish(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Takes nothing more. */
  async close(): Promise<void> {
    this.#take = () => undefined;
    const closing = this.#items.return();
    // A source from which an item is awaited closes only when that item has come, if ever.
    if (this.reading) closing.catch(() => undefined);
    else await closing;
  }
}

/** Where a gate leaves an item for a loop, and waits until the loop comes back for the next. */
class Handover<Item> {
  #held: { item: Item; taken: () => void } | undefined;
  #wake = (): void => undefined;

  readonly pass = (item: Item): Promise<void> =>
    new Promise((taken) => {
      this.#held = { item, taken };
      this.#wake();
    });

  /** Resolves when an item is there. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#held) resolve();
      else this.#wake = resolve;
    });
  }

  /** The item that is there, if any. */
  *take(): Generator<Item, void, undefined> {
    if (!this.#held) return;
    const { item, taken } = this.#held;
    this.#held = undefined;
    yield item;
    taken();
  }
}

/**
 * The items of `source` that pass, in order with those that do not: the gate that `open` gives waits until the loop comes
 * back. An item comes as soon as it may, whether or not the source has another one.
 */
export async function* throughGate<Item>(
  source: Source<Item>,
  open: (exits: Pick<Exits<Item>, 'pass' | 'fail'>) => Promise<Gate<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const handover = new Handover<Item>();
  // The loop meets a failure at the item that failed.
  const gate = await open({ pass: handover.pass, fail: () => undefined });
  const reader = new SourceReader(source, (item) => gate.take(item));
  try {
    while (!reader.isAtEnd || gate.oldest) {
      if (!gate.room) reader.start();
      const events = [handover.arrival(), gate.oldest, reader.reading];
      await Promise.race(events.filter((event) => event !== undefined));
      yield* handover.take();
    }
    reader.finish();
  } finally {
    await gate.close();
    await reader.close();
  }
}
