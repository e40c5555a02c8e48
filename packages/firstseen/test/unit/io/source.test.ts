import { expect, test } from 'vitest';
import { byteOffsetOf, firstBytes, isByteOffset } from '../../../src/io/source.js';
import { readerOf } from '../run/support.js';

test.each([
  [{ offset: 0 }, true],
  [{ offset: 2 ** 53 - 1 }, true],
  [{ offset: -1 }, false],
  [{ offset: 1.5 }, false],
  [{ offset: 2 ** 53 }, false],
  [{ offset: '1' }, false],
  [{}, false],
])('whether %j is a number of bytes: %s', (position, expected) => {
  expect(isByteOffset(position)).toBe(expected);
});

test('an input without a position starts at its first byte', () => {
  expect([byteOffsetOf(undefined), byteOffsetOf({ offset: 7 })]).toEqual([0, 7]);
});

test.each([
  [['abcd'], 'abc'],
  [['a', 'b', 'c', 'd'], 'abc'],
  [['a'], 'a'],
  [[], ''],
])('the first three bytes of the pieces %j are %j, and the reader is closed', async (pieces, expected) => {
  const inner = readerOf(pieces.map((piece) => Buffer.from(piece)));
  // A reader returns at most as many bytes as fit in the target.
  let rest: Uint8Array = new Uint8Array(0);
  let isClosed = false;
  const reader = {
    ...inner,
    read: async (target: Uint8Array) => {
      if (rest.length === 0) {
        const piece = new Uint8Array(8);
        rest = piece.subarray(0, await inner.read(piece));
      }
      const taken = rest.subarray(0, target.length);
      target.set(taken);
      rest = rest.subarray(taken.length);
      return taken.length;
    },
    close: async () => {
      isClosed = true;
    },
  };
  expect(Buffer.from(await firstBytes(reader)).toString()).toBe(expected);
  expect(isClosed).toBe(true);
});
