import { expect, test } from 'vitest';
import { CHUNK_BYTES } from '../../../src/io/sink.js';
import type { InputReader } from '../../../src/io/source.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { InputWindow, partBytes } from '../../../src/run/inputwindow.js';
import { kernelModules } from '../../support/kernels.js';
import { readerOf } from './support.js';

const roomBytes = 4 * CHUNK_BYTES;
const readBytes = 2 * CHUNK_BYTES;
const bytesOfPart = partBytes({ roomBytes, readBytes });

async function windowWith(reader: Pick<InputReader, 'read'>, mayGrow = false, partCount = 2) {
  const kernel = await Kernel.create({
    cellsBytes: 64,
    regionBytes: partCount * bytesOfPart,
    module: kernelModules.release,
  });
  const parts = Array.from({ length: partCount }, (_, part) => kernel.regionOffset + part * bytesOfPart);
  const region = { parts, roomBytes, readBytes, chunkBytes: CHUNK_BYTES };
  const window = new InputWindow({ kernel, region, reader, mayGrow });
  const text = () => Buffer.from(kernel.bytes.subarray(window.start, window.end)).toString('latin1');
  return { window, text, parts, kernel };
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
  const { window, text, parts } = await windowOver([...Array.from({ length: 20 }, () => chunk), Buffer.from('end')]);
  for (let left = 21; left > 0; left--) {
    window.startReading();
    await window.settle();
    const part = parts.findIndex((start) => window.start >= start && window.end <= start + bytesOfPart);
    expect(part).not.toBe(-1);
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

test('with three parts, what was read last but one stays while the next chunk is read', async () => {
  const chunks = ['a', 'b', 'c'].map((letter) => Buffer.alloc(CHUNK_BYTES, letter));
  const { window, kernel } = await windowWith(readerOf(chunks), false, 3);
  const starts = [];
  for (let read = 0; read < 3; read++) {
    window.startReading();
    await window.settle();
    starts.push(window.start);
    window.startReading();
    window.advance(window.end);
  }
  expect(starts.map((start) => String.fromCharCode(kernel.bytes[start + 1] as number))).toEqual(['a', 'b', 'c']);
});

/** A reader that reads once, when it is told how. */
function toldReader() {
  let [arrive, fail] = [(_bytes: number): void => undefined, (_error: Error): void => undefined];
  const read = new Promise<number>((resolve, reject) => {
    [arrive, fail] = [resolve, reject];
  });
  return { arrive, fail, reader: { read: () => read, storedBytes: () => 0, close: async () => undefined } };
}

test('a read that arrives soon is taken, one that is late is left to settle', async () => {
  const { arrive, reader } = toldReader();
  const { window, text } = await windowWith(reader);
  window.startReading();
  let left = 3;
  await window.takeSoon(() => left-- > 0);
  expect(left).toBe(-1);
  expect(text()).toBe('');
  arrive(2);
  await window.takeSoon(() => true);
  expect(text()).toHaveLength(2);
});

test('an error of a read is told by settle alone', async () => {
  const { fail, reader } = toldReader();
  const { window } = await windowWith(reader);
  window.startReading();
  fail(new Error('unreadable'));
  await window.takeSoon(() => true);
  await expect(window.settle()).rejects.toThrow('unreadable');
});
