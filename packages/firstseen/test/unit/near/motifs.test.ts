// Compares the kernel with its slow twin, and checks the properties of range motifs.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dispose } from '../../../src/base/dispose.js';
import { RangeMotifs } from '../../../src/near/motifs.js';
import { type MotifOptions, motifOpenings, NO_SET, resolveMotifSettings } from '../../../src/near/motifsettings.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { MotifsTwin } from '../../reference/motifs.js';
import { clusteredRecords } from '../../support/clusters.js';
import { inLongForm } from '../../support/form.js';
import { kernelModules, kernelNames } from '../../support/kernels.js';

function twinAnswers(options: MotifOptions, records: Uint8Array): { sets: number[]; votes: number[]; opened: number } {
  const twin = new MotifsTwin(resolveMotifSettings(options));
  const answers = [];
  for (let at = 0; at < records.length; at += options.recordBytes) {
    answers.push(twin.observe(records.subarray(at, at + options.recordBytes)));
  }
  return { sets: answers.map(({ set }) => set), votes: answers.map(({ votes }) => votes), opened: twin.opened };
}

/** Few hashes of few bits, so that every case occurs: ties, full and shared entries, repeats, no set left to open. */
const smallOptions = fc.record({
  recordBytes: fc.integer({ min: 1, max: 40 }),
  sets: fc.integer({ min: 1, max: 15 }),
  hashes: fc.integer({ min: 1, max: 12 }),
  addressBits: fc.integer({ min: 1, max: 20 }),
  opening: fc.constantFrom(...motifOpenings),
  seed: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  batchRecords: fc.constantFrom(1, 7, 100, 4096),
  thresholdPercent: fc.integer({ min: 0, max: 100 }),
  clusters: fc.integer({ min: 1, max: 16 }),
  flippedShare: fc.constantFrom(0, 0.02, 0.1, 0.5),
  count: fc.integer({ min: 0, max: 400 }),
});

describe.each(kernelNames)('the %s kernel', (name) => {
  it('answers like its twin, however the records are split into calls', async () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 5 });
    const runs = fc.asyncProperty(smallOptions, cuts, async (drawn, sizes) => {
      const { thresholdPercent, clusters, flippedShare, count, ...rest } = drawn;
      const addressBits = Math.min(rest.addressBits, 8 * rest.recordBytes);
      const threshold = 1 + Math.floor((thresholdPercent / 100) * (rest.hashes - 1));
      const options: MotifOptions = { ...rest, addressBits, threshold };
      const { recordBytes } = options;
      const { records } = clusteredRecords({ count, recordBytes, clusters, flippedShare, seed: count });
      const motifs = await RangeMotifs.create(options, { module: kernelModules[name] });
      const sets: number[] = [];
      const votes: number[] = [];
      for (let at = 0, call = 0; at < count; call++) {
        const end = Math.min(count, at + 1 + (sizes[call % sizes.length] as number));
        const answers = motifs.observe(records.subarray(at * recordBytes, end * recordBytes));
        sets.push(...answers.sets);
        votes.push(...answers.votes);
        at = end;
      }
      const expected = twinAnswers(options, records);
      expect({ sets, votes, opened: motifs.stats().sizes.length }).toEqual(expected);
    });
    await fc.assert(runs, { numRuns: inLongForm(200, 40), seed: 2011 });
  });

  it.each([
    { recordBytes: 64, hashes: 32, addressBits: 25, sets: 4, threshold: 16, count: inLongForm(600, 150) },
    { recordBytes: 512, hashes: 40, addressBits: 17, sets: 8, threshold: 3, count: inLongForm(300, 100) },
    { recordBytes: 33, hashes: 255, addressBits: 9, sets: 15, threshold: 100, count: inLongForm(300, 100) },
  ])('answers as its twin does for $hashes hashes of $addressBits bits', async ({ count, ...options }) => {
    const { recordBytes } = options;
    const { records } = clusteredRecords({ count, recordBytes, clusters: 4, flippedShare: 0.03, seed: 5 });
    const motifs = await RangeMotifs.create(options, { module: kernelModules[name] });
    const { sets, votes } = motifs.observe(records);
    const expected = twinAnswers(options, records);
    expect({ sets: [...sets], votes: [...votes] }).toEqual({ sets: expected.sets, votes: expected.votes });
  });
});

const usual = { recordBytes: 64, sets: 3, hashes: 32, addressBits: 20, seed: 1, opening: 'threshold' } as const;

/** The labels of the records in each set, by set. */
async function labelsBySet(options: MotifOptions, { records, labels }: ReturnType<typeof clusteredRecords>) {
  const motifs = await RangeMotifs.create(options);
  const { sets } = motifs.observe(records);
  const found = new Map<number, Set<number>>();
  sets.forEach((set, i) => {
    found.set(set, (found.get(set) ?? new Set()).add(labels[i] as number));
  });
  return found;
}

