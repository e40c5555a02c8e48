// zstd with packages, as in versions of Node that do not have it.

import { expect, test } from 'vitest';
import { decompressedBy } from '../../../../src/io/compression/decompress.js';
import { ZstdFrames } from '../../../../src/io/compression/zstd.js';
import { frameDecompressors, packageCompressor } from '../../../../src/io/compression/zstdpackages.js';

/** "a\nb\na\n" as the zstd program stores it, with a checksum, and without one. */
const withChecksum = Buffer.from('28b52ffd0458310000610a620a610aeacad349', 'hex');
const withoutChecksum = Buffer.from('28b52ffd2006310000610a620a610a', 'hex');

/** More than a piece of the checksum. */
const longText = Buffer.from(Array.from({ length: 330_000 }, (_, i) => `${'x'.repeat(i % 13)}\n`).join(''));
/** The same, as the zstd program stores it. */
const longStored = Buffer.from(
  [
    'KLUv/aRcPyMA7AAAUsICBeAPIP0Mtv2+dysEAKL/XsjxizJavFH5OgFUAAAAAQD9/+P/uQYCRAAAAAEA/f85AAJEAAAAAQD9/zkA',
    'AkQAAAABAP3/OQACRAAAAAEA/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/OQACRAAAAAEA/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/',
    'OQACRAAAAAEA/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/OQACRAAAAAEA/f85AAJEAAAAAQD9/zkAAkQAAAABAP3/OQACRQAAAAEA',
    'WT85AAIcRHVt',
  ].join(''),
  'base64',
);

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield Buffer.from(bytes.subarray(at, at + pieceBytes));
}

/** What the frames hold, and the message of the fault if there is one. */
async function decompressed(stored: Uint8Array, pieceBytes: number) {
  const frames = new ZstdFrames(inPieces(stored, pieceBytes));
  const create = await frameDecompressors('in.zst');
  const found: Buffer[] = [];
  const content = () => Buffer.concat(found);
  try {
    while (await frames.next()) {
      for await (const chunk of decompressedBy(create(), frames.frame())) found.push(Buffer.from(chunk));
    }
    return { content: content(), fault: undefined };
  } catch (fault) {
    return { content: content(), fault: (fault as Error).message };
  }
}

/** The same frame with one bit changed. */
function damaged(frame: Buffer, atByte: number): Buffer {
  const changed = Buffer.from(frame);
  changed.writeUInt8(changed.readUInt8(atByte) ^ 1, atByte);
  return changed;
}

test.each([1, 7, 1000])('frames are decompressed, in pieces of %i bytes', async (pieceBytes) => {
  const stored = Buffer.concat([withChecksum, withoutChecksum, withChecksum]);
  expect(await decompressed(stored, pieceBytes)).toEqual({
    content: Buffer.from('a\nb\na\n'.repeat(3)),
    fault: undefined,
  });
});

test('a compressed piece gives its bytes back, also an empty one', async () => {
  const compress = await packageCompressor('out.zst');
  for (const piece of [longText, new Uint8Array(0)]) {
    const { content, fault } = await decompressed(await compress(piece), 65_536);
    expect(fault).toBeUndefined();
    expect(content.equals(piece)).toBe(true);
  }
});

test('content that does not have its checksum is a fault, after what was before it', async () => {
  const content = damaged(withChecksum, 9);
  const checksum = damaged(withChecksum, withChecksum.length - 1);
  for (const stored of [content, checksum]) {
    const found = await decompressed(Buffer.concat([withChecksum, stored, withChecksum]), 100);
    expect(found).toMatchObject({ fault: 'the zstd data do not have their checksum' });
    expect(found.content.length).toBe(12);
  }
});

test('the checksum is that of long content too', async () => {
  const { content, fault } = await decompressed(longStored, 65_536);
  expect(fault).toBeUndefined();
  expect(content.equals(longText)).toBe(true);
  expect((await decompressed(damaged(longStored, longStored.length - 1), 65_536)).fault).toMatch(/checksum/);
});

test('a block of no known type is a fault', async () => {
  const stored = Buffer.from(withoutChecksum);
  stored.writeUInt8(stored.readUInt8(6) | 6, 6);
  const { content, fault } = await decompressed(Buffer.concat([withChecksum, stored]), 100);
  expect(fault).toMatch(/invalid block type/);
  expect(content.toString()).toBe('a\nb\na\n');
});
