import { expect, test } from 'vitest';
import { Kernel } from '../../../../src/kernel/kernel.js';
import { InputWindow } from '../../../../src/run/input/inputwindow.js';
import { CHUNK_BYTES } from '../../../../src/run/regions.js';
import { readerOf } from '../support.js';

const regionBytes = 6 * CHUNK_BYTES;

async function windowOver(pieces: readonly Uint8Array[], mayGrow = false) {
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes });
  const region = { offset: kernel.regionOffset, bytes: regionBytes };
  const window = new InputWindow(kernel, region, readerOf(pieces), mayGrow);
  const text = () => Buffer.from(kernel.bytes.subarray(window.start, window.end)).toString('latin1');
  return { window, text, region };
}

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

test('the remaining bytes move to the front when the region is full', async () => {
  const chunk = Buffer.alloc(CHUNK_BYTES, 'x');
  const { window, text, region } = await windowOver([...Array.from({ length: 20 }, () => chunk), Buffer.from('end')]);
  for (let left = 21; left > 0; left--) {
    window.startReading();
    await window.settle();
    window.advance(window.end - 3);
    expect(window.end).toBeLessThanOrEqual(region.offset + region.bytes);
  }
  expect(text()).toBe('end');
});

test('a wait for input rejects with the error of the reader', async () => {
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes });
  const reader = { ...readerOf([]), read: () => Promise.reject(new Error('broken')) };
  const window = new InputWindow(kernel, { offset: kernel.regionOffset, bytes: regionBytes }, reader, false);
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
