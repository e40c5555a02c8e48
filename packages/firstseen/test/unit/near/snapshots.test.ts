// Snapshots of near-duplicate detection and of range motifs.

import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { load, save, snapshotChunks } from '../../../src/index.js';
import { runDocuments } from '../../../src/jobs/near/run.js';
import { createMotifs, loadMotifs } from '../../../src/motifs.js';
import { motifOpenings } from '../../../src/near/motifsettings.js';
import { createNear, loadNear, type NearOptions } from '../../../src/near.js';
import { clusteredRecords } from '../../support/clusters.js';
import { drawWords, editWords } from '../../support/documents.js';
import { inLongForm } from '../../support/form.js';
import { Random } from '../../support/streams.js';

const random = new Random(3);
/** Documents of which every third is near an earlier one. */
const documents = Array.from({ length: 90 }, (_, i) => {
  const words = drawWords(120, new Random(i % 3 === 2 ? i - 2 : i));
  return (i % 3 === 2 ? editWords(words, 0.01, random) : words).join(' ');
});

const broken = (message: RegExp) =>
  expect.objectContaining({ code: 'E_SNAPSHOT', message: expect.stringMatching(message) });

describe('a snapshot of near-duplicates', () => {
  test.each<NearOptions>([
    { memory: '1MiB' },
    { memory: '1MiB', explain: 5, sets: 7, similarity: 0.7 },
    { memory: '1MiB', lsh: 'simhash', shingle: '5w', hashes: 512, add: 'all', case: 'unicode', normalize: 'nfkc' },
    { memory: '1MiB', algorithm: 'exact', secret: '000102030405060708090a0b0c0d0e0f', agreeing: 2, bands: '9x13' },
  ])('continues like the saved one, with %j', async (options) => {
    const saved = await createNear(options);
    const observe = (near: typeof saved, list: readonly string[]) => list.map((text, i) => near.observe(text, `${i}`));
    observe(saved, documents.slice(0, 50));
    const snapshot = await save(saved, Buffer.from([0, 255, 7]));
    const [loaded, streamed] = await Promise.all([loadNear(snapshot), loadNear([snapshot])]);
    expect(await save(loaded, loaded.note)).toEqual(snapshot);
    expect(loaded.note).toEqual(Uint8Array.of(0, 255, 7));
    expect(loaded.stats()).toEqual(saved.stats());
    const rest = documents.slice(50);
    const answers = observe(saved, rest);
    expect(observe(loaded, rest)).toEqual(answers);
    expect(observe(streamed, rest)).toEqual(answers);
    expect(answers.some(({ verdict }) => verdict === 'duplicate')).toBe(true);
    expect(await save(loaded)).toEqual(await save(saved));
  });

  test('is that of the table, which is not loaded as a detector of keys, nor the reverse', async () => {
    const near = await createNear({ memory: '1MiB' });
    const refusal = {
      code: 'E_STATE_DIFFERS',
      message: expect.stringMatching(/are bands or passages of documents.*loadNear/),
    };
    await expect(load(await save(near))).rejects.toThrow(expect.objectContaining(refusal));
    const detector = await save(await Detector.create({ memory: '1MiB' }));
    await expect(loadNear(detector)).rejects.toThrow(broken(/not a snapshot of near-duplicate detection/));
    const other = await save(
      await Detector.create({ memory: '1MiB' }),
      Buffer.from('{"job":{"name":"near","settings":{"lsh":"x"}}}'),
    );
    await expect(loadNear(other)).rejects.toThrow(broken(/its settings are impossible/));
    await expect(loadNear(await save(near), { maxMemory: 1000 })).rejects.toThrow(
      expect.objectContaining({ code: 'E_MEMORY' }),
    );
  });

  test.each([
    ['no rules of words', {}],
    ['the rules of words "ascii"', { wordRules: 'ascii' }],
  ])('with %s is refused', async (named, rules) => {
    const settings = { lsh: 'minhash', shingle: 'auto5', ...rules };
    const note = Buffer.from(JSON.stringify({ job: { name: 'near', settings } }));
    const saved = await save(await Detector.create({ memory: '1MiB' }), note);
    const problem = `the snapshot has ${named}, but this version of firstseen finds words by unicode-17.0`;
    await expect(loadNear(saved)).rejects.toThrow(
      broken(new RegExp(`^${problem}; use the version of firstseen that wrote it$`)),
    );
  });

  test('of a run with no rules of words is refused by the next run', async () => {
    const saved = fileURLToPath(
      new URL('../../corpus/inputs/states/note-near-without-word-rules.state', import.meta.url),
    );
    const folder = await mkdtemp(join(tmpdir(), 'firstseen-near-'));
    try {
      const [input, output, state] = ['in.txt', 'out.txt', 'near.state'].map((name) => join(folder, name));
      await copyFile(saved, state as string);
      await writeFile(input as string, 'a text\n');
      const running = runDocuments({ inputs: [input], output, state, format: 'lines' } as never);
      await expect(running).rejects.toThrow(broken(/the snapshot has no rules of words/));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('can be one that the command has written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstseen-near-'));
    try {
      const [input, output, state] = ['in.txt', 'out.txt', 'near.state'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      await writeFile(input, documents.map((text) => `${text}\n`).join(''));
      await runDocuments({
        inputs: [input],
        output,
        state,
        format: 'lines',
        near: { memory: '1MiB', explain: 3 },
      } as never);
      const own = await createNear({ memory: '1MiB', explain: 3 });
      for (const text of documents) own.observe(text);
      const loaded = await loadNear(await readFile(state));
      expect(loaded.stats()).toEqual(own.stats());
      for (const text of documents) expect(loaded.test(text).verdict).toBe('duplicate');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('is refused by snapshotChunks if a document came in the meantime', async () => {
    const near = await createNear({ memory: '1MiB' });
    for (const text of documents) near.observe(text);
    const saving = async () => {
      for await (const _chunk of snapshotChunks(near)) near.observe(documents[0] as string);
    };
    await expect(saving()).rejects.toThrow(expect.objectContaining({ code: 'E_USAGE' }));
  });
});

describe('a snapshot of range motifs', () => {
  const options = fc.record({
    recordBytes: fc.constantFrom(1, 3, 16, 40),
    sets: fc.integer({ min: 1, max: 15 }),
    hashes: fc.integer({ min: 1, max: 12 }),
    addressBits: fc.integer({ min: 1, max: 8 }),
    opening: fc.constantFrom(...motifOpenings),
    seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    batchRecords: fc.constantFrom(1, 7, 100, 4096),
  });

  test('continues like the saved ones, at whatever point of a batch it was taken', async () => {
    const property = fc.asyncProperty(options, fc.nat(300), fc.boolean(), async (drawn, cut, isStreamed) => {
      const { recordBytes } = drawn;
      const { records } = clusteredRecords({ count: 400, recordBytes, clusters: 6, flippedShare: 0.05, seed: cut });
      const saved = await createMotifs(drawn);
      saved.observe(records.subarray(0, cut * recordBytes));
      const snapshot = await save(saved, Buffer.from('note'));
      const loaded = await loadMotifs(isStreamed ? [snapshot] : snapshot);
      expect(loaded.settings).toEqual(saved.settings);
      expect(loaded.stats()).toEqual(saved.stats());
      expect(await save(loaded, loaded.note)).toEqual(snapshot);
      const rest = records.subarray(cut * recordBytes);
      expect(loaded.observe(rest)).toEqual(saved.observe(rest));
      expect(await save(loaded)).toEqual(await save(saved));
    });
    await fc.assert(property, { numRuns: inLongForm(120, 10), seed: 16 });
  });

  test('is refused where it is not one, or not intact', async () => {
    const motifs = await createMotifs({ recordBytes: 4, addressBits: 8, hashes: 8 });
    motifs.observe(clusteredRecords({ count: 30, recordBytes: 4, clusters: 2, flippedShare: 0, seed: 1 }).records);
    const snapshot = await save(motifs);
    await expect(load(snapshot)).rejects.toThrow(broken(/range motifs, not of a detector; load it with loadMotifs/));
    await expect(load([snapshot])).rejects.toThrow(broken(/range motifs/));
    await expect(loadNear(snapshot)).rejects.toThrow(broken(/range motifs/));
    const detector = await save(await Detector.create({ memory: '1MiB' }));
    await expect(loadMotifs(detector)).rejects.toThrow(broken(/not a snapshot of range motifs/));
    await expect(loadMotifs(snapshot, { maxMemory: 100 })).rejects.toThrow(
      expect.objectContaining({ code: 'E_MEMORY' }),
    );
    for (let at = 0; at < snapshot.length; at += inLongForm(13, 101)) {
      const changed = snapshot.with(at, (snapshot[at] as number) ^ 4);
      await expect(loadMotifs(changed)).rejects.toThrow(broken(/./));
      await expect(loadMotifs(snapshot.subarray(0, at))).rejects.toThrow(broken(/./));
    }
  });
});
