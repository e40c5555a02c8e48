// Notes and headers at and beyond the limits of readers.

import { expect, test } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { load, save, snapshotChunks } from '../../../src/index.js';
import { REGISTER_COUNT } from '../../../src/kernel/abi.js';
import { createNear, loadNear } from '../../../src/near.js';
import { encodeHeader } from '../../../src/snapshot/format.js';
import { FIXED_HEADER_BYTES, MAX_NOTE_BYTES, readLengths } from '../../../src/snapshot/frame.js';
import { readHeader } from '../../../src/snapshot/snapshots.js';
import { referenceXxh64 } from '../../reference/xxh64.js';

/** More than a header may have without its note. */
const LONG_BYTES = 17 * 2 ** 20;

/** The offset of the length of the note. */
const NOTE_LENGTH = 44;

const usedDetector = async () => {
  const detector = await Detector.create({ algorithm: 'bloom', memory: 1024 });
  detector.observe('a');
  return detector;
};

/** `Uint8Array.from` takes seconds for as many bytes. */
function noteOf(length: number): Uint8Array {
  const note = new Uint8Array(length);
  for (let i = 0; i < length; i++) note[i] = (i * 7) >> 3;
  return note;
}

test('a note of 17 MiB is read again, from bytes and from a stream', async () => {
  const note = noteOf(LONG_BYTES);
  const snapshot = await save(await usedDetector(), note);
  for (const loaded of [await load(snapshot), await load([snapshot])]) {
    expect(Buffer.compare(loaded.note, note)).toBe(0);
    expect(loaded.test('a')).toBe('duplicate');
  }
});

test('a snapshot of near-duplicates with a note of 13 MiB is read again', async () => {
  const note = noteOf(13 * 2 ** 20);
  const snapshot = await save(await createNear({ memory: '64KiB' }), note);
  expect(Buffer.compare((await loadNear(snapshot)).note, note)).toBe(0);
});

test.each([0, 8, 16, 24])('the checksum of a header of 1 MiB and %i bytes is XXH64', async (moreBytes) => {
  const detector = await usedDetector();
  const { headerBytes } = readLengths(await save(detector), undefined);
  const snapshot = await save(detector, noteOf(2 ** 20 + 8 + moreBytes - headerBytes));
  const checksumAt = readLengths(snapshot, snapshot.length).headerBytes - 8;
  expect(checksumAt).toBe(2 ** 20 + moreBytes);
  const stored = new DataView(snapshot.buffer).getBigUint64(checksumAt, true);
  expect(stored).toBe(referenceXxh64(snapshot.subarray(0, checksumAt), 0n));
});

test('a longer note than readers take is refused', async () => {
  const note = new Uint8Array(MAX_NOTE_BYTES + 1);
  const refusal = expect.objectContaining({
    code: 'E_PARAMETER',
    message: expect.stringMatching(/has 268,435,457 bytes, but must have at most 268,435,456 bytes; keep large data/),
  });
  const detector = await usedDetector();
  await expect(save(detector, note)).rejects.toThrow(refusal);
  expect(() => snapshotChunks(detector, note)).toThrow(refusal);
  await expect(save(await createNear({ memory: '64KiB' }), note.subarray(2 ** 26))).rejects.toThrow(
    expect.objectContaining({ code: 'E_PARAMETER' }),
  );
});

test('no header is written that has a longer note than readers take', () => {
  const settings = resolveSettings({ algorithm: 'bloom', memory: 1024 });
  const registers = new BigUint64Array(REGISTER_COUNT);
  const note = new Uint8Array(MAX_NOTE_BYTES + 1);
  expect(() => encodeHeader({ settings, registers, note, storedCellsBytes: 0, storedWitnessBytes: 0 })).toThrow(
    expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining('has 268,435,457 bytes') }),
  );
});

test('a header that lies about its length takes no more memory than the bytes that came', async () => {
  const snapshot = await save(await usedDetector());
  const pieces: number[] = [];
  const readAt = async (target: Uint8Array, position: number) => {
    pieces.push(target.length);
    if (position >= 2 ** 21) throw new Error('there is no more');
    target.set(snapshot.subarray(position, position + target.length));
  };
  const lie = (noteBytes: number) => new DataView(snapshot.buffer).setUint32(NOTE_LENGTH, noteBytes, true);
  lie(MAX_NOTE_BYTES);
  await expect(readHeader({ bytes: undefined, readAt })).rejects.toThrow('there is no more');
  expect(pieces).toEqual([FIXED_HEADER_BYTES, 2 ** 20, 2 ** 20, 2 ** 20]);
  await expect(load(snapshot)).rejects.toThrow(/it should have 26\d+ bytes, but has \d+/);
  lie(MAX_NOTE_BYTES + 1);
  await expect(load(snapshot)).rejects.toThrow(/its header would have/);
});

test('a note that its program changes after the call is saved as it was', async () => {
  const note = Uint8Array.of(1, 2, 3);
  const detector = await usedDetector();
  const saving = save(detector, note);
  const chunks = snapshotChunks(detector, note);
  note.fill(9);
  expect([...(await load(await saving)).note]).toEqual([1, 2, 3]);
  expect([...(await load(chunks)).note]).toEqual([1, 2, 3]);
});
