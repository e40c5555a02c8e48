// The decompressor of a thread of its own gives what the one in Node's pool gives.

import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decompressionFor, openCompressed } from '../../../../src/io/compression/compressed.js';
import {
  type CreateDecompressor,
  createPoolDecompressor,
  createTransform,
} from '../../../../src/io/compression/decompressor.js';
import { createWaitingDecompressor } from '../../../../src/io/compression/waitingdecompressor.js';
import { temporaryFolder } from '../../../cli/support/command.js';
import { randomFrom } from '../../../support/random.js';

const random = randomFrom(5);
const text = (lines: number) => Array.from({ length: lines }, () => `${Math.floor(random() * 1e6)}\n`).join('');
const members = [gzipSync(text(40_000)), gzipSync(''), gzipSync(text(3000))];
const whole = Buffer.concat(members);
const damaged = Buffer.from(whole);
damaged.fill(0xff, 30_000, 30_100);

const streams = {
  whole,
  'one long repeat': gzipSync(Buffer.alloc(2 ** 22)),
  cut: whole.subarray(0, -100),
  empty: Buffer.alloc(0),
  damaged,
  'followed by zeros': Buffer.concat([whole, Buffer.alloc(600)]),
  'followed by text': Buffer.concat([whole, Buffer.from('text')]),
};

/** Everything that a decompressor tells of a stream that comes in pieces. */
async function decompress(create: CreateDecompressor, stream: Buffer, pieceBytes: number) {
  const decompressor = create({ transform: createGunzip, isRepeatable: true });
  const found: Buffer[] = [];
  for (let at = 0; at < stream.length; at += pieceBytes) {
    found.push(Buffer.from(await decompressor.write(stream.subarray(at, at + pieceBytes))));
  }
  found.push(Buffer.from(await decompressor.end()));
  decompressor.close();
  const { fault, storedBytes } = decompressor;
  return { found: Buffer.concat(found), fault: fault?.message, storedBytes };
}

describe.each(Object.entries(streams))('%s', (_, stream) => {
  test.each([1000, 32_768, 2 ** 22])('is the same in pieces of %i bytes', async (pieceBytes) => {
    const pool = await decompress(createPoolDecompressor, stream, pieceBytes);
    const waiting = await decompress(createWaitingDecompressor, stream, pieceBytes);
    expect(waiting.fault).toBe(pool.fault);
    if (pool.fault === undefined) {
      expect(waiting.found.equals(pool.found)).toBe(true);
      expect(waiting.storedBytes).toBe(pool.storedBytes);
      return;
    }
    // At a fault, either may give less of the last piece, which is decompressed again.
    const shorterBytes = Math.min(waiting.found.length, pool.found.length);
    expect(waiting.found.subarray(0, shorterBytes).equals(pool.found.subarray(0, shorterBytes))).toBe(true);
    expect(waiting.storedBytes).toBeLessThanOrEqual(pool.storedBytes);
  });
});

test('this version of Node decompresses in the thread of the caller', () => {
  expect('_processChunk' in createTransform({ transform: createGunzip, isRepeatable: true })).toBe(true);
  expect(createWaitingDecompressor({ transform: createGunzip, isRepeatable: true }).write(whole)).toBeInstanceOf(
    Buffer,
  );
});

/** What a compressed file has from a position on, and the error at its end. */
async function readFrom(path: string, offset: number, processors: number) {
  const descriptor = openSync(path, 'r');
  const decompression = decompressionFor(processors);
  const reader = await openCompressed({ descriptor, path, compression: 'gzip', offset }, decompression);
  const target = Buffer.alloc(50_000);
  const found: Buffer[] = [];
  let error: unknown;
  try {
    for (let bytes = await reader.read(target); bytes > 0; bytes = await reader.read(target)) {
      found.push(Buffer.from(target.subarray(0, bytes)));
    }
  } catch (thrown) {
    error = thrown;
  }
  await reader.close();
  closeSync(descriptor);
  return { found: Buffer.concat(found), error };
}

test.each(Object.entries(streams))('a file that is %s is read alike on one processor and on two', async (_, stream) => {
  const path = join(temporaryFolder(), 'in.gz');
  writeFileSync(path, stream);
  const [one, two] = [await readFrom(path, 70_001, 1), await readFrom(path, 70_001, 2)];
  expect(one.found.equals(two.found)).toBe(true);
  expect(one.error).toEqual(two.error);
});

test('only one processor decompresses in the thread of the caller', () => {
  expect(decompressionFor(1).create).toBe(createWaitingDecompressor);
  expect(decompressionFor(2).create).toBe(createPoolDecompressor);
});
