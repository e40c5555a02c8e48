import { describe, expect, test } from 'vitest';
import { saturatedRate, slotsOfCacheLine } from '../../../src/detectors/qht.js';
import { type DetectorOptions, resolveSettings } from '../../../src/detectors/settings.js';
import { qht } from '../../reference/qht.js';
import { createDetector } from '../../support/cases.js';
import { pairsOf, sampleNote, sampleOf, sampleSeed } from '../../support/form.js';
import { kernelNames } from '../../support/kernels.js';
import { allDistinct, recency } from '../../support/streams.js';

function resolved(options: DetectorOptions): Record<string, number | string> {
  return resolveSettings({ algorithm: 'qht' as const, memory: '1MiB', ...options }).parameters.values;
}

const widths = Array.from({ length: 25 }, (_, i) => 8 + i);
const evictions = ['lru', 'fifo', 'random'];

describe('a line', () => {
  test.each([
    [8, 64],
    [9, 56],
    [10, 50],
    [11, 46],
    [12, 42],
    [13, 39],
    [14, 34],
    [16, 32],
    [20, 24],
    [24, 21],
    [25, 20],
    [32, 16],
  ])('holds, of slots of %i bits, %i', (s, k) => {
    expect(slotsOfCacheLine(s)).toBe(k);
  });

  test.each(widths.filter((s) => s !== 12))(
    'holds exactly as many slots of %i bits as fit with whole bytes of bit planes',
    (s) => {
      const planeBytes = (slots: number) => Math.floor(s / 8) * slots + (s % 8) * Math.ceil(slots / 8);
      expect(planeBytes(slotsOfCacheLine(s))).toBeLessThanOrEqual(64);
      expect(planeBytes(slotsOfCacheLine(s) + 1)).toBeGreaterThan(64);
    },
  );
});

test.each(['classic', 'blocked'] as const)('full buckets of %s keep every rate', (layout) => {
  for (let fpr = 0.3; fpr > 1e-7; fpr *= 0.97) {
    const { s, k } = resolved({ fpr, layout }) as { s: number; k: number };
    expect(k / (2 ** s - 1)).toBeLessThanOrEqual(fpr);
  }
});

describe('s', () => {
  test.each([0.3, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8])('meets the rate %d without losing a slot', (fpr) => {
    const { s, k, FPR } = resolved({ fpr }) as { s: number; k: number; FPR: number };
    expect(FPR).toBe(saturatedRate(s, k));
    expect(FPR).toBeLessThanOrEqual(fpr);
    const narrower = widths.filter((width) => width < s && saturatedRate(width, slotsOfCacheLine(width)) <= fpr);
    for (const width of narrower) expect(slotsOfCacheLine(width)).toBe(k);
    if (s < 32) expect(slotsOfCacheLine(s + 1)).toBeLessThan(k);
  });

  test.each([0.3, 1e-3, 1e-6, 1e-8])('is the smallest that meets the rate %d in the classic layout', (fpr) => {
    for (const k of [1, 2, 4, 8, 16]) {
      const { s, FPR } = resolved({ fpr, layout: 'classic', parameters: { k } });
      expect(FPR).toBeLessThanOrEqual(fpr);
      expect(s === 2 || saturatedRate(Number(s) - 1, k) > fpr).toBe(true);
    }
  });

  test('of 12 bits has 40 slots where 42 would miss the rate', () => {
    expect(resolved({ fpr: 0.01 })).toMatchObject({ s: 12, k: 40 });
    expect(resolved({ fpr: 0.0103 })).toMatchObject({ s: 12, k: 42 });
    expect(resolved({ fpr: 0.01, parameters: { s: 12 } })).toMatchObject({ s: 12, k: 42 });
  });

  test('keeps a rate of 0.000001 by default', () => {
    expect(resolved({})).toMatchObject({ s: 25, k: 20, eviction: 'lru', N: 2 ** 14 });
    expect(resolved({ layout: 'classic' })).toMatchObject({ s: 24, k: 16, N: Math.floor(2 ** 23 / 384) });
  });

  test('cannot meet arbitrarily low rates', () => {
    expect(() => resolved({ fpr: 1e-9 })).toThrow(
      'fpr is 1e-9, but must be at least 3.7e-9, the bound for buckets of 16 slots of 32 bits; give a higher rate, or choose algorithm exact',
    );
    expect(resolved({ fpr: 1e-9, layout: 'classic', parameters: { k: 4 } })).toMatchObject({ s: 32 });
    expect(resolved({ fpr: 1e-9, parameters: { s: 16 } })).toMatchObject({ s: 16, k: 32 });
  });
});

test('k is what fits in a line in the blocked layout, and one of seven values in the classic', () => {
  expect(() => resolved({ parameters: { s: 13, k: 40 } })).toThrow('parameters.k is 40, but must be 39, the slots');
  expect(resolved({ parameters: { s: 12, k: 42 } })).toMatchObject({ s: 12, k: 42 });
  expect(resolved({ parameters: { s: 12, k: 40 } })).toMatchObject({ s: 12, k: 40 });
  expect(() => resolved({ parameters: { s: 12, k: 16 } })).toThrow(
    'parameters.k is 16, but must be 42 or 40, the slots of 12 bits that fit in a line; leave it out, or choose layout classic',
  );
  expect(() => resolved({ layout: 'classic', parameters: { k: 40 } })).toThrow(
    'parameters.k is 40, but must be one of 1, 2, 4, 8, 16, 32, 64 in layout classic',
  );
});

