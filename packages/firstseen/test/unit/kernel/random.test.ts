import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as reference from '../../reference/random.js';
import { compileLibrary } from '../../support/assembly.js';

interface RandomLibrary {
  mix64(value: bigint): bigint;
  seedRandom(): void;
  addressHash(fingerprint: bigint, i: number): bigint;
  draw(index: bigint, lane: number): bigint;
  reduce(hash: bigint, n: number): number;
  reduceLow(hash: bigint, n: number): number;
  multiplyHigh(a: bigint, b: bigint): bigint;
  chance(hash: bigint, numerator: number, denominator: number): number;
}

const PARAMETERS_OFFSET = 0x4000;
const SEED_LOW_SLOT = 3;

const { exports: kernel, memory } = await compileLibrary<RandomLibrary>('random');
const unsigned = (value: bigint) => BigInt.asUintN(64, value);
const word = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

function seedKernel(seed: bigint): void {
  new Float64Array(memory.buffer, PARAMETERS_OFFSET).set(
    [Number(seed & 0xffffffffn), Number(seed >> 32n)],
    SEED_LOW_SLOT,
  );
  kernel.seedRandom();
}

// The outputs of SplitMix64 with state 1234567, as printed by its reference implementation.
const SPLIT_MIX_SEED = 1234567n;
const SPLIT_MIX_OUTPUTS = [
  6457827717110365317n,
  3203168211198807973n,
  9817491932198370423n,
  4593380528125082431n,
  16408922859458223821n,
];

describe('mix64', () => {
  test.each([
    ['the twin', reference.mix64],
    ['the kernel', (value: bigint) => unsigned(kernel.mix64(value))],
  ])('of %s gives the published outputs of SplitMix64', (_name, mix) => {
    const outputs = SPLIT_MIX_OUTPUTS.map((_, i) => mix(SPLIT_MIX_SEED + BigInt(i + 1) * reference.GOLDEN));
    expect(outputs).toEqual(SPLIT_MIX_OUTPUTS);
  });
});

describe('draw', () => {
  test('enumerates the outputs of one SplitMix64, 1024 per element', () => {
    let state = reference.mix64(9n ^ 0x13198a2e03707344n);
    const outputs: bigint[] = [];
    for (let i = 0; i < 1024 + 3; i++) {
      outputs.push(reference.mix64(state));
      state = unsigned(state + reference.GOLDEN);
    }
    const generator = new reference.Generator(9n);
    expect(generator.draw(0, 0)).toBe(outputs[0]);
    expect(generator.draw(0, 1023)).toBe(outputs[1023]);
    expect([0, 1, 2].map((lane) => generator.draw(1, lane))).toEqual(outputs.slice(1024));
  });

  test.each([0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 64n - 1n])('and hash match the twin for seed %s', (seed) => {
    seedKernel(seed);
    const generator = new reference.Generator(seed);
    fc.assert(
      fc.property(word, fc.nat(1023), fc.nat(Number.MAX_SAFE_INTEGER), (fingerprint, lane, index) => {
        expect(unsigned(kernel.addressHash(fingerprint, lane))).toBe(generator.hash(fingerprint, lane));
        expect(unsigned(kernel.draw(BigInt(index), lane))).toBe(generator.draw(index, lane));
      }),
    );
  });
});

describe('numbers from bits', () => {
  test('reduce uses the top 35 bits and is exact up to 2^29', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 2 ** 29 }), (hash, n) => {
        const reduced = kernel.reduce(hash, n) >>> 0;
        expect(reduced).toBe(reference.fromTopBits(hash, n));
        expect(reduced).toBeLessThan(n);
      }),
    );
    expect(kernel.reduce(2n ** 64n - 1n, 2 ** 29)).toBe(2 ** 29 - 1);
  });

  test('reduceLow uses the low 16 bits and is exact up to 2^16', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 1, max: 2 ** 16 }), (hash, n) => {
        expect(kernel.reduceLow(hash, n)).toBe(reference.fromLowBits(hash, n));
      }),
    );
    expect(kernel.reduceLow(2n ** 64n - 1n, 2 ** 16)).toBe(2 ** 16 - 1);
  });

  test('multiplyHigh is the upper half of the product', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(unsigned(kernel.multiplyHigh(a, b))).toBe((a * b) >> 64n);
      }),
      { examples: [[2n ** 64n - 1n, 2n ** 64n - 1n]] },
    );
  });

  test('chance matches the twin: never at 0 and always at 1', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(word, rate, fc.integer({ min: 1, max: 2 ** 40 }), (hash, share, denominator) => {
        const numerator = share * denominator;
        expect(kernel.chance(hash, numerator, denominator) !== 0).toBe(reference.chance(hash, numerator, denominator));
      }),
    );
    expect(kernel.chance(0n, 0, 1)).toBe(0);
    expect(kernel.chance(2n ** 64n - 1n, 1, 1)).toBe(1);
  });
});
