// The bytes of an object as parts, some of which are read at the same time.

import { type ObjectStatus, type ReadableStore, StoreFailure } from './contract.js';
import { IdleLimit, noAnswer, type Patience, withinIdle, withRetries } from './retry.js';

/** Bytes of a part: so many that the time to begin a request does not matter. */
export const PART_BYTES = 8 * 2 ** 20;

/** Parts that are read or wait at the same time. */
export const PARTS_AT_ONCE = 4;

/** An object of a store, and the bounds of the attempts to read it. */
export interface StoredObject<Address = unknown> {
  store: ReadableStore<Address>;
  address: Address;
  status: ObjectStatus;
  patience: Patience;
}

/**
 * Reads a range of an object. After a failure, only what is missing is read again.
 * @throws StoreFailure
 */
export async function readRange<Address>(
  { store, address, status: { version }, patience }: StoredObject<Address>,
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(to - from);
  let filledBytes = 0;
  const attempt = () =>
    withinIdle(patience, signal, async (limit) => {
      const range = { from: from + filledBytes, to };
      for await (const chunk of await store.read(address, { range, version, signal: limit.signal })) {
        limit.restart();
        bytes.set(chunk.subarray(0, bytes.length - filledBytes), filledBytes);
        filledBytes = Math.min(bytes.length, filledBytes + chunk.length);
      }
      if (filledBytes < bytes.length) throw new StoreFailure('temporary', 'the answer was cut short');
    });
  await withRetries(attempt, patience, signal);
  return bytes;
}

/** The end of the part that begins at an offset. */
function endOfPart({ status: { bytes } }: StoredObject, offset: number): number {
  return Math.min(bytes, offset + PART_BYTES);
}

/** Begins to read the part at an offset. Whoever takes it gets its failure. */
function beginPart<Address>(object: StoredObject<Address>, from: number, signal: AbortSignal): Promise<Buffer> {
  const part = readRange(object, { from, to: endOfPart(object, from) }, signal);
  part.catch(() => undefined);
  return part;
}

/** The first part of an object, which is read before the object is opened. */
export class FirstPart {
  readonly stop = new AbortController();
  readonly bytes: Promise<Buffer>;

  constructor(object: StoredObject) {
    this.bytes = beginPart(object, 0, this.stop.signal);
  }

  /** Its bytes, of an object that is not empty. */
  static bytesOf(object: StoredObject): number {
    return endOfPart(object, 0);
  }
}

/**
 * The parts of an object from an offset on, in order, several of which are read at the same time.
 * @param begun the part at the offset, if it is being read already
 */
export async function* partsFrom<Address>(
  object: StoredObject<Address>,
  offset: number,
  signal: AbortSignal,
  begun?: Promise<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  const reading = begun ? [begun] : [];
  let from = begun ? endOfPart(object, offset) : offset;
  const fill = () => {
    while (reading.length < PARTS_AT_ONCE && from < object.status.bytes) {
      reading.push(beginPart(object, from, signal));
      from = endOfPart(object, from);
    }
  };
  for (fill(); reading.length > 0; fill()) yield await (reading.shift() as Promise<Buffer>);
}

/** The chunks of an object of which no parts can be read. It is read once, because nothing shows where to go on. */
export async function* wholeOf<Address>(
  { store, address, status: { version }, patience }: StoredObject<Address>,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const limit = new IdleLimit(patience.idleMilliseconds, signal);
  const begin = () => {
    limit.restart();
    return store.read(address, { version, signal: limit.signal });
  };
  try {
    for await (const chunk of await withRetries(begin, patience, signal)) {
      // Whoever takes the chunk may take time.
      limit.end();
      yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      limit.restart();
    }
  } catch (error) {
    throw limit.isPassed ? noAnswer(patience) : error;
  } finally {
    limit.end();
  }
}
