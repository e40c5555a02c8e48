import { describe, expect, test } from 'vitest';
import { ZstdFrames } from '../../../../src/io/compression/zstd.js';

/** "a\nb\na\n" in one raw block, and four times "x" in a run-length block with a checksum (of no meaning here). */
const raw = Buffer.from('28b52ffd2006310000610a620a610a', 'hex');
const runLength = Buffer.from(`28b52ffd2404${'230000'}78${'01020304'}`, 'hex');
const skippable = Buffer.from('532a4d1803000000616263', 'hex');

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function framesOf(bytes: Buffer, pieceBytes = bytes.length): Promise<Buffer[]> {
  const frames = new ZstdFrames(inPieces(bytes, pieceBytes));
  const found: Buffer[] = [];
  while (await frames.next()) {
    const chunks: Buffer[] = [];
    for await (const chunk of frames.frame()) chunks.push(chunk);
    found.push(Buffer.concat(chunks));
  }
  return found;
}

describe('frames of zstd', () => {
  test.each([1, 2, 3, 7, 100])('are separated in pieces of %i bytes', async (pieceBytes) => {
    const stored = Buffer.concat([raw, skippable, runLength, raw, skippable]);
    expect(await framesOf(stored, pieceBytes)).toEqual([raw, runLength, raw]);
  });

  test('an empty stream has none', async () => {
    expect(await framesOf(Buffer.alloc(0))).toEqual([]);
  });

  test.each([
    ['a frame', raw.subarray(0, -1)],
    ['a checksum', runLength.subarray(0, -1)],
    ['a magic number', Buffer.concat([raw, raw.subarray(0, 2)])],
    ['a skippable frame', skippable.subarray(0, -1)],
  ])('%s that is truncated is an error', async (_, stored) => {
    await expect(framesOf(stored)).rejects.toThrow('cut short');
  });

  test('other data after them is an error', async () => {
    await expect(framesOf(Buffer.concat([raw, Buffer.from('text')]))).rejects.toThrow(
      `data follows the end of the zstd stream at byte ${raw.length};`,
    );
  });

  test.each([1, 100])('zeros after them are padding, in pieces of %i bytes', async (pieceBytes) => {
    expect(await framesOf(Buffer.concat([raw, skippable, Buffer.alloc(9)]), pieceBytes)).toEqual([raw]);
  });

  test('data after such zeros are an error', async () => {
    await expect(framesOf(Buffer.concat([raw, Buffer.alloc(9), raw]))).rejects.toThrow(`at byte ${raw.length};`);
  });
});
