// Keys as bytes in the memory of a kernel.

import { isBytes, typeText } from '../base/bytes.js';
import { checkAttached } from '../base/check.js';
import { FirstseenError, shownName } from '../base/errors.js';
import { encodeText, hasLoneSurrogate } from '../base/utf8.js';

/**
 * The value that decides identity, at most 1 MiB (1,048,576 bytes) long. Text counts as its UTF-8 bytes, and a lone
 * surrogate in it as the three bytes of its value. An integer from 0 to 2^64 - 1 is another key than any text or bytes;
 * above 2^53 - 1 it has to be a bigint, because a number may be rounded there.
 */
export type Key = string | Uint8Array | number | bigint;

const WORD = 2 ** 32;

const encoder = new TextEncoder();

/** Copies the bytes of a key. @throws FirstseenError E_KEY for bytes whose memory is gone, or is that of a detector. */
export function copyKey(key: Uint8Array, target: Uint8Array, offset = 0): void {
  checkAttached(key, 'a key', 'E_KEY');
  if (key.buffer === target.buffer) {
    throw new FirstseenError('E_KEY', 'a key is in the memory of the detector', { remedy: 'copy the bytes' });
  }
  target.set(key, offset);
}

/**
 * Writes an integer as eight bytes at `offset`.
 * @throws FirstseenError E_KEY for a number that is not a whole number from 0 to 2^64 - 1.
 */
export function writeInteger(view: DataView, offset: number, key: number | bigint): void {
  if (Number.isSafeInteger(key) && key >= 0) {
    // Most integers are numbers, and two stores are much faster than a conversion to bigint.
    view.setUint32(offset, Number(key) % WORD, true);
    view.setUint32(offset + 4, Math.floor(Number(key) / WORD), true);
    return;
  }
  if (typeof key === 'number' && Number.isInteger(key) && key > 0 && key < 2 ** 64) {
    throw new FirstseenError('E_KEY', `key ${key} is a number above 2^53 - 1, which may be rounded`, {
      given: key,
      remedy: `pass such integers as bigints, such as ${BigInt(key)}n; as text they are other keys`,
    });
  }
  if (typeof key !== 'bigint' || key < 0n || key >= 2n ** 64n) {
    throw new FirstseenError('E_KEY', `key ${shownName(key)} is not a whole number from 0 to 2^64 - 1`, {
      remedy: 'pass other numbers as text',
    });
  }
  view.setBigUint64(offset, key, true);
}

/**
 * Writes text or bytes to the start of the region; returns their length.
 * @throws FirstseenError E_KEY for another type, or a key longer than the region.
 */
export function writeBytes(region: Uint8Array, key: string | Uint8Array): number {
  if (typeof key === 'string') {
    const { read: readCharacters, written: writtenBytes } = encoder.encodeInto(key, region);
    if (readCharacters === key.length) {
      // The bytes of a lone surrogate replace those of U+FFFD, which are as many.
      if (writtenBytes > readCharacters && hasLoneSurrogate(key)) region.set(encodeText(key));
      return writtenBytes;
    }
  } else if (isBytes(key)) {
    if (key.length <= region.length) {
      copyKey(key, region);
      return key.length;
    }
  } else {
    throw new FirstseenError('E_KEY', `a key has the type ${typeText(key)}`, {
      given: key,
      expected: 'a string, bytes, a number or a bigint',
      remedy:
        key === undefined
          ? 'pass a string, bytes, a number or a bigint; do not observe a record for which keyOf returns undefined'
          : 'pass a string, bytes, a number or a bigint',
    });
  }
  const bytes = typeof key === 'string' ? encodeText(key).length : key.length;
  throw new FirstseenError('E_KEY', `a key has ${bytes} bytes, but the limit is ${region.length} bytes`, {
    remedy: 'hash the key first',
  });
}