describe('j', () => {
  test('is absent if it is 0, so that snapshots are those of versions without it', () => {
    expect(resolved({ parameters: { j: 0 } })).toEqual(resolved({}));
    expect(resolved({})).not.toHaveProperty('j');
    expect(resolved({ parameters: { entryDepth: 15 } })).toMatchObject({ k: 20, j: 15 });
  });

  test('is below k', () => {
    expect(() => resolved({ parameters: { s: 16, j: 32 } })).toThrow('parameters.j is 32, but must be');
    expect(() => resolved({ layout: 'classic', parameters: { k: 1, j: 1 } })).toThrow('parameters.j is 1, but must be');
  });

  test.each(['fifo', 'random'])('requires the eviction lru, not %s', (eviction) => {
    expect(resolved({ parameters: { eviction, j: 0 } })).toMatchObject({ eviction });
    expect(() => resolved({ parameters: { eviction, j: 4 } })).toThrow(
      `parameters.j is 4, but must be 0 with eviction ${eviction}; leave it out, or choose eviction lru`,
    );
  });

  /** Answers for elements that were found again in full buckets, before many others came once. */
  async function answersAfterOthers(options: DetectorOptions): Promise<number[]> {
    const detector = await createDetector({ algorithm: 'qht', memory: 1024, seed: 3, ...options }, 'release');
    const hot = allDistinct(4);
    for (const elements of [allDistinct(2000, 100), hot, hot, allDistinct(20_000, 10_000)]) {
      detector.observeBatch(elements);
    }
    return [...detector.testBatch(hot)];
  }

  test.each([
    { layout: 'blocked', s: 16, j: 24 },
    { layout: 'blocked', s: 12, j: 31 },
    { layout: 'classic', s: 16, k: 8, j: 6 },
    { layout: 'classic', s: 16, k: 64, j: 48 },
  ] as const)('keeps what was found again from new elements: $layout, $s bits', async ({ layout, ...parameters }) => {
    expect(await answersAfterOthers({ layout, parameters })).toEqual([1, 1, 1, 1]);
    expect(await answersAfterOthers({ layout, parameters: { ...parameters, j: 0 } })).toEqual([0, 0, 0, 0]);
  });

  test('does not count until a bucket is full', async () => {
    const elements = recency(300, 100);
    const answersWith = async (j: number) => {
      const detector = await createDetector({ algorithm: 'qht', memory: 1024, parameters: { s: 16, j } }, 'release');
      const answers = detector.observeBatch(elements);
      expect(detector.stats().load).toBeLessThan(0.5);
      return answers;
    };
    expect(await answersWith(31)).toEqual(await answersWith(0));
  });
});

async function expectTwinAnswers(options: DetectorOptions): Promise<void> {
  const all = { algorithm: 'qht' as const, memory: 1101, seed: 5, ...options };
  const elements = recency(2500, 800);
  const twin = qht.create(resolveSettings(all));
  const expected = Uint8Array.from(elements, (element) => twin.observe(element));
  for (const kernel of kernelNames) {
    const detector = await createDetector(all, kernel);
    expect(detector.observeBatch(elements)).toEqual(expected);
    expect(detector.stats().load).toBe(twin.load());
    expect([...detector.testBatch(elements)]).toEqual(Array.from(elements, (element) => twin.test(element)));
  }
}

describe.each(widths)(`slots of %i bits${sampleNote}`, (s) => {
  test.each(sampleOf(evictions, 1, sampleSeed + s))(
    'answer like their twin in a line, with eviction %s',
    async (eviction) => {
      await expectTwinAnswers({ parameters: { s, eviction } });
    },
  );

  test('answer like their twin in a line, at every fifth entry depth', async () => {
    const last = slotsOfCacheLine(s) - 1;
    const depths = Array.from({ length: Math.ceil(last / 5) }, (_, i) => 1 + 5 * i);
    for (const j of sampleOf([...depths, last], 1, sampleSeed + s)) await expectTwinAnswers({ parameters: { s, j } });
  });
});

test.each([0, 1, 20, 39])('40 slots of 12 bits answer like their twin, at the entry depth %i', async (j) => {
  await expectTwinAnswers({ parameters: { s: 12, k: 40, j } });
});

test.each(['fifo', 'random'])('40 slots of 12 bits answer like their twin, with eviction %s', async (eviction) => {
  await expectTwinAnswers({ parameters: { s: 12, k: 40, eviction } });
});

const buckets = [1, 2, 4, 8, 16, 32, 64].flatMap((k) =>
  [2, 3, 5, 16, 17, 32].flatMap((s) => [
    ...evictions.map((eviction) => ({ s, k, eviction })),
    ...[k / 2, k - 1].filter((j) => j >= 1).map((j) => ({ s, k, j, eviction: 'lru' })),
  ]),
);

test.each(pairsOf(buckets, ({ s, k, eviction, ...depth }) => [s, k, eviction, 'j' in depth]))(
  `buckets of the classic layout answer like their twin: %o${sampleNote}`,
  async (parameters) => {
    await expectTwinAnswers({ layout: 'classic', parameters });
  },
);
