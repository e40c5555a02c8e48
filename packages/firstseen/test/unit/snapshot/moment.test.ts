// Snapshots are of the moment of the call, whatever the program does before their promise settles.

import { describe, expect, test } from 'vitest';
import { create, load, type Savable, save, snapshotChunks } from '../../../src/index.js';
import { createMotifs, loadMotifs } from '../../../src/motifs.js';
import { createNear, createPassages, loadNear, loadPassages } from '../../../src/near.js';
import { snapshotParts } from '../../../src/snapshot/snapshots.js';

const MIB = 2 ** 20;

/** What can be saved, and how it observes something new. */
interface Case {
  saved: Savable;
  observe: () => unknown;
  /** How much a snapshot has observed. */
  observedOf: (snapshot: Uint8Array) => Promise<number>;
}

async function detectorCase(): Promise<Case> {
  const saved = await create({ memory: 3 * MIB, algorithm: 'exact' });
  let key = 0;
  return { saved, observe: () => saved.observe(key++), observedOf: async (bytes) => (await load(bytes)).observed };
}

async function nearCase(): Promise<Case> {
  const saved = await createNear({ memory: '64KiB', explain: 5 });
  let document = 0;
  const observe = () => saved.observe(`document ${document} has the number ${document++}`);
  return { saved, observe, observedOf: async (bytes) => (await loadNear(bytes)).observed };
}

async function passageCase(): Promise<Case> {
  const saved = await createPassages({ memory: '64KiB' });
  let text = 0;
  const observe = () => saved.observe(`passage ${text++}`);
  return { saved, observe, observedOf: async (bytes) => (await loadPassages(bytes)).stats().texts };
}

async function motifCase(): Promise<Case> {
  const saved = await createMotifs({ recordBytes: 8, sets: 4, hashes: 8, addressBits: 4, threshold: 6 });
  let record = 0n;
  const observe = () => saved.observe(new Uint8Array(BigUint64Array.of(record++).buffer));
  return { saved, observe, observedOf: async (bytes) => (await loadMotifs(bytes)).stats().records };
}

const cases: [string, () => Promise<Case>][] = [
  ['a detector', detectorCase],
  ['near-duplicates', nearCase],
  ['passages', passageCase],
  ['range motifs', motifCase],
];

async function chunksOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** A note that says how much was observed. */
function noteOf(observed: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(observed).buffer);
}

describe.each(cases)('of %s', (_what, open) => {
  test('save has what was observed before the call, and its note', async () => {
    const { saved, observe, observedOf } = await open();
    const saves: Promise<Uint8Array>[] = [];
    for (let observed = 0; observed < 20; observed++) {
      const note = noteOf(observed);
      saves.push(save(saved, note));
      note.fill(9);
      // Later calls of the same tick, and of the ticks before the promise settles.
      observe();
      if (observed % 3 === 0) await Promise.resolve();
      if (observed % 5 === 0) await new Promise(setImmediate);
    }
    for (const [observed, snapshot] of (await Promise.all(saves)).entries())
      expect(await observedOf(snapshot)).toBe(observed);
  });

  test.each<[string, (saved: Savable) => Promise<unknown>]>([
    ['snapshotChunks', async (saved) => chunksOf(snapshotChunks(saved))],
    ['snapshotParts', (saved) => snapshotParts(saved)],
  ])('%s refuses a change after the call', async (_how, saveWith) => {
    const { saved, observe } = await open();
    observe();
    const refused = saveWith(saved);
    observe();
    await expect(refused).rejects.toThrow(
      expect.objectContaining({
        code: 'E_USAGE',
        message: expect.stringContaining('the detector was used before its snapshot was whole'),
      }),
    );
  });
});

test('the note of save is that of the call', async () => {
  const detector = await create({ memory: '1MiB' });
  const note = Uint8Array.of(1, 2, 3);
  const saving = save(detector, note);
  note.fill(0);
  expect([...(await load(await saving)).note]).toEqual([1, 2, 3]);
});

test('the chunks are those of the call that asked for them, not of the first that is taken', async () => {
  const detector = await create({ memory: '1MiB' });
  const note = Uint8Array.of(1, 2, 3);
  const chunks = snapshotChunks(detector, note);
  note.fill(0);
  const snapshot = Buffer.concat(await chunksOf(chunks));
  expect([...(await load(snapshot)).note]).toEqual([1, 2, 3]);
});

test('what a receiver does with its chunks does not change the checksums', async () => {
  const detector = await create({ memory: '1KiB', algorithm: 'exact' });
  for (let key = 0; key < 5; key++) detector.observe(key);
  const copies: Uint8Array[] = [];
  for await (const chunk of snapshotChunks(detector)) {
    copies.push(chunk.slice());
    structuredClone(chunk, { transfer: [chunk.buffer] });
  }
  expect(Buffer.compare(Buffer.concat(copies), await save(detector))).toBe(0);
});

test('the checksums of parts of any length are those that load expects', async () => {
  for (let elements = 0; elements < 20; elements++) {
    const detector = await create({ memory: '1KiB', algorithm: 'exact' });
    for (let key = 0; key < elements; key++) detector.observe(key);
    const saved = await save(detector);
    expect((await load(saved)).observed).toBe(elements);
    expect(Buffer.compare(Buffer.concat(await chunksOf(snapshotChunks(detector))), saved)).toBe(0);
    expect(Buffer.compare(Buffer.concat(await snapshotParts(detector)), saved)).toBe(0);
  }
});
