import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import xxhash, { type XXHashAPI } from 'xxhash-wasm';
import { type FingerprintName, fingerprintForms } from '../../../src/fingerprint/fingerprint.ts';
import type { Kernel } from '../../../src/kernel/kernel.ts';
import { recordClasses } from '../../../src/records/classes.ts';
import { referenceIntegers } from '../../reference/integers.ts';
import { gcd, isIrreducible, rabinPolynomial, referenceRabin, remainder } from '../../reference/rabin.ts';
import { referenceXxh64 } from '../../reference/xxh64.ts';
import { createKernel, kernelVariants } from '../records/scan-host.ts';

const REGION_BYTES = 4096;
const LARGEST = 2n ** 64n - 1n;
const integers = [0n, 1n, 330285n, 0x0123456789abcdefn, 2n ** 63n, LARGEST];

/** The test buffer of xxHash's own sanity check. */
function sanityBuffer(length: number): Uint8Array {
  let generator = 2654435761n;
  return Uint8Array.from({ length }, () => {
    const byte = Number(generator >> 56n);
    generator = BigInt.asUintN(64, generator * 11400714785074694797n);
    return byte;
  });
}

/** The fingerprint of a key at an odd address, or the class of the record if the key is refused. */
function fingerprintOf(kernel: Kernel, name: FingerprintName, key: Uint8Array, shift = 1): bigint | number {
  const offset = kernel.regionOffset + 64 + shift;
  kernel.bytes.set(key, offset);
  const found = kernel.exports.fingerprintKey(fingerprintForms[name].id, offset, key.length, kernel.regionOffset);
  return found === 0 ? new DataView(kernel.bytes.buffer).getBigUint64(kernel.regionOffset, true) : found;
}

function integerFingerprint(kernel: Kernel, name: FingerprintName, value: bigint): bigint {
  const view = new DataView(kernel.bytes.buffer);
  view.setBigUint64(kernel.regionOffset + 11, value, true);
  kernel.exports.fingerprintInteger(fingerprintForms[name].id, kernel.regionOffset + 11, kernel.regionOffset);
  return view.getBigUint64(kernel.regionOffset, true);
}

const text = (value: string) => new TextEncoder().encode(value);

