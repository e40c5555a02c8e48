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

/** The parts of an object from an offset on, in order, several of which are read at the same time. */
export async function* partsFrom<Address>(
  object: StoredObject<Address>,
  offset: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const reading: Promise<Buffer>[] = [];
  let from = offset;
  const { bytes } = object.status;
  const fill = () => {
    while (reading.length < PARTS_AT_ONCE && from < bytes) {
      const to = Math.min(bytes, from + PART_BYTES);
      const part = readRange(object, { from, to }, signal);
      // Whoever takes the part gets its failure.
      part.catch(() => undefined);
      reading.push(part);
      from = to;
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
