// The parameters that range motifs choose from the expected noise, and what they promise.

import { describe, expect, it } from 'vitest';
import { recognition } from '../../../src/near/motifchoice.js';
import { RangeMotifs } from '../../../src/near/motifs.js';
import { type MotifOptions, NO_SET, resolveMotifSettings } from '../../../src/near/motifsettings.js';
import { clusteredRecords } from '../../support/clusters.js';
import { inLongForm, sampleNote, sampleOf } from '../../support/form.js';
import { randomFrom } from '../../support/random.js';

const MIN_RECOGNIZED = 0.999;

/** The most events of a number of trials with at most this chance: the mean, and four standard deviations. */
function maxEvents(trials: number, chance: number): number {
  return trials * chance + 4 * Math.sqrt(trials * chance * (1 - chance));
}

function parametersOf(options: MotifOptions): unknown {
  const { hashes, addressBits, threshold, opening } = resolveMotifSettings(options);
  return [opening, hashes, addressBits, threshold];
}

describe('parameters from the expected noise', () => {
  it.each([
    [{ recordBytes: 64 }, ['confirmed', 48, 20, 8]],
    [{ recordBytes: 64, flips: 0.02 }, ['confirmed', 48, 20, 8]],
    [{ recordBytes: 64, flips: 0 }, ['confirmed', 32, 20, 16]],
    [{ recordBytes: 512, flips: 0.05 }, ['confirmed', 224, 20, 14]],
    [{ recordBytes: 64, flips: 0.01, hashes: 40 }, ['confirmed', 40, 20, 13]],
    [{ recordBytes: 64, flips: 0.01, threshold: 10, hashes: 40 }, ['confirmed', 40, 20, 10]],
    [{ recordBytes: 64, flips: 0.001, addressBits: 24 }, ['confirmed', 32, 24, 16]],
    [{ recordBytes: 64, opening: 'threshold' as const }, ['threshold', 32, 20, 16]],
    [{ recordBytes: 64, opening: 'tied' as const, flips: 0.02 }, ['tied', 48, 20, 8]],
    [{ recordBytes: 64, sets: 1 }, ['threshold', 32, 20, 16]],
    [{ recordBytes: 64, hashes: 24, addressBits: 12 }, ['confirmed', 24, 12, 12]],
    [{ recordBytes: 64, threshold: 3 }, ['confirmed', 32, 20, 3]],
  ])('are, for %o, %o', (options, expected) => {
    expect(parametersOf(options)).toEqual(expected);
  });

  it('are, without options, those of less noise for short records, and of none where no noise works', () => {
    expect(parametersOf({ recordBytes: 16 })).toEqual(['confirmed', 96, 20, 16]);
    expect(parametersOf({ recordBytes: 2 })).toEqual(['confirmed', 32, 16, 16]);
  });

  it.each([
    [{ recordBytes: 64, flips: 0.1 }, 'flips is 0.1, but must be a share from 0 to 0.039 with records of 64 bytes'],
    [
      { recordBytes: 512, flips: 0.1 },
      'a share from 0 to 0.053 with records of 512 bytes; choose hashes, addressBits and threshold yourself',
    ],
    [{ recordBytes: 64, flips: 0.02, hashes: 32 }, 'with records of 64 bytes, hashes 32; leave hashes out'],
    [
      { recordBytes: 64, flips: 0.01, hashes: 40, threshold: 5 },
      'hashes 40, threshold 5; leave hashes or threshold out',
    ],
    [{ recordBytes: 2, flips: 0 }, 'flips is 0, but must be left out, because no share works with records of 2 bytes'],
    [{ recordBytes: 64, flips: -0.1 }, 'flips is -0.1, but must be a share from 0 to 0.039'],
    [{ recordBytes: 64, flips: '2%' as unknown as number }, 'flips is "2%", but must be a share'],
    [{ recordBytes: 64, flips: 0.01, threshold: 0 }, 'threshold is 0'],
  ])('do not exist for %o', (options, message) => {
    const refused = expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining(message) });
    expect(() => resolveMotifSettings(options)).toThrow(refused);
  });

  it.each([16, 64, 512])('exist up to the share that the refusal names, with records of %i bytes', (recordBytes) => {
    const largest = { 16: 0.016, 64: 0.039, 512: 0.053 }[recordBytes] as number;
    expect(recognition(largest, resolveMotifSettings({ recordBytes, flips: largest }))).toBeGreaterThan(MIN_RECOGNIZED);
    expect(() => resolveMotifSettings({ recordBytes, flips: largest + 0.001 })).toThrow(`from 0 to ${largest} with`);
  });
});

