// Range motifs on several threads answer as one thread does, and tell when a thread ends. Threads load their code from dist/.

import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type * as Internal from '../../../../src/internal.js';
import { RangeMotifs } from '../../../../src/near/motifs.js';
import { type MotifOptions, motifOpenings, resolveMotifSettings } from '../../../../src/near/motifsettings.js';
import { clusteredRecords } from '../../../support/clusters.js';
import { inLongForm } from '../../../support/form.js';
import { noteWorkers } from '../../../support/workers.js';

// The built entry has no declarations.
const builtEntry = new URL('../../../../dist/internal.js', import.meta.url).href;
const { MotifPipeline }: typeof Internal = await import(builtEntry);

/** Fills batches with whole records, after a while if `isLate`. */
function filler(records: Uint8Array, recordBytes: number, isLate: boolean) {
  let at = 0;
  return async (target: Uint8Array): Promise<number> => {
    if (isLate) await sleep(1);
    const part = records.subarray(at, at + target.length);
    target.set(part);
    at += part.length;
    return part.length / recordBytes;
  };
}

async function answersOf(options: MotifOptions, threads: number, fill: (target: Uint8Array) => Promise<number>) {
  const pipeline = await MotifPipeline.open(resolveMotifSettings(options), threads);
  const answers = { sets: [] as number[], votes: [] as number[], repeats: 0 };
  try {
    for await (const { sets, votes, repeats } of pipeline.batches(fill)) {
      answers.sets.push(...sets);
      answers.votes.push(...votes);
      answers.repeats += repeats;
    }
  } finally {
    await pipeline.close();
  }
  return answers;
}

const drawnOptions = fc.record({
  recordBytes: fc.integer({ min: 1, max: 40 }),
  sets: fc.integer({ min: 1, max: 15 }),
  hashes: fc.integer({ min: 1, max: 12 }),
  addressBits: fc.integer({ min: 1, max: 8 }),
  opening: fc.constantFrom(...motifOpenings),
  batchRecords: fc.constantFrom(1, 7, 100, 300, 4096),
});

test('answers on several threads are those of one thread, with batches of any length, late ones, and fewer hashes than threads', async () => {
  const drawn = fc.record({
    options: drawnOptions,
    threads: fc.constantFrom(1, 2, 3, 5),
    count: fc.integer({ min: 0, max: 1500 }),
    flippedShare: fc.constantFrom(0, 0.02, 0.5),
    isLate: fc.boolean(),
  });
  const runs = fc.asyncProperty(drawn, async ({ options, threads, count, flippedShare, isLate }) => {
    const { recordBytes, batchRecords } = options;
    const { records } = clusteredRecords({ count, recordBytes, clusters: 4, flippedShare, seed: count });
    const motifs = await RangeMotifs.create(options);
    const { sets, votes } = motifs.observe(records);
    const { repeats } = motifs.stats();
    const fill = filler(records, recordBytes, isLate && batchRecords > 7);
    expect(await answersOf(options, threads, fill)).toEqual({ sets: [...sets], votes: [...votes], repeats });
  });
  await fc.assert(runs, { numRuns: inLongForm(40, 8), seed: 2011 });
});

test('a thread that ends ends the run with an error, also while the others wait for it', async () => {
  const options = { recordBytes: 8, batchRecords: 1000 };
  const { records } = clusteredRecords({ count: 1000, recordBytes: 8, clusters: 2, flippedShare: 0.1, seed: 1 });
  const { workers, restore } = noteWorkers();
  let filled = 0;
  const fill = async (target: Uint8Array): Promise<number> => {
    if (filled++ === 5) await workers[0]?.terminate();
    target.set(records);
    return 1000;
  };
  try {
    await expect(answersOf(options, 3, fill)).rejects.toMatchObject({ code: 'E_THREAD' });
    expect(workers).toHaveLength(2);
  } finally {
    restore();
  }
});
