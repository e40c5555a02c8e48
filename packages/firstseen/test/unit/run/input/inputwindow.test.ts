import { expect, test } from 'vitest';
import { Kernel } from '../../../../src/kernel/kernel.js';
import type { InputReader } from '../../../../src/run/input/contract.js';
import { halfBytes, InputWindow } from '../../../../src/run/input/inputwindow.js';
import { CHUNK_BYTES } from '../../../../src/run/regions.js';
import { readerOf } from '../support.js';

const roomBytes = 4 * CHUNK_BYTES;
const readBytes = 2 * CHUNK_BYTES;
const bytesOfHalf = halfBytes({ roomBytes, readBytes });

async function windowWith(reader: InputReader, mayGrow = false) {
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes: 2 * bytesOfHalf });
  const halves = [kernel.regionOffset, kernel.regionOffset + bytesOfHalf] as const;
  const region = { halves, roomBytes, readBytes, chunkBytes: CHUNK_BYTES };
  const window = new InputWindow({ kernel, region, reader, mayGrow });
  const text = () => Buffer.from(kernel.bytes.subarray(window.start, window.end)).toString('latin1');
  return { window, text, halves };
}

const windowOver = (pieces: readonly Uint8Array[], mayGrow = false) => windowWith(readerOf(pieces), mayGrow);

test('new input is read after the bytes that are not yet framed', async () => {
  const { window, text } = await windowOver([Buffer.from('abc'), Buffer.from('def')]);
  window.startReading();
  await window.settle();
  expect(text()).toBe('abc');
  window.advance(window.start + 2);
  window.startReading();
  await window.settle();
  expect([text(), window.isFinal]).toEqual(['cdef', false]);
  window.startReading();
  await window.settle();
  expect([text(), window.isFinal]).toEqual(['cdef', true]);
});

test('what is left of a chunk moves in front of the next one', async () => {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'x');
  const { window, text, halves } = await windowOver([...Array.from({ length: 20 }, () => chunk), Buffer.from('end')]);
  for (let left = 21; left > 0; left--) {
    window.startReading();
    await window.settle();
    const half = halves.findIndex((start) => window.start >= start && window.end <= start + bytesOfHalf);
    expect(half).not.toBe(-1);
    window.advance(window.end - 3);
  }
  expect(text()).toBe('end');
});

test('a record of several chunks stays in one piece', async () => {
  const pieces = ['a', 'b', 'c', 'd'].map((letter) => Buffer.alloc(CHUNK_BYTES, letter));
  const { window, text } = await windowOver(pieces);
  for (let read = 0; read < 4; read++) {
    window.startReading();
    await window.settle();
  }
  expect(text()).toBe(Buffer.concat(pieces).toString('latin1'));
});

test('many short reads are gathered', async () => {
  const count = 3 * Math.ceil(readBytes / 1000);
  const pieces = Array.from({ length: count }, (_, i) => Buffer.alloc(1000, 'abc'[i % 3]));
  const { window, text } = await windowOver(pieces);
  const found: string[] = [];
  for (let read = 0; read < count; read++) {
    window.startReading();
    await window.settle();
    // A part of each piece waits for the next one.
    found.push(text().slice(0, -300));
    window.advance(window.end - 300);
  }
  expect(found.join('') + text()).toBe(Buffer.concat(pieces).toString('latin1'));
});

test('a wait for input rejects with the error of the reader', async () => {
  const { window } = await windowWith({ ...readerOf([]), read: () => Promise.reject(new Error('broken')) });
  window.startReading();
  await expect(window.settle()).rejects.toThrow('broken');
});

test.each([false, true])('its end ends a record unless the input may grow: %s', async (mayGrow) => {
  const { window } = await windowOver([Buffer.from('abc')], mayGrow);
  for (let reads = 0; reads < 2; reads++) {
    expect(window.endsRecord).toBe(false);
    window.startReading();
    await window.settle();
  }
  expect([window.isFinal, window.endsRecord]).toEqual([true, !mayGrow]);
});
