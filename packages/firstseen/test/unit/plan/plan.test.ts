import { describe, expect, test } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { planSettings } from '../../../src/plan/autosettings.js';
import { FINE, gridOf } from '../../../src/plan/grid.js';
import { limitOf, maxRememberedElements, minBits } from '../../../src/plan/limit.js';
import { poissonAtLeast, poissonCounts } from '../../../src/plan/poisson.js';
import { GapSample } from '../../../src/plan/sample.js';
import { type StreamModel, uniformStream } from '../../../src/plan/stream.js';
import { planText } from '../../../src/plan/text.js';
import { inLongForm, sampleNote, sampleOf } from '../../support/form.js';
import { planSync } from '../../support/plan.js';

describe('the limit', () => {
  test('of a window is log2 of the rate per element', () => {
    expect(maxRememberedElements(64 * 2 ** 23, 1e-6)).toBe(26_935_708);
    expect(minBits(1000, 1 / 1024)).toBe(10_000);
  });

  // The minimum FPR + FNR of a structure with this many bits per distinct element.
  test.each([
    [1, 0.435],
    [2, 0.24],
    [3, 0.125],
    [5, 0.031],
  ])('with %i bits for each element and few repeats is near %f', (bits, sum) => {
    // Nearly all elements are new, and the others occur when nearly all are stored: as if every element were tested at
    // that time.
    const stream = uniformStream(1_000_000, 1e9);
    const { fpr, fnr } = limitOf(gridOf(stream, FINE), bits * 1_000_000);
    expect(fpr + fnr).toBeLessThanOrEqual(sum);
    expect(fpr + fnr).toBeGreaterThan(0.19 * sum);
  });
});

describe('Poisson numbers', () => {
  test('keep their mean and their weight when reduced to few values', () => {
    for (const mean of [0.3, 7, 60, 900]) {
      const counts = poissonCounts(mean, 12);
      expect(counts.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9);
      expect(counts.reduce((sum, { count, weight }) => sum + weight * count, 0)).toBeCloseTo(mean, 3);
    }
  });

  test('reach a value with the probability that their terms give', () => {
    expect(poissonAtLeast(3, 2)).toBeCloseTo(1 - Math.exp(-2) * (1 + 2 + 2), 9);
    expect(poissonAtLeast(1, 50)).toBeCloseTo(1, 12);
  });
});

describe('a plan', () => {
  test('refuses a window that no structure can hold, and names the largest', () => {
    expect(() => planSync({ memory: '64MiB', windowElements: 1e9 })).toThrow(
      expect.objectContaining({
        code: 'E_BOUND',
        message: expect.stringContaining('but 64MiB holds 26,935,708; '),
      }),
    );
  });

  test('refuses a rate below that of colliding fingerprints', () => {
    expect(() => planSync({ memory: '64KiB', fpr: 1e-30 })).toThrow(expect.objectContaining({ code: 'E_BOUND' }));
  });

  test('finds the fewest errors in the exact set if it has room for twice the expected elements', () => {
    const bestFor = (distinctElements: number) =>
      planSync({ memory: '64KiB', layout: 'classic', distinctElements }).fewestErrors.algorithm;
    expect(bestFor(3125)).toBe('exact');
    expect(bestFor(5000)).not.toBe('exact');
  });
});

