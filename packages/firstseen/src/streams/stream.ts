// The main job over items of a program: iterables and streams. No file, no `node:` module.

import { Detector, type Key } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import { type PlannedOptions, planSettings } from '../plan/auto.js';
import { DeliveryGate, type DeliveryOptions, type Sink } from './delivery.js';
import { type Exits, type Gate, ImmediateGate } from './gate.js';
import { throughGate } from './iterate.js';

export interface DedupOptions<Item> extends PlannedOptions, DeliveryOptions<Item> {
  /** What decides an item's identity. By default the item itself, which has to be text, bytes or an integer. */
  key?: (item: Item) => Key;
  /** A detector to use, and to go on using elsewhere; by default one is created from the other options. */
  detector?: Detector;
  /**
   * When an item came, in milliseconds since 1970, for a detector whose window is a time; by default the time it is looked
   * at. An item that is earlier than one before it counts as coming with that one, so one false time far ahead moves the
   * window of all that follow: times from strangers have to be checked before.
   */
  time?: (item: Item) => number;
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

function refuseSettings(settings: PlannedOptions): void {
  const names = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  throw new FirstseenError(
    'E_PARAMETER',
    `${names.join(', ')} was given beside a detector, which has its settings already; give the one or the other`,
  );
}

function refuseWithoutSink<Item>(options: Omit<Sink<Item>, 'deliver'>): void {
  for (const name of ['concurrency', 'onRejected'] as const) {
    if (options[name] === undefined) continue;
    throw new FirstseenError(
      'E_PARAMETER',
      `${name} was given without deliver, to which it belongs; give deliver as well, or leave it out`,
    );
  }
}

/** The key function of a gate. Asked for an item's key, it tells a detector whose window is a time when the item comes. */
function keyInTime<Item>(
  detector: Detector,
  key: (item: Item) => Key,
  time: ((item: Item) => number) | undefined,
): (item: Item) => Key {
  if (detector.settings.parameters.isTimed) {
    return (item) => {
      detector.advance(time ? time(item) : Date.now());
      return key(item);
    };
  }
  if (!time) return key;
  throw new FirstseenError(
    'E_PARAMETER',
    'time was given, but the window is no time; give a window such as 1h, or leave it out',
  );
}

/**
 * The gate that all streams of items share.
 * @throws FirstseenError as `create` does, and E_PARAMETER for settings given beside a detector, for a `concurrency` that is
 * impossible or has no `deliver`, or for a `time` that the detector has no use for.
 */
export async function createGate<Item>(
  options: DedupOptions<Item>,
  { pass, fail }: Pick<Exits<Item>, 'pass' | 'fail'>,
): Promise<Gate<Item>> {
  const { key: givenKey = ownKey, time, onDuplicate, detector: given, ...others } = options;
  const { deliver, concurrency, onRejected, ...settings } = others;
  if (given) refuseSettings(settings);
  if (!deliver) refuseWithoutSink({ concurrency, onRejected });
  const detector = given ?? (await Detector.ofSettings(planSettings(settings)));
  const key = keyInTime(detector, givenKey, time);
  const exits: Exits<Item> = { pass, fail, drop: (item) => onDuplicate?.(item) };
  return deliver
    ? new DeliveryGate(detector, key, { deliver, concurrency, onRejected }, exits)
    : new ImmediateGate(detector, key, exits);
}

/**
 * The items of `source` that are seen for the first time, in order; with `deliver`, those that were delivered.
 * @throws FirstseenError as `create` does, and E_KEY or E_FULL as `observe` does; what `deliver` rejects with.
 */
export async function* dedup<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options: DedupOptions<Item> = {},
): AsyncGenerator<Item, void, undefined> {
  if (options.deliver) return yield* throughGate(source, (exits) => createGate(options, exits));
  const passed: Item[] = [];
  const pass = (item: Item) => {
    passed.push(item);
    return undefined;
  };
  const gate = await createGate(options, { pass, fail: () => undefined });
  for await (const item of source) {
    gate.take(item);
    if (passed.length > 0) yield passed.pop() as Item;
  }
}

/** A Web stream that passes the items that `dedup` would. It errors with what `dedup` throws. */
export function dedupStream<Item>(options: DedupOptions<Item> = {}): TransformStream<Item, Item> {
  let gate: Gate<Item>;
  return new TransformStream<Item, Item>({
    start: async (controller) => {
      const pass = (item: Item) => {
        controller.enqueue(item);
        return undefined;
      };
      gate = await createGate(options, { pass, fail: (error) => controller.error(error) });
    },
    transform: (item) => {
      gate.take(item);
      return gate.room;
    },
    flush: () => gate.finish(),
  });
}
