// The main job over items of a program: iterables and streams. No file, no `node:` module.

import { Detector, type Key } from '../detectors/detector.js';
import type { DetectorOptions } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';

export interface DedupOptions<Item> extends DetectorOptions {
  /** What decides an item's identity. By default the item itself, which has to be text, bytes or an integer. */
  key?: (item: Item) => Key;
  /** A detector to use, and to go on using elsewhere; by default one is created from the other options. */
  detector?: Detector;
  /** Called with every item that is held back. */
  onDuplicate?: (item: Item) => void;
}

function ownKey(item: unknown): Key {
  if (typeof item === 'string' || typeof item === 'number' || typeof item === 'bigint') return item;
  if (item instanceof Uint8Array) return item;
  throw new FirstseenError(
    'E_KEY',
    `an item is of type ${typeof item} and is no key itself; give the option key, a function from the item to its key`,
  );
}

function refuseSettings(settings: DetectorOptions): void {
  const names = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  throw new FirstseenError(
    'E_PARAMETER',
    `${names.join(', ')} was given beside a detector, which has its settings already; give the one or the other`,
  );
}

/** Says of each item whether it is seen for the first time. */
export type Gate<Item> = (item: Item) => boolean;

/**
 * The gate that all streams of items share.
 * @throws FirstseenError as `create` does, and E_PARAMETER for settings given beside a detector.
 */
export async function createGate<Item>(options: DedupOptions<Item>): Promise<Gate<Item>> {
  const { key = ownKey, onDuplicate, detector: given, ...settings } = options;
  if (given) refuseSettings(settings);
  const detector = given ?? (await Detector.create(settings));
  return (item) => {
    if (detector.observe(key(item)) === 'distinct') return true;
    onDuplicate?.(item);
    return false;
  };
}

/**
 * The items of `source` that are seen for the first time, in order.
 * @throws FirstseenError as `create` does, and E_KEY or E_FULL as `observe` does.
 */
export async function* dedup<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options: DedupOptions<Item> = {},
): AsyncGenerator<Item, void, undefined> {
  const isFirst = await createGate(options);
  for await (const item of source) if (isFirst(item)) yield item;
}

/** A Web stream that passes the items seen for the first time. It errors with what `dedup` throws. */
export function dedupStream<Item>(options: DedupOptions<Item> = {}): TransformStream<Item, Item> {
  let isFirst: Gate<Item>;
  return new TransformStream<Item, Item>({
    start: async () => {
      isFirst = await createGate(options);
    },
    transform: (item, controller) => {
      if (isFirst(item)) controller.enqueue(item);
    },
  });
}