describe.each(kernelVariants)('fingerprints of the %s kernel', (variant) => {
  let seedless: Kernel;
  beforeAll(async () => {
    seedless = await createKernel(variant, REGION_BYTES);
  });

  describe('xxh64', () => {
    // tests/sanity_test.c of xxHash: length, seed, hash of the sanity buffer.
    it.each([
      [0, 0n, 0xef46db3751d8e999n],
      [0, 2654435761n, 0xac75fda2929b17efn],
      [1, 0n, 0xe934a84adb052768n],
      [1, 2654435761n, 0x5014607643a9b4c3n],
      [4, 0n, 0x9136a0dca57457een],
      [14, 0n, 0x8282dcc4994e35c8n],
      [14, 2654435761n, 0xc3bd6bf63deb6df0n],
      [222, 0n, 0xb641ae8cb691c174n],
      [222, 2654435761n, 0x20cb8ab7ae10c14an],
    ])('gives the published hash of %i bytes with seed %i', async (length, seed, hash) => {
      const kernel = await createKernel(variant, REGION_BYTES, { seed });
      expect(fingerprintOf(kernel, 'xxh64', sanityBuffer(length))).toBe(hash);
    });

    it.each([0n, 1n, 0x9e3779b97f4a7c15n, LARGEST])(
      'equals an independent package and the twin at every length from 0 to 300, seed %i',
      async (seed) => {
        const kernel = await createKernel(variant, REGION_BYTES, { seed });
        const independent: XXHashAPI = await xxhash();
        const buffer = sanityBuffer(300);
        for (let length = 0; length <= 300; length++) {
          const key = buffer.subarray(0, length);
          const hash = fingerprintOf(kernel, 'xxh64', key, length % 8);
          expect(hash, `length ${length}`).toBe(independent.h64Raw(key, seed));
          expect(hash, `length ${length}`).toBe(referenceXxh64(key, seed));
        }
      },
    );

    it.each([0n, 1n, LARGEST])('hashes an integer with another seed than bytes, seed %i', async (seed) => {
      const kernel = await createKernel(variant, REGION_BYTES, { seed });
      for (const value of integers) {
        expect(integerFingerprint(kernel, 'xxh64', value)).toBe(referenceIntegers.xxh64(value, seed));
      }
    });
  });

  describe('rabin', () => {
    it('equals the remainder computed bit by bit, at every length from 0 to 100', () => {
      const buffer = sanityBuffer(100);
      for (let length = 0; length <= 100; length++) {
        const key = buffer.subarray(0, length);
        expect(fingerprintOf(seedless, 'rabin', key, length % 8), `length ${length}`).toBe(referenceRabin(key));
      }
    });

    it('distinguishes strings that differ only in leading NUL bytes', () => {
      const prints = [0, 1, 2, 8, 9, 16].map((length) => fingerprintOf(seedless, 'rabin', new Uint8Array(length)));
      expect(new Set(prints).size).toBe(prints.length);
      expect(fingerprintOf(seedless, 'rabin', new Uint8Array())).toBe(1n);
    });

    it('does not depend on the seed', async () => {
      const kernel = await createKernel(variant, REGION_BYTES, { seed: 77n });
      expect(fingerprintOf(kernel, 'rabin', text('seed'))).toBe(fingerprintOf(seedless, 'rabin', text('seed')));
    });

    it('takes an integer for a polynomial of a degree that no byte string has', () => {
      for (const value of integers) {
        expect(integerFingerprint(seedless, 'rabin', value)).toBe(referenceIntegers.rabin(value));
      }
    });
  });

  describe('identity', () => {
    it.each([
      ['0', 0n],
      ['7', 7n],
      ['000', 0n],
      ['0042', 42n],
      ['330285', 330285n],
      ['18446744073709551615', LARGEST],
      ['9999999999999999999', 9999999999999999999n],
      ['10000000000000000000', 10000000000000000000n],
      [`${'0'.repeat(40)}18446744073709551615`, LARGEST],
    ])('takes %s for itself', (key, value) => {
      expect(fingerprintOf(seedless, 'identity', text(key))).toBe(value);
    });

    it.each([
      '',
      ' 1',
      '1 ',
      '+1',
      '-1',
      '1.0',
      '1e3',
      '0x10',
      'abc',
      '1a',
      '/',
      ':',
      '\0',
      '18446744073709551616',
      '18446744073709551620',
      '20000000000000000000',
      '99999999999999999999',
      '100000000000000000000',
    ])('refuses %j', (key) => {
      expect(fingerprintOf(seedless, 'identity', text(key))).toBe(recordClasses.NOT_AN_INTEGER.code);
    });

    it('leaves an integer as it is', () => {
      expect(integerFingerprint(seedless, 'identity', LARGEST)).toBe(LARGEST);
    });
  });
});

describe('the polynomial of the Rabin fingerprint', () => {
  it('is the one in the kernel', () => {
    const source = readFileSync(new URL('../../../assembly/lib/rabin.ts', import.meta.url), 'utf8');
    expect(source).toContain(`POLYNOMIAL_TAIL: u64 = 0x${(rabinPolynomial & LARGEST).toString(16)}`);
  });

  it('is the first irreducible polynomial from the fraction of pi on', () => {
    const first = (1n << 64n) | 0x243f6a8885a308d3n;
    for (let candidate = first; candidate < rabinPolynomial; candidate++) {
      expect(isIrreducible(candidate), candidate.toString(16)).toBe(false);
    }
    expect(isIrreducible(rabinPolynomial)).toBe(true);
  });

  it('is checked by a test that gives the correct answer for small polynomials', () => {
    // t^4 + t + 1 is irreducible; t^4 + t^2 + 1 = (t^2 + t + 1)^2 and t^4 + 1 = (t + 1)^4 are not.
    expect([0b10011n, 0b10101n, 0b10001n].map(isIrreducible)).toEqual([true, false, false]);
    expect(remainder(0b10101n, 0b111n)).toBe(0n);
    expect(gcd(0b10101n, 0b10011n)).toBe(1n);
  });
});
