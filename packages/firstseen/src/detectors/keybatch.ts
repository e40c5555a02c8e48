// A batch of keys in the memory of a kernel. Texts are joined and encoded in one call, because a call of the encoder takes longer
// than it takes to encode a short text.

import { isBytes } from '../bytes.js';
import { invalidOption } from '../errors.js';
import { BYTES_KEY, INTEGER_KEY } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { encodedBytes } from '../utf8.js';
import type { PlacedElements } from './batches.js';
import { copyKey, type Key, writeBytes, writeInteger } from './key.js';

/** Characters that are encoded together, unless one text has more. */
const JOINED_CHARACTERS = 2 ** 14;
/** Bytes of UTF-8 for one UTF-16 unit at most. */
const MOST_BYTES_OF_UNIT = 3;
const INTEGER_BYTES = 8;

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

function charactersOf(text: string): number {
  return text.length;
}

/** Writes keys one behind the other. */
export class KeyBatch {
  readonly #kernel: Kernel;
  readonly #region: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  /** The keys written, and the end of the last one in the region. */
  #count = 0;
  #at = 0;

  constructor(kernel: Kernel, region: Uint8Array<ArrayBuffer>) {
    this.#kernel = kernel;
    this.#region = region;
    this.#view = new DataView(region.buffer, region.byteOffset, region.length);
  }

  /** Writes the keys from an index on, as many as there is room for: one at least, unless it is refused. */
  write(keys: readonly Key[], from: number): PlacedElements {
    this.#count = 0;
    this.#at = 0;
    const most = Math.min(keys.length - from, this.#kernel.batchCapacity);
    try {
      while (this.#count < most) {
        const before = this.#count;
        const key = keys[from + before] as Key;
        if (typeof key === 'string') this.#writeTexts(keys, from, most);
        else this.#writeOther(key);
        if (this.#count === before) break;
      }
    } catch (error) {
      return { count: this.#count, error };
    }
    return { count: this.#count };
  }

  get #roomBytes(): number {
    return this.#region.length - this.#at;
  }

  #end(bytes: number, keyClass: number): void {
    const { recordEnds, recordClasses, regionOffset } = this.#kernel;
    this.#at += bytes;
    recordEnds[this.#count] = regionOffset + this.#at;
    recordClasses[this.#count] = keyClass;
    this.#count++;
  }

  #writeOther(key: Exclude<Key, string>): void {
    if (typeof key === 'number' || typeof key === 'bigint') {
      if (this.#roomBytes < INTEGER_BYTES) return;
      writeInteger(this.#view, this.#at, key);
      this.#end(INTEGER_BYTES, INTEGER_KEY);
    } else if (isBytes(key) && key.length <= this.#roomBytes) {
      copyKey(key, this.#region, this.#at);
      this.#end(key.length, BYTES_KEY);
    } else if (this.#at === 0 || !isBytes(key)) {
      // It is refused, because it has another type or is too long for the region.
      writeBytes(this.#region, key);
    }
  }

  /** Writes the texts from the next key on that are joined. */
  #writeTexts(keys: readonly Key[], from: number, most: number): void {
    const first = from + this.#count;
    const mostUnits = Math.min(JOINED_CHARACTERS, Math.floor(this.#roomBytes / MOST_BYTES_OF_UNIT));
    let [end, units] = [first, 0];
    for (; end < from + most; end++) {
      const key = keys[end];
      if (typeof key !== 'string' || units + key.length > mostUnits) break;
      units += key.length;
    }
    if (end <= first + 1) {
      this.#writeText(keys[first] as string);
      return;
    }
    const texts = keys.slice(first, end) as string[];
    const { written } = encoder.encodeInto(texts.join(''), this.#region.subarray(this.#at));
    // With as many bytes as characters, all are ASCII.
    const lengths = texts.map(written === units ? charactersOf : encodedBytes);
    if (lengths.some(Number.isNaN)) for (const text of texts) this.#writeText(text);
    else this.#endTexts(lengths);
  }

  /** Ends each text that was written. Everything is in local variables, because there are many. */
  #endTexts(lengths: readonly number[]): void {
    const { recordEnds, recordClasses, regionOffset } = this.#kernel;
    let end = regionOffset + this.#at;
    let at = this.#count;
    recordClasses.fill(BYTES_KEY, at, at + lengths.length);
    for (const length of lengths) {
      end += length;
      recordEnds[at++] = end;
    }
    this.#at = end - regionOffset;
    this.#count = at;
  }

  #writeText(text: string): void {
    if (this.#at > 0 && text.length * MOST_BYTES_OF_UNIT > this.#roomBytes) return;
    this.#end(writeBytes(this.#region.subarray(this.#at), text), BYTES_KEY);
  }
}