describe(`auto${sampleNote}`, () => {
  const hints = [
    { memory: '256KiB', fpr: 0.1, distinctElements: 300_000 },
    { memory: '1MiB', windowElements: 10_000, windowSlack: 0.3 },
    { memory: '1MiB', distinctElements: 100_000, partitions: 2 },
  ];

  test.each(inLongForm(hints, hints.slice(-1)))('creates the detector that the plan for %o recommends', (options) => {
    const plan = planSync(options);
    const { recommended } = plan;
    expect(plan.isAuto).toBe(true);
    expect(plan.families).toContain(recommended);
    expect(plan.families).toContain(plan.fewestErrors);
    const { windowElements: window, ...others } = options as { windowElements?: number };
    const settings = planSettings({ ...others, ...(window ? { window } : {}), algorithm: 'auto', seed: 5 });
    expect(settings.family.name).toBe(recommended.algorithm);
    expect(settings.layout).toBe(recommended.layout);
    expect(settings.parameters.values).toMatchObject(recommended.parameters);
    expect(settings.seed).toBe(5n);
    const text = planText(plan);
    expect(text).toContain(`\nrecommended: ${recommended.algorithm};`);
    expect(text).toContain(`algorithm: '${recommended.algorithm}'`);
    expect(text.match(/^\* \w+/gm)).toEqual([`* ${recommended.algorithm}`]);
  });

  test('selects the parameters itself', () => {
    expect(() => planSettings({ algorithm: 'auto', parameters: { k: 2 } })).toThrow(
      expect.objectContaining({ code: 'E_PARAMETER' }),
    );
  });

  const planned = ['4KiB', '256KiB', '64MiB', '3GiB'].flatMap((memory) =>
    [undefined, 1e-8, 1e-4].map((fpr) => ({ memory, fpr })),
  );

  test.each(sampleOf(planned, 1))(
    'takes for $memory and the rate $fpr without planning what the planner finds',
    ({ memory, fpr }) => {
      const target = fpr === undefined ? {} : { fpr };
      const { fewestErrors } = planSync({ memory, ...target });
      const settings = planSettings({ memory, ...target });
      expect(settings.family.name).toBe(fewestErrors.algorithm);
      expect(settings.layout).toBe(fewestErrors.layout);
      expect(settings.parameters.values).toEqual(fewestErrors.settings.parameters.values);
    },
  );

  test('does not change a named algorithm', () => {
    expect(planSettings({ algorithm: 'bsbf', memory: '1KiB', distinctElements: 7 }).family.name).toBe('bsbf');
  });
});

describe('edge cases of a plan', () => {
  test.each([
    ['an unknown layout', { layout: 'foo' as 'classic' }, 'E_PARAMETER', 'layout is "foo"'],
    ['memory that no detector can have', { memory: 2 ** 32 }, 'E_MEMORY', '32-bit WebAssembly has 4GiB'],
    ['memory that is not a size', { memory: '1 Gx' }, 'E_MEMORY', 'memory is "1 Gx"'],
    [
      'a stream that is not a model',
      { stream: {} as StreamModel },
      'E_PARAMETER',
      'stream is an object, but must be a model',
    ],
    [
      'a stream that is null',
      { stream: null as unknown as StreamModel },
      'E_PARAMETER',
      'stream is null, but must be a value, or left out',
    ],
    [
      'a stream without a length',
      { stream: { ...uniformStream(1000, 100), lengthElements: Number.NaN } },
      'E_PARAMETER',
      'stream.lengthElements is NaN',
    ],
  ])('refuses %s', (_, options, code, message) => {
    const refused = expect.objectContaining({ code, message: expect.stringContaining(message) });
    expect(() => planSync(options)).toThrow(refused);
  });

  test('refuses memory with the same error as a detector', async () => {
    const options = { algorithm: 'exact' as const, memory: 2 ** 32 };
    const { message } = (await Detector.create(options).catch((error: Error) => error)) as Error;
    expect(() => planSync({ memory: options.memory })).toThrow(message);
  });

  test.each([0, Number.NaN, -1])('refuses a sample of a stream of %d elements', (lengthElements) => {
    const sample = new GapSample();
    sample.add(1n);
    expect(() => sample.stream('', lengthElements)).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });

  test('refuses invalid gaps', () => {
    for (const gapsElements of [[], [0], [-1], [1.5], [Number.NaN], [1, Number.POSITIVE_INFINITY]]) {
      expect(() => planSync({ memory: 65536, gapsElements })).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
    }
  });
});
