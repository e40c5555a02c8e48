import { describe, expect, test } from 'vitest';
import type { ParameterValue } from '../../../src/detectors/contract.js';
import { kernelOf } from '../../../src/detectors/detector.js';
import { resolveSettings } from '../../../src/detectors/settings.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { createDetector } from '../../support/cases.js';
import { denseIntegers, exactVerdicts } from '../../support/streams.js';

function values(memory: number | string, parameters: Record<string, ParameterValue>) {
  return resolveSettings({ algorithm: 'sqf', memory, parameters }).parameters.values;
}

/** Bits of a row, from the number of rows that fill the memory. */
function rowBits(parameters: Record<string, ParameterValue>): number {
  const memoryBytes = 2 ** 20;
  return Math.round((8 * memoryBytes) / Number(values(memoryBytes, { ...parameters, quotient: 'modulo' }).R_T));
}

describe('a row', () => {
  test.each([
    [{ r: 2, "r'": 1, k: 4 }, 8],
    [{ r: 2, "r'": 1, k: 2 }, 4],
    [{ r: 4, "r'": 2, k: 1 }, 4],
    [{ r: 4, "r'": 1, k: 4 }, 12],
    [{ r: 7, "r'": 3, k: 4 }, 24],
    [{ r: 7, "r'": 1, k: 2 }, 8],
    [{ r: 14, "r'": 7, k: 4 }, 44],
  ])("with %j takes k (r' + log r) = %i bits (dutta-2013, eq. 1)", (parameters, bits) => {
    expect(rowBits(parameters)).toBe(bits);
  });

  test.each([
    [{ r: 2, "r'": 1, k: 1 }, 3],
    [{ r: 4, "r'": 1, k: 2 }, 8],
    [{ r: 8, "r'": 1, k: 3 }, 15],
  ])('with %j takes %i bits, as no code is left for an empty bucket', (parameters, bits) => {
    expect(rowBits(parameters)).toBe(bits);
  });
});

describe('rows', () => {
  test('are the largest power of two that fits the memory', () => {
    expect(values(1_000_000, {})).toMatchObject({ q: 19, p: 21, R_T: 2 ** 19 });
    expect(values(2 ** 20 - 1, {})).toMatchObject({ q: 19 });
    expect(values(2 ** 20, {})).toMatchObject({ q: 20 });
  });

  test('fill any memory if the quotient is modulo', () => {
    expect(values(1_000_000, { quotient: 'modulo' })).toMatchObject({ p: 64, R_T: 1_000_000 });
  });

  test('are derived from p, which must leave bits for a quotient and fit the memory', () => {
    expect(values(1_000_000, { p: 12 })).toMatchObject({ q: 10, R_T: 1024 });
    for (const p of [2, 22]) {
      expect(() => values(1_000_000, { p })).toThrow(`parameters.p is ${p}, but must be a whole number from 3 to 21`);
    }
  });
});

test.each([{}, { quotient: 'modulo' }])(
  'dense integers below 4 R_T are distinguished without error with %j',
  async (parameters) => {
    const detector = await createDetector({ algorithm: 'sqf', memory: 10_000, fingerprint: 'identity', parameters });
    const universe = 4 * Number(detector.settings.parameters.values.R_T);
    const elements = denseIntegers(3 * universe, universe);
    expect(detector.observeBatch(elements)).toEqual(exactVerdicts(elements));
  },
);

test('a modulo quotient uses every byte of the memory', async () => {
  const memory = 3000;
  const detector = await createDetector({
    algorithm: 'sqf',
    memory,
    fingerprint: 'identity',
    parameters: { quotient: 'modulo' },
  });
  detector.observeBatch(BigUint64Array.from({ length: 4 * memory }, (_, i) => BigInt(i)));
  expect(detector.stats().load).toBe(1);
  expect(kernelOf(detector).cells.every((byte) => byte === 0b1111)).toBe(true);
});

test('a snapshot with a row whose buckets are not in order is refused with E_SNAPSHOT', async () => {
  const detector = await createDetector({ algorithm: 'sqf', memory: 1024, parameters: { r: 7, "r'": 3, k: 4 } });
  detector.observeBatch(BigUint64Array.from({ length: 500 }, (_, i) => BigInt(i)));
  const { cells } = kernelOf(detector);
  const rowBytes = 3;
  const bucketBits = 6;
  const rowAt = (row: number) => cells.subarray(row * rowBytes, (row + 1) * rowBytes);
  const bucketsOf = (row: number) => {
    const bits = rowAt(row).reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0);
    return Array.from({ length: 4 }, (_, i) => (bits >> (i * bucketBits)) & (2 ** bucketBits - 1));
  };
  const row = Array.from({ length: 300 }, (_, i) => i).find((i) => (bucketsOf(i)[1] as number) > 0) as number;
  const [first, second, ...others] = bucketsOf(row) as [number, number, number, number];
  const bits = [second, first, ...others].reduce((sum, value, i) => sum + value * 2 ** (i * bucketBits), 0);
  rowAt(row).set([bits & 0xff, (bits >> 8) & 0xff, bits >> 16]);
  await expect(save(detector).then(load)).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
});
