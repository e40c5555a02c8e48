// Compares winner sets with their twin, on an exact table, and checks their purpose.

import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { decisionOf, elementRate } from '../../../src/near/decision.js';
import { NearDetector } from '../../../src/near/detector.js';
import { type NearOptions, resolveNear } from '../../../src/near/settings.js';
import { referenceBandElements } from '../../reference/near/bands.js';
import { referencePermutations } from '../../reference/near/minhash.js';
import { ReferenceSets, referenceSetElement } from '../../reference/near/sets.js';
import { referenceShingles } from '../../reference/near/shingles.js';
import { drawWords, editWords } from '../../support/documents.js';
import { kernelModules, kernelNames } from '../../support/kernels.js';
import { Random } from '../../support/streams.js';

const few = { algorithm: 'exact', memory: '1MiB', shingle: '1w', hashes: 16, bands: '8x2' } as const;

/** The elements of the bands of a text with these settings. */
function bandsOf(text: string): bigint[] {
  const shingle = { unit: 'words', length: 1, folds: 'simple' } as const;
  const rows = referencePermutations(referenceShingles(new TextEncoder().encode(text), shingle, 0n), 16, 0n);
  return referenceBandElements(rows, { bands: 8, rowsPerBand: 2, rowBytes: 4 }, 0n);
}

/** Short texts with a small vocabulary, so that many agree in some bands. */
function overlapping(count: number): string[] {
  const random = new Random(11);
  return Array.from({ length: count }, () => Array.from({ length: 4 }, () => `w${random.below(14)}`).join(' '));
}

/** Documents, each with the elements of its bands: the twin takes most of a test's time for them, and they are the same in all tests. */
const documents = overlapping(200).map((text) => ({ text, bands: bandsOf(text) }));

describe.each(kernelNames)('%s kernel', (name) => {
  test('elements of sets match the twin', async () => {
    const kernel = await Kernel.create({ cellsBytes: 0, regionBytes: 0, module: kernelModules[name] });
    const bands = [5n, 2n ** 64n - 1n, 77n];
    kernel.fingerprints.set(bands);
    kernel.exports.setElements(kernel.fingerprints.byteOffset, 3, 4);
    const expected = [undefined, 0, 1, 2, 3].flatMap((set) => bands.map((band) => referenceSetElement(band, set)));
    expect([...kernel.fingerprints.subarray(0, 15)]).toEqual(expected);
    expect(new Set(expected).size).toBe(15);
  });

  test.each(
    [0, 1, 3, 20].flatMap((sets) =>
      [1, 2, 5].flatMap((agreeing) => (['kept', 'all'] as const).map((add) => ({ sets, agreeing, add }))),
    ),
  )('decides as its twin: %j', async (asked) => {
    const detector = await NearDetector.create({ ...few, ...asked }, { module: kernelModules[name] });
    const twin = new ReferenceSets(asked);
    const answers = documents.map(({ text }) => detector.observe(text));
    expect(answers).toEqual(documents.map(({ bands }) => twin.observe(bands)));
  });
});

describe('sets', () => {
  const near = (options: NearOptions) => NearDetector.create({ memory: '1MiB', similarity: 0.7, ...options });

  test('number the groups in the order in which they begin, and give copies the number of their group', async () => {
    const detector = await near({ sets: 30 });
    const random = new Random(5);
    const groups = Array.from({ length: 30 }, (_, i) => drawWords(300, new Random(i)));
    expect(groups.map((words) => detector.observe(words.join(' ')).set)).toEqual(groups.map((_, i) => i));
    for (const [i, words] of groups.entries()) {
      const { verdict, set } = detector.observe(editWords(words, 0.005, random).join(' '));
      expect([verdict, set]).toEqual(['duplicate', i]);
    }
    expect(detector.stats()).toEqual({ observed: 60, duplicates: 30, sets: 30 });
  });

  test('give no number to further groups if all sets are open, but still find their duplicates', async () => {
    const detector = await near({ sets: 2 });
    const texts = Array.from({ length: 4 }, (_, i) => drawWords(100, new Random(i)).join(' '));
    expect(texts.map((text) => detector.observe(text).set)).toEqual([0, 1, undefined, undefined]);
    const again = texts.map((text) => detector.observe(text));
    expect(again.map(({ verdict }) => verdict)).toEqual(Array(4).fill('duplicate'));
    expect(again.map(({ set }) => set)).toEqual([0, 1, undefined, undefined]);
  });

  test('do not count bands of different documents together', async () => {
    const parts = Array.from({ length: 12 }, (_, i) => drawWords(12, new Random(i)));
    // Each part is a document; the last document contains some of all.
    const others = parts.map((words) => words.join(' '));
    const mixed = parts.flat().join(' ');
    const options = { agreeing: 6, shingle: '1w', hashes: 128, bands: '64x2' } as const;
    const counted = await near(options);
    const won = await near({ ...options, sets: 20 });
    for (const text of others) for (const detector of [counted, won]) detector.observe(text);
    expect(counted.observe(mixed).verdict).toBe('duplicate');
    expect(won.observe(mixed)).toMatchObject({ verdict: 'distinct', set: 12 });
  });

  test('are reported without adding a document', async () => {
    const detector = await near({ sets: 3 });
    expect([detector.test('one two three').set, detector.test('four five six').set]).toEqual([0, 0]);
    expect(detector.stats().sets).toBe(0);
  });

  test('do not report more new documents than requested when all are open', () => {
    const request = { bands: 9, agreeing: 1, sets: 100, fpr: 0.001 };
    const rate = elementRate(request);
    expect(1 - (1 - rate) ** (9 * 101)).toBeCloseTo(0.001, 6);
    expect(elementRate({ ...request, sets: 0 })).toBeGreaterThan(100 * rate);
    expect(resolveNear({ sets: 100 }).table.parameters.values.FPR).toBeLessThanOrEqual(rate);
  });

  test.each([
    [{ sets: -1 }, /sets is -1, but must be a whole number from 0 to 1819/],
    [{ sets: 1820 }, /sets is 1820/],
    [{ sets: 16, bands: '1024x1', hashes: 1024 }, /sets is 16, but must be a whole number from 0 to 15/],
  ])('%j are refused', (options, message) => {
    expect(() => resolveNear(options)).toThrow(message);
    expect(() => resolveNear(options)).toThrow(FirstseenError);
  });
});

test.each([
  [1, 0, 'any'],
  [2, 0, 'count'],
  [1, 5, 'sets'],
  [3, 5, 'sets'],
] as const)('%d bands and %d sets make the rule %s', (agreeing, sets, name) => {
  expect(decisionOf({ agreeing, sets, verify: false }).name).toBe(name);
});
