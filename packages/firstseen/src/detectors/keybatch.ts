// A batch of keys in the memory of a kernel. Texts are joined and encoded in one call, because a call of the encoder takes longer
// than it takes to encode a short text. The kernel finds where each of them ends.

import { isBytes } from '../base/bytes.js';
import { invalidOption } from '../base/errors.js';
import { hasLoneSurrogate } from '../base/utf8.js';
import { BYTES_KEY, INTEGER_KEY, TEXT_KEY } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import type { PlacedElements } from './batches.js';
import { copyKey, type Key, writeBytes, writeInteger } from './key.js';

/** Bytes for the keys of a batch, unless its first key takes more: they stay in the caches of the processor until they are hashed. */
export const ROOM_BYTES = 2 ** 16;
/** Keys of a batch at most: few, because they are copied before it is known how many of them have room. */
const MAX_KEYS = 1024;
/** Bytes of UTF-8 for one UTF-16 unit at most. */
const MAX_BYTES_OF_UNIT = 3;
export const INTEGER_BYTES = 8;
/** UTF-16 units of a text that is joined with others. Longer ones are encoded one by one, because to join them takes longer than a call. */
const MAX_JOINED_UNITS = 200;

const encoder = new TextEncoder();

/**
 * The keys as an array. A single key is refused, because text and bytes can be iterated over too.
 * @throws FirstseenError E_PARAMETER unless they can be iterated over.
 */
export function keysIn(keys: Iterable<Key>): readonly Key[] {
  if (Array.isArray(keys)) return keys;
  const isOne = typeof keys === 'string' || isBytes(keys);
  if (!isOne && typeof keys?.[Symbol.iterator] === 'function') return Array.from(keys);
  throw invalidOption({
    option: 'keys',
    given: keys,
    expected: 'an array of keys, or another iterable',
    remedy: 'pass one key in an array, or to observe or test',
  });
}

/**
 * Tells if a key is certainly not in this memory, nor detached: it differs from the memory in its first byte. To ask for its buffer
 * takes longer than to copy it.
 */
function isApart(key: Uint8Array, memory: Uint8Array): boolean {
  return key.length > 0 && key[0] !== memory[key.byteOffset];
}

function hasLone(key: Key): boolean {
  return typeof key === 'string' && hasLoneSurrogate(key);
}

/** The part of a batch that was written: all but the texts, which are joined. */
interface PlacedKeys extends PlacedElements {
  texts: string;
}

/** Writes batches of keys: first all that are not texts, then the texts. Lengths and classes are in the arrays of records. */
export class KeyBatch {
  readonly #kernel: Kernel;
  readonly #region: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  /** Bytes of the keys that are not texts. */
  #otherBytes = 0;

  constructor(kernel: Kernel, region: Uint8Array<ArrayBuffer>) {
    this.#kernel = kernel;
    this.#region = region;
    this.#view = new DataView(region.buffer);
  }

  /** The offset at which the texts begin. */
  get textsOffset(): number {
    return this.#kernel.regionOffset + this.#otherBytes;
  }

  /** Writes the keys from an index on, as many as there is room for: one at least, unless it is refused. */
  write(keys: readonly Key[], from: number): PlacedElements {
    // Each key is read once, before anything is written: reading may run code that uses the same detector.
    const batch = keys.slice(from, from + MAX_KEYS);
    const { texts, ...placed } = this.#place(batch);
    if (placed.count === 0 && placed.error === undefined) return this.#writeLong(batch[0] as Key);
    if (texts !== '') this.#encodeTexts(texts, batch.slice(0, placed.count));
    return placed;
  }

  /** Writes the keys that are not texts, and joins the others. All is in local variables, because there are many keys. */
  #place(keys: readonly Key[]): PlacedKeys {
    const { bytes, recordEnds: lengths, recordClasses: classes, regionOffset } = this.#kernel;
    const most = keys.length;
    let [count, room, at, texts, problem] = [0, ROOM_BYTES, regionOffset, '', undefined as unknown];
    try {
      for (; count < most; count++) {
        const key = keys[count] as Key;
        if (typeof key === 'string' && key.length <= MAX_JOINED_UNITS) {
          room -= MAX_BYTES_OF_UNIT * key.length;
          if (room < 0) break;
          texts += key;
          lengths[count] = key.length;
          classes[count] = TEXT_KEY;
        } else if (typeof key === 'string') {
          room -= MAX_BYTES_OF_UNIT * key.length;
          if (room < 0) break;
          const length = writeBytes(this.#region.subarray(at - regionOffset), key);
          lengths[count] = length;
          classes[count] = BYTES_KEY;
          at += length;
        } else if (isBytes(key)) {
          const { length } = key;
          room -= length;
          if (room < 0) break;
          if (isApart(key, bytes)) bytes.set(key, at);
          else copyKey(key, bytes, at);
          lengths[count] = length;
          classes[count] = BYTES_KEY;
          at += length;
        } else {
          room -= INTEGER_BYTES;
          if (room < 0) break;
          this.#writeInteger(key, at);
          lengths[count] = INTEGER_BYTES;
          classes[count] = INTEGER_KEY;
          at += INTEGER_BYTES;
        }
      }
    } catch (error) {
      problem = error;
    }
    this.#otherBytes = at - regionOffset;
    return { count, error: problem, texts };
  }

  /** Writes an integer. What has another type is refused as a single key. */
  #writeInteger(key: number | bigint, address: number): void {
    if (typeof key !== 'number' && typeof key !== 'bigint') writeBytes(this.#region, key);
    writeInteger(this.#view, address, key);
  }

  /** Writes a key that is too long to share the memory with others. */
  #writeLong(key: Key): PlacedElements {
    const { recordEnds: lengths, recordClasses: classes } = this.#kernel;
    try {
      lengths[0] = writeBytes(this.#region, key as string | Uint8Array);
      classes[0] = BYTES_KEY;
      return { count: 1 };
    } catch (error) {
      return { count: 0, error };
    }
  }

  /** Writes the texts of a batch. */
  #encodeTexts(texts: string, keys: readonly Key[]): void {
    const region = this.#region.subarray(this.#otherBytes);
    const { written } = encoder.encodeInto(texts, region);
    // With as many bytes as units, all is ASCII.
    if (written === texts.length) return;
    region[written] = 0;
    const isMeasured =
      this.#kernel.exports.measureTexts(this.textsOffset, this.textsOffset + written, keys.length) === 1;
    if (!isMeasured && keys.some(hasLone)) this.#encodeEach(region, keys);
  }

  #encodeEach(region: Uint8Array, keys: readonly Key[]): void {
    let free = region;
    for (const [i, key] of keys.entries()) {
      if (this.#kernel.recordClasses[i] !== TEXT_KEY) continue;
      const length = writeBytes(free, key as string);
      this.#kernel.recordEnds[i] = length;
      free = free.subarray(length);
    }
  }
}
