import { describe, expect, test } from 'vitest';
import { families } from '../../../src/detectors/descriptions.js';
import { cellsBytesOf, type DetectorOptions, ownParameters, resolveSettings } from '../../../src/detectors/settings.js';

describe('resolveSettings', () => {
  test('has a default for everything', () => {
    const settings = resolveSettings();
    expect(settings).toMatchObject({
      family: { name: 'qht' },
      memoryBytes: 64 * 2 ** 20,
      layout: 'blocked',
      seed: 0n,
      fingerprint: 'xxh64',
    });
    expect(settings.parameters.values).toMatchObject({ s: 25, k: 20, eviction: 'lru', N: 2 ** 20 });
  });

  test('keeps all 64 bits of a seed', () => {
    expect(resolveSettings({ seed: 2n ** 64n - 1n }).seed).toBe(2n ** 64n - 1n);
    expect(resolveSettings({ seed: 0 }).seed).toBe(0n);
  });

  test.each<[DetectorOptions, string, string]>([
    [{ memory: '64 apples' }, 'E_MEMORY', 'memory is "64 apples", but must be a number of bytes'],
    [{ memory: 100 }, 'E_MEMORY', 'memory is 100, but must be at least 1KiB'],
    [{ gapsElements: [] }, 'E_PARAMETER', 'gapsElements is [], but must be a list of one or more whole numbers'],
    [{ gapsElements: [5, 0] }, 'E_PARAMETER', 'gapsElements is [5, 0], but must be a list'],
    [{ fpr: '0.1' as unknown as number }, 'E_PARAMETER', 'fpr is "0.1", but must be a number between 0 and 1'],
    [
      { fingerprint: 'md5' as 'xxh64' },
      'E_PARAMETER',
      'fingerprint is "md5", but must be one of xxh64, rabin, identity, siphash',
    ],
  ])('refuses %j', (options, code, message) => {
    expect(() => resolveSettings(options)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});

test.each([
  ['classic', 1031, 1024],
  ['classic', 1032, 1032],
  ['blocked', 1087, 1024],
  ['blocked', 1088, 1088],
] as const)('cells of the %s layout in %i bytes take %i', (layout, memory, expected) => {
  expect(cellsBytesOf(resolveSettings({ layout, memory }))).toBe(expected);
});

describe.each(families)('$name', ({ name: algorithm, layouts }) => {
  test.each(layouts)('resolves its own parameters to the same settings in layout %s', (layout) => {
    const settings = resolveSettings({ algorithm, layout, memory: '64KiB', fpr: 0.05 });
    const again = resolveSettings({ algorithm, layout, memory: '64KiB', parameters: ownParameters(settings) });
    expect(again).toEqual(settings);
  });

  test('gives a value to exactly its parameters, except those that are optional', () => {
    const { family, parameters } = resolveSettings({ algorithm, memory: '64KiB' });
    const letters = family.parameters.filter(({ optional }) => !optional).map(({ letter }) => letter);
    expect(Object.keys(parameters.values).sort()).toEqual(letters.sort());
    expect(parameters.kernel.flat().every(Number.isFinite)).toBe(true);
  });
});
