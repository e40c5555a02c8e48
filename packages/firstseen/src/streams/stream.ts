// Deduplicates the items of a program: iterables and streams. It uses no file and no `node:` module.

import { isBytes } from '../base/bytes.js';
import {
  checkBoolean,
  checkFunctions,
  checkObject,
  checkOptions,
  checkUnlocked,
  checkWhole,
  type OptionNames,
} from '../base/check.js';
import { copied } from '../base/copied.js';
import { FirstseenError, invalidOption, joinPhrases, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { DeliveryGate, type DeliveryOptions, type DeliverySink } from '../claims/delivery.js';
import { type Exits, type Gate, ImmediateGate, type KeyFunction } from '../claims/gate.js';
import { checkSoloDetector } from '../detectors/checkdetector.js';
import { ownClock, refuseClock, systemTime } from '../detectors/clock.js';
import { Detector } from '../detectors/detector.js';
import type { Key } from '../detectors/key.js';
import { givenModule } from '../kernel/given.js';
import { settingsWithKeys, type TimedOptions, timedOptionNames, watchedAsAsked } from '../plan/keys.js';
import { isUnkeyed, keyMaker } from '../records/keyof.js';
import { DOCUMENTS } from '../records/keyscheme.js';
import { type KeyPolicyOptions, keyPolicyNames } from '../records/policies.js';
import { cancellable } from './cancellable.js';
import { stoppable, throughGate } from './iterate.js';

declare global {
  /** Merges with the type of the platform, for programs that have neither the types of Node nor those of a browser. */
  // biome-ignore lint/suspicious/noExplicitAny: the parameters are those of the platform's declaration
  interface TransformStream<I = any, O = any> {}
}

/**
 * The options of a stream of items that are keys themselves, or from which keys are made. All are optional. `missingKey`,
 * `emptyKey` and `nullKey` are for keys that consist of fields, and mean what they mean in the command.
 */
export interface DedupOptions<Item> extends TimedOptions, DeliveryOptions<Item>, KeyPolicyOptions {
  /**
   * The key of an item. By default `keyOf` with the keys of the detector, or without any the item itself, which must be text, bytes or
   * an integer.
   */
  key?: ((item: Item) => Key) | undefined;
  /** A detector to use, which may also be used elsewhere; by default one is created from the other options. */
  detector?: Detector | undefined;
  /**
   * The time of an item, in milliseconds since 1970, for a detector whose window is a duration; by default the current time. An item
   * that is earlier than one before it gets the time of that one. So one time far in the future moves the window for all later items;
   * check times from untrusted sources first. A `detector` that is given must have been created or loaded with `clock: 'manual'`.
   */
  time?: ((item: Item) => number) | undefined;
  /** Called with every item that is dropped, for its key or by a policy. What it throws ends the stream. A promise is not awaited. */
  onDuplicate?: ((item: Item) => void) | undefined;
}

/**
 * The options of a stream of items that are not keys themselves. `key` makes the key of an item, or it consists of fields: `keys`, or
 * those of the `detector`. One of the three is mandatory.
 */
export type KeyedDedupOptions<Item> = DedupOptions<Item> & KeyedBy<Item>;

type KeyedBy<Item> = { key: (item: Item) => Key } | { keys: readonly string[] } | { detector: Detector };

/** The options of `dedupStream` and `dedupTransform`: those of `dedup`, and those of a stream. All are optional. */
export interface DedupStreamOptions<Item> extends DedupOptions<Item> {
  /**
   * The number of items that each of the two sides of the stream holds before the side that feeds it has to wait, as in
   * the streams of the platform: 1 or more. By default 16 on both sides of a Node stream, 1 and 0 in a Web stream.
   */
  highWaterMark?: number | undefined;
  /**
   * Takes items that are bytes as keys, without a `key`; false by default. Such items are refused otherwise (E_KEY), because the chunks
   * of a file or a socket are cut anywhere. `dedupBytes` and `dedupBytesTransform` take such chunks.
   */
  takesChunks?: boolean | undefined;
}

/** The options of a stream of items that are not keys themselves, as `KeyedDedupOptions`. */
export type KeyedDedupStreamOptions<Item> = DedupStreamOptions<Item> & KeyedBy<Item>;

const dedupOptionNames: OptionNames<DedupOptions<never>> = {
  ...timedOptionNames,
  ...keyPolicyNames,
  key: true,
  detector: true,
  time: true,
  onDuplicate: true,
  deliver: true,
  concurrency: true,
  onRejected: true,
  timeout: true,
  signal: true,
};

const dedupStreamOptionNames: OptionNames<DedupStreamOptions<never>> = {
  ...dedupOptionNames,
  highWaterMark: true,
  takesChunks: true,
};

function ownKey(item: unknown): Key {
  if (typeof item === 'string' || typeof item === 'number' || typeof item === 'bigint') return item;
  if (isBytes(item)) return item;
  throw new FirstseenError('E_KEY', `an item of type ${typeof item} cannot be a key`, {
    option: 'key',
    remedy: phrase`give ${optionName('key')}, a function from an item to its key`,
  });
}

/** The key of an item of a stream, which is not a chunk of bytes. */
function unchunkedKey(item: unknown): Key {
  if (!isBytes(item)) return ownKey(item);
  const remedy = phrase`use dedupBytes or dedupBytesTransform for the bytes of a file or a socket; if each item is a key, give ${optionName('takesChunks')} or ${optionName('key')}`;
  throw new FirstseenError('E_KEY', 'the items are chunks of bytes, which are cut anywhere', {
    option: 'takesChunks',
    remedy,
  });
}

/**
 * The key of an item as the scheme of the detector makes it.
 * @throws FirstseenError E_PARAMETER for invalid policies, and for those of keys that do not consist of fields.
 */
function schemedKey(
  { settings: { keyScheme } }: Detector,
  policies: KeyPolicyOptions,
  lineKey: KeyFunction<unknown>,
): KeyFunction<unknown> {
  const { format = 'lines', keys = [], equality } = keyScheme ?? {};
  if (format !== 'lines' && format !== DOCUMENTS) {
    return keyMaker(keys, { format, ...policies, ...equality }) as KeyFunction<unknown>;
  }
  refusePolicies(policies);
  return equality ? (keyMaker([], { format: 'lines', ...equality }) as KeyFunction<unknown>) : lineKey;
}

function refusePolicies(policies: KeyPolicyOptions): void {
  const [name] = Object.entries(policies).find(([, policy]) => policy !== undefined) ?? [];
  if (name === undefined) return;
  const remedy = phrase`give ${optionName('keys')} and no ${optionName('key')}, or leave ${optionName(name)} out`;
  throw unfitOption(name, 'the keys are not made from fields', { code: 'E_PARAMETER', remedy });
}

/** @throws FirstseenError E_PARAMETER for settings that are given together with a detector. */
export function refuseSettings(settings: TimedOptions): void {
  const names = Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length === 0) return;
  const givenOptions = joinPhrases(
    names.map((name) => phrase`${optionName(name)}`),
    ', ',
  );
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${givenOptions} cannot be given together with a ${optionName('detector')}`,
    {
      option: names[0] as string,
      remedy: 'give one or the other',
    },
  );
}

function refuseWithoutSink<Item>(options: Omit<DeliverySink<Item>, 'deliver'>): void {
  for (const name of ['concurrency', 'onRejected', 'timeout', 'signal'] as const) {
    if (options[name] === undefined) continue;
    const deliver = optionName('deliver');
    throw new FirstseenError('E_PARAMETER', phrase`${optionName(name)} requires ${deliver}`, {
      option: name,
      remedy: phrase`give ${deliver} as well, or leave ${optionName(name)} out`,
    });
  }
}

/** @throws FirstseenError E_PARAMETER when the window is not a duration, or a clock is given too; E_USAGE when the detector has one. */
function checkItemTime(detector: Detector, now: TimedOptions['now']): void {
  const time = optionName('time');
  if (!detector.settings.parameters.isTimed) {
    const remedy = phrase`give a ${optionName('window')} such as 1h, or leave ${time} out`;
    throw unfitOption('time', 'the window is not a duration', { code: 'E_PARAMETER', remedy });
  }
  if (detector.clock) throw ownClock();
  if (now === undefined) return;
  const problem = phrase`${time} and ${optionName('now')} were given, but each item has one time`;
  throw new FirstseenError('E_PARAMETER', problem, { option: 'now', remedy: 'give one of them' });
}

/**
 * The key function of a gate. For a detector whose window is a duration, and that reads no clock, it first advances the detector to the
 * item's time.
 */
function keyInTime<Item>(
  detector: Detector,
  keyOf: KeyFunction<Item>,
  { time, now }: Pick<DedupOptions<Item>, 'time' | 'now'>,
): KeyFunction<Item> {
  if (time) checkItemTime(detector, now);
  if (!detector.settings.parameters.isTimed || detector.clock) return keyOf;
  const clock = now ?? systemTime;
  const timeOf = time ?? (() => clock());
  return (item) => {
    const key = keyOf(item);
    // The time of an item that is not observed does not move the window.
    if (!isUnkeyed(key)) detector.advance(timeOf(item));
    return key;
  };
}

/**
 * The gate that all loops and streams of items share.
 * @param lineKey the key of an item without fields
 * @throws FirstseenError as `create`, and E_PARAMETER for settings together with a detector, for an invalid option of delivery or one
 * without `deliver`, and for a `time` if the window is not a duration.
 */
async function createGate<Item>(
  options: DedupOptions<Item>,
  { pass, fail }: Pick<Exits<Item>, 'pass' | 'fail'>,
  lineKey = ownKey,
): Promise<Gate<Item>> {
  checkOptions<DedupOptions<never>>(options, dedupOptionNames);
  const { key: givenKey, time, onDuplicate, detector: givenDetector, ...deliveryOptions } = options;
  const { deliver, concurrency, onRejected, timeout, signal, ...detectorOptions } = deliveryOptions;
  const { missingKey, emptyKey, nullKey, ...settings } = detectorOptions;
  checkFunctions({ key: givenKey, time, now: settings.now, onDuplicate, deliver, onRejected });
  const policies = { missingKey, emptyKey, nullKey };
  const sink = { concurrency, onRejected, timeout, signal };
  if (givenDetector !== undefined) {
    checkSoloDetector('detector', givenDetector);
    refuseSettings(settings);
  }
  if (!deliver) refuseWithoutSink(sink);
  const detector = givenDetector ?? (await detectorOf(settings));
  if (givenKey) refusePolicies(policies);
  const times = { time, now: settings.now };
  const key = keyInTime(detector, givenKey ?? schemedKey(detector, policies, lineKey), times);
  const exits: Exits<Item> = { pass, fail, drop: (item) => onDuplicate?.(item) };
  return deliver
    ? new DeliveryGate(detector, key, { deliver, ...sink }, exits)
    : new ImmediateGate(detector, key, exits);
}

async function detectorOf(settings: TimedOptions): Promise<Detector> {
  const given = copied(settings);
  refuseClock(given);
  const made = await Detector.ofSettings(await settingsWithKeys(given), givenModule(given));
  return watchedAsAsked(made, given);
}

/**
 * The gate of a stream.
 * @throws FirstseenError as `createGate`, and E_PARAMETER for an invalid `takesChunks`.
 */
export async function createStreamGate<Item>(
  options: DedupStreamOptions<Item>,
  exits: Pick<Exits<Item>, 'pass' | 'fail'>,
): Promise<Gate<Item>> {
  checkOptions<DedupStreamOptions<never>>(options, dedupStreamOptionNames);
  const { highWaterMark: _highWaterMark, takesChunks = false, ...others } = options;
  return createGate(others, exits, checkBoolean('takesChunks', takesChunks) ? ownKey : unchunkedKey);
}

/**
 * Returns the number of items that a stream holds on each side, as the platform takes it.
 * @throws FirstseenError E_PARAMETER unless it is 1 or more.
 */
export function strategyOf(options: { highWaterMark?: number | undefined }): { highWaterMark?: number } {
  const { highWaterMark } = checkObject(options);
  if (highWaterMark === undefined) return {};
  return { highWaterMark: checkWhole('highWaterMark', highWaterMark, { least: 1, most: Number.MAX_SAFE_INTEGER }) };
}

/** @throws FirstseenError E_PARAMETER for what no loop can go through. */
function checkSource(source: unknown): void {
  const isIterable = (value: object) => Symbol.asyncIterator in value || Symbol.iterator in value;
  if (typeof source === 'string') return;
  if (!(typeof source === 'object' && source !== null && isIterable(source))) {
    throw invalidOption({ option: 'source', given: source, expected: 'an iterable or async iterable of items' });
  }
  checkUnlocked('source', source);
}

/**
 * The items of `source` that are seen for the first time, in order; with `deliver`, those that were delivered. With `deliver`, `return()`
 * ends it at once. Without it, `return()` waits for the item that is being read, as in any generator.
 * @throws FirstseenError as `create`, and E_KEY or E_FULL as `observe`; the error with which `deliver` rejects.
 * @example
 * ```js
 * import { dedup } from 'firstseen';
 *
 * for await (const item of dedup(['a', 'b', 'a'], { memory: '1MiB' })) {
 *   console.log(item); // a, then b
 * }
 * ```
 */
export function dedup<Item extends Key>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options?: DedupOptions<Item>,
): AsyncGenerator<Item, void, undefined>;
/**
 * The items of `source` whose key is seen for the first time, in order; with `deliver`, those that were delivered.
 * @throws FirstseenError as for items that are keys themselves.
 */
export function dedup<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options: KeyedDedupOptions<Item>,
): AsyncGenerator<Item, void, undefined>;
export function dedup<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options: DedupOptions<Item> = {},
): AsyncGenerator<Item, void, undefined> {
  const stopping = new AbortController();
  return stoppable(firstItems(source, options, stopping.signal), () => stopping.abort());
}

async function* firstItems<Item>(
  source: AsyncIterable<Item> | Iterable<Item>,
  options: DedupOptions<Item>,
  stopSignal: AbortSignal,
): AsyncGenerator<Item, void, undefined> {
  checkSource(source);
  checkOptions<DedupOptions<never>>(options, dedupOptionNames);
  if (options.deliver) return yield* throughGate(source, (exits) => createGate(options, exits), stopSignal);
  const passedItems: Item[] = [];
  const pass = (item: Item) => {
    passedItems.push(item);
    return undefined;
  };
  const gate = await createGate(options, { pass, fail: () => undefined });
  stopSignal.addEventListener('abort', () => void gate.close());
  for await (const item of source) {
    gate.take(item);
    if (gate.room) {
      await gate.room;
      if (stopSignal.aborted) return;
    }
    if (passedItems.length > 0) yield passedItems.pop() as Item;
  }
}

/**
 * A Web stream that passes the same items as `dedup`. It fails with the error that `dedup` would throw. Chunks of bytes are refused
 * unless `takesChunks` is given.
 * @throws FirstseenError E_PARAMETER for an invalid `highWaterMark`.
 */
export function dedupStream<Item extends Key>(options?: DedupStreamOptions<Item>): TransformStream<Item, Item>;
/**
 * A Web stream that passes the same items as `dedup` with a key. It fails with the error that `dedup` would throw.
 * @throws FirstseenError E_PARAMETER for an invalid `highWaterMark`.
 */
export function dedupStream<Item>(options: KeyedDedupStreamOptions<Item>): TransformStream<Item, Item>;
export function dedupStream<Item>(options: DedupStreamOptions<Item> = {}): TransformStream<Item, Item> {
  let gate: Gate<Item> | undefined;
  // The types of TypeScript have no `cancel` yet. A platform without it cancels the stream, and its deliveries go on.
  const transformer: Transformer<Item, Item> & { cancel: () => Promise<void> | undefined } = {
    start: async (controller) => {
      const pass = (item: Item) => {
        controller.enqueue(item);
        return undefined;
      };
      gate = await createStreamGate(options, { pass, fail: (error) => controller.error(error) });
    },
    transform: (item) => {
      gate?.take(item);
      return gate?.room;
    },
    flush: () => gate?.finish(),
    cancel: () => gate?.close(),
  };
  const strategy = strategyOf(options);
  return cancellable(new TransformStream<Item, Item>(transformer, strategy, strategy), () => gate?.close());
}
