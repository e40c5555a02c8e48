import { expect, test } from 'vitest';
import { StreamReader } from '../../../../src/io/compression/streamreader.js';
import { DamagedInput } from '../../../../src/io/source.js';

/** Reads a stream that fails at its beginning. */
async function failureOf(cause: Error): Promise<unknown> {
  const chunks = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(cause) }) };
  const reader = new StreamReader(chunks, { path: 'in.zst', storedBytes: () => 0, close: async () => undefined });
  return reader.read(new Uint8Array(8)).catch((error: unknown) => error);
}

test.each([
  ['a code that is a number', Object.assign(new Error('Unknown frame descriptor'), { code: 10 })],
  ['no code', new Error('the zstd data is cut short')],
])('a fault of a decompressor with %s is damage', async (_, cause) => {
  expect(await failureOf(cause)).toBeInstanceOf(DamagedInput);
});

test.each([
  ['of a stream that the run closes', Object.assign(new Error('closed'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })],
  ['of the system', Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' })],
])('an error %s is not damage', async (_, cause) => {
  expect(await failureOf(cause)).not.toBeInstanceOf(DamagedInput);
});