/** Of pairs of records of a set, each with its own positions: those that agree in fewer than t hashes. */
function missedPairs(pairs: number, flips: number, options: MotifOptions): number {
  const { recordBytes, hashes, addressBits, threshold } = resolveMotifSettings(options);
  const next = randomFrom(2011);
  let missed = 0;
  for (let pair = 0; pair < pairs; pair++) {
    const isFlipped = () => next() < flips;
    const one = Array.from({ length: 8 * recordBytes }, isFlipped);
    const differs = one.map((flipped) => flipped !== isFlipped());
    let votes = 0;
    for (let hash = 0; hash < hashes; hash++) {
      let isEqual = true;
      for (let bit = 0; bit < addressBits; bit++) if (differs[Math.floor(next() * differs.length)]) isEqual = false;
      if (isEqual) votes++;
    }
    if (votes < threshold) missed++;
  }
  return missed;
}

const drawnPairs = [
  { recordBytes: 64, flips: 0.02, hashes: 32, threshold: 12 },
  { recordBytes: 16, flips: 0.03, hashes: 48, threshold: 14 },
  { recordBytes: 8, flips: 0.05, hashes: 20, addressBits: 8, threshold: 11 },
];

it.each(sampleOf(drawnPairs, 1))(`the formula is that of drawn pairs: %o${sampleNote}`, ({ flips, ...options }) => {
  const pairs = inLongForm(4000, 1500);
  const expected = pairs * (1 - recognition(flips, resolveMotifSettings(options)));
  expect(expected).toBeGreaterThan(pairs / 40);
  const spread = 4 * Math.sqrt(expected * (1 - expected / pairs));
  expect(Math.abs(missedPairs(pairs, flips, options) - expected)).toBeLessThan(spread);
});

/** Records that are in another set than most of their cluster, or left out though they are not the first of their cluster. */
async function wrongRecords(options: MotifOptions, count: number, clusters: number) {
  const { recordBytes, flips = 0.02, seed } = options;
  const drawn = { count, recordBytes, clusters, flippedShare: flips, seed: Number(seed) };
  const { records, labels } = clusteredRecords(drawn);
  const { sets } = (await RangeMotifs.create({ ...options, sets: clusters })).observe(records);
  const setOf = new Map<number, number>();
  const firsts = new Set<number>();
  let wrong = 0;
  sets.forEach((set, i) => {
    const label = labels[i] as number;
    if (!firsts.has(label)) firsts.add(label);
    else if (set === NO_SET || (setOf.get(label) ?? set) !== set) wrong++;
    if (set !== NO_SET && !setOf.has(label)) setOf.set(label, set);
  });
  // A set that two clusters share is wrong for all of one.
  expect(new Set(setOf.values()).size).toBe(clusters);
  return { wrong, trials: count - clusters };
}

describe('the share of records that are found', () => {
  const noises = [
    { recordBytes: 64, flips: 0 },
    { recordBytes: 64, flips: 0.01 },
    { recordBytes: 64, flips: 0.02 },
    { recordBytes: 64 },
    { recordBytes: 16, flips: 0.01 },
    { recordBytes: 512, flips: 0.05 },
  ];

  it.each(sampleOf(noises, 2))(`is at least the one that the formula promises: %o${sampleNote}`, async (options) => {
    let [wrong, trials] = [0, 0];
    // Few records, so that most have only a few earlier ones.
    for (let seed = 1; seed <= 5; seed++) {
      const found = await wrongRecords({ ...options, seed }, 60, 3);
      wrong += found.wrong;
      trials += found.trials;
    }
    const promised = recognition(options.flips ?? 0.02, resolveMotifSettings(options));
    expect(promised).toBeGreaterThanOrEqual(MIN_RECOGNIZED);
    expect(wrong).toBeLessThanOrEqual(maxEvents(trials, 1 - promised));
  });

  it('is what remains if early records open no second set, in many records of each cluster', async () => {
    const { wrong, trials } = await wrongRecords({ recordBytes: 64, seed: 7 }, inLongForm(4000, 2000), 4);
    expect(wrong).toBeLessThanOrEqual(maxEvents(trials, 1 - MIN_RECOGNIZED));
  });
});

const lone = [{ recordBytes: 64 }, { recordBytes: 16 }, { recordBytes: 512, flips: 0.05 }];
it.each(sampleOf(lone, 1))('records that are near nothing open no set, with thousands of them: %o', async (options) => {
  const drawn = { count: inLongForm(10_000, 3000), clusters: 1, flippedShare: 0, noiseShare: 1, seed: 3 };
  const { records } = clusteredRecords({ ...drawn, recordBytes: options.recordBytes });
  const motifs = await RangeMotifs.create(options);
  motifs.observe(records);
  // The chance of each is below 10^-6.
  expect(motifs.stats().sizes).toEqual([]);
});