describe('rules for opening sets', () => {
  // With 0.5 % of the bits flipped, two records of a cluster agree in 0.99^20 = 82 % of the hashes; noise agrees in one
  // of a million.
  const flippedShare = 0.005;
  const noisy = clusteredRecords({ count: 3000, recordBytes: 64, clusters: 3, flippedShare, noiseShare: 0.5, seed: 8 });

  it('noise uses up the sets under the rule of the paper, so that clusters share one', async () => {
    const found = await labelsBySet(usual, noisy);
    const shared = [...found.values()].filter((labels) => [0, 1, 2].filter((label) => labels.has(label)).length > 1);
    expect(shared.length).toBeGreaterThan(0);
  });

  it('separates clusters and leaves out noise if a set must be confirmed', async () => {
    const found = await labelsBySet({ ...usual, opening: 'confirmed' }, noisy);
    for (const set of [0, 1, 2]) expect(found.get(set)?.size).toBe(1);
    const members = new Set([0, 1, 2].flatMap((set) => [...(found.get(set) as Set<number>)]));
    expect([...members].sort()).toEqual([0, 1, 2]);
    // The first record of each cluster has no earlier one to confirm it.
    expect(found.get(NO_SET)).toContain(3);
  });

  it('counts an exact repeat as a confirmation, both within a batch and after it', async () => {
    for (const batchRecords of [1, 4096]) {
      const motifs = await RangeMotifs.create({ ...usual, opening: 'confirmed', batchRecords });
      const record = noisy.records.subarray(0, 64);
      expect([...motifs.observe(new Uint8Array([...record, ...record, ...record])).sets]).toEqual([NO_SET, 0, 0]);
    }
  });

  it('a single winner takes a record with any number of votes only under the rule for ties', async () => {
    // One hash of few bits: some records of the second cluster share the bits of the first one's set.
    const { records } = clusteredRecords({ count: 200, recordBytes: 2, clusters: 2, flippedShare: 0.1, seed: 3 });
    const options = { recordBytes: 2, sets: 3, hashes: 6, addressBits: 3, threshold: 6 };
    const openedBy = async (opening: (typeof motifOpenings)[number]) => {
      const motifs = await RangeMotifs.create({ ...options, opening });
      motifs.observe(records);
      return motifs.stats().sizes.length;
    };
    expect(await openedBy('threshold')).toBe(3);
    expect(await openedBy('tied')).toBeLessThan(3);
  });
});

describe('one set: approximate redundancy removal', () => {
  it('gives t votes to a record near an earlier one, and few to others', async () => {
    const { records, labels } = clusteredRecords({
      count: 500,
      recordBytes: 64,
      clusters: 20,
      flippedShare: 0.005,
      seed: 4,
    });
    const motifs = await RangeMotifs.create({ ...usual, sets: 1 });
    const { votes } = motifs.observe(records);
    const seen = new Set<number>();
    votes.forEach((count, i) => {
      const label = labels[i] as number;
      expect(count >= 16).toBe(seen.has(label));
      seen.add(label);
    });
  });
});

describe('RangeMotifs', () => {
  it('counts sizes, repeats within a batch and memory', async () => {
    const { records } = clusteredRecords({ count: 10, recordBytes: 64, clusters: 1, flippedShare: 0, seed: 2 });
    const motifs = await RangeMotifs.create({ ...usual, batchRecords: 4 });
    motifs.observe(records);
    const memoryBytes = 32 * 2 ** 20 * 0.5;
    expect(motifs.stats()).toEqual({ records: 10, sizes: [10], leftOut: 0, repeats: 7, memoryBytes });
  });

  it('refuses incomplete records and continues', async () => {
    const motifs = await RangeMotifs.create(usual);
    expect(() => motifs.observe(new Uint8Array(65))).toThrow(
      expect.objectContaining({ code: 'E_RECORD', message: expect.stringContaining('65 bytes') }),
    );
    expect(motifs.observe(new Uint8Array(64)).sets).toEqual(new Uint8Array([0]));
  });

  it.each([
    { recordBytes: 0 },
    { recordBytes: 65_537 },
    { sets: 16 },
    { hashes: 256 },
    { addressBits: 31 },
    { recordBytes: 1, addressBits: 9 },
    { threshold: 33 },
    { threshold: 0 },
    { seed: -1 },
    { batchRecords: 1.5 },
    { opening: 'whenever' as 'tied' },
  ])('refuses %o', async (options) => {
    await expect(RangeMotifs.create({ ...usual, ...options })).rejects.toMatchObject({ code: 'E_PARAMETER' });
  });

  it('refuses arrays that WebAssembly cannot address', async () => {
    const options = { ...usual, addressBits: 30 };
    await expect(RangeMotifs.create(options)).rejects.toMatchObject({ code: 'E_MEMORY' });
  });
});

it('refuses every use after it was disposed of', async () => {
  const motifs = await RangeMotifs.create({ recordBytes: 8 });
  motifs.observe(new Uint8Array(16));
  motifs[dispose]();
  motifs[dispose]();
  expect(() => motifs.observe(new Uint8Array(16))).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
  await expect(save(motifs)).rejects.toMatchObject({ code: 'E_CLOSED' });
  expect(motifs.stats().records).toBe(2);
});
