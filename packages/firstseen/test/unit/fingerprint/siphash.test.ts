import { beforeAll, describe, expect, it } from 'vitest';
import { fingerprintForms } from '../../../src/fingerprint/fingerprint.ts';
import type { Kernel } from '../../../src/kernel/kernel.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import { referenceSiphash } from '../../reference/siphash.ts';
import { siphashVectors } from '../../reference/siphash-vectors.ts';
import { createKernel, kernelVariants, ScanHost } from '../records/scan-host.ts';

const { id } = fingerprintForms.siphash;
const maxRecordBytes = 400;

function countedBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => i);
}

/** Bytes of every value, unordered. */
function mixedBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (i * i * 167 + i * 13 + 201) >> 3);
}

type Hash = (bytes: Uint8Array, key: Uint8Array) => bigint;

/** The first half of the output of 128 bits. */
const wide: Hash = (bytes, key) => referenceSiphash(bytes, key, { isWide: true });

const publishedKey = countedBytes(16);
const otherKey = mixedBytes(16);
const text = (value: string) => new TextEncoder().encode(value);

/** The hash in the form of the vectors. */
function hexOf(hash: bigint): string {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, hash, true);
  return Buffer.from(bytes).toString('hex');
}

function resultOf(kernel: Kernel): bigint {
  return new DataView(kernel.bytes.buffer).getBigUint64(kernel.regionOffset, true);
}

/** The hash of bytes at a given address. The bytes around them would change the hash if they were read. */
function kernelHash(kernel: Kernel, bytes: Uint8Array, shift = 0): bigint {
  const offset = kernel.regionOffset + 64 + shift;
  kernel.bytes.fill(0xa5, offset - 16, offset + bytes.length + 16);
  kernel.bytes.set(bytes, offset);
  expect(kernel.exports.fingerprintKey(id, offset, bytes.length, kernel.regionOffset)).toBe(0);
  return resultOf(kernel);
}

describe('the twin', () => {
  it('gives the hash that the paper computes (appendix A)', () => {
    expect(referenceSiphash(countedBytes(15), publishedKey)).toBe(0xa129ca6149be45e5n);
  });

  it('gives all published vectors', () => {
    expect(siphashVectors.length).toBe(64);
    expect(siphashVectors.map((_, n) => hexOf(referenceSiphash(countedBytes(n), publishedKey)))).toEqual(
      siphashVectors,
    );
  });
});

describe.each(kernelVariants)('siphash of the %s kernel', (variant) => {
  let kernel: Kernel;
  beforeAll(async () => {
    kernel = await createKernel(variant, 4096, { secret: publishedKey });
  });

  it('gives all published vectors', () => {
    expect(siphashVectors.map((_, n) => hexOf(kernelHash(kernel, countedBytes(n))))).toEqual(siphashVectors);
  });

  it.each([publishedKey, otherKey, new Uint8Array(16), new Uint8Array(16).fill(255)])(
    'equals the twin at every length from 0 to 300, at any address (key %#)',
    async (secret) => {
      const keyed = await createKernel(variant, 4096, { secret });
      const buffer = mixedBytes(300);
      for (let length = 0; length <= 300; length++) {
        const bytes = buffer.subarray(0, length);
        expect(kernelHash(keyed, bytes, length % 8), `length ${length}`).toBe(referenceSiphash(bytes, secret));
      }
    },
  );

  it('does not depend on the seed', async () => {
    const seeded = await createKernel(variant, 4096, { secret: publishedKey, seed: 77n });
    expect(kernelHash(seeded, text('seed'))).toBe(kernelHash(kernel, text('seed')));
  });

  /** The fingerprint of the integer of eight bytes. */
  function integerHash(host: Kernel, bytes: Uint8Array): bigint {
    const at = host.regionOffset + 11;
    host.bytes.set(bytes, at);
    host.exports.fingerprintInteger(id, at, host.regionOffset);
    return resultOf(host);
  }

  it('hashes an integer as the first half of the output of 128 bits', () => {
    // vectors_sip128 of the authors' implementation, for eight bytes.
    expect(hexOf(integerHash(kernel, countedBytes(8)))).toBe('3b62a9ba6258f561');
    expect(integerHash(kernel, mixedBytes(8))).toBe(wide(mixedBytes(8), publishedKey));
  });

  describe('over records', () => {
    const lengthOf = (part: string) => [...new Uint8Array(BigUint64Array.of(BigInt(part.length)).buffer)];
    const composite = (...parts: string[]) =>
      Uint8Array.from(parts.flatMap((part) => [...lengthOf(part), ...text(part)]));
    const cases: [string, Omit<ScanSettings, 'fingerprint' | 'maxRecordBytes'>, Uint8Array, Uint8Array[], Hash?][] = [
      [
        'whole lines of any length',
        { format: 'lines' },
        text(Array.from({ length: 40 }, (_, i) => `${'x'.repeat(7 * i)}\n`).join('')),
        Array.from({ length: 40 }, (_, i) => text('x'.repeat(7 * i))),
      ],
      [
        'a value with escapes',
        { format: 'ndjson', paths: [['a']] },
        text('{"a":"\\u0062c"}\n{"a":"bc"}\n'),
        [text('"bc"'), text('"bc"')],
      ],
      [
        'two columns in the order of the keys',
        { format: 'csv', columns: [1, 0] },
        text('ab,c\n"a""b",c\n'),
        [composite('c', 'ab'), composite('c', 'a"b')],
      ],
      [
        'integers',
        { format: 'u64' },
        mixedBytes(24),
        [0, 8, 16].map((at) => mixedBytes(24).subarray(at, at + 8)),
        wide,
      ],
    ];

    it.each(cases)(
      'hashes %s, wherever the input is cut',
      async (_, settings, input, keys, hash = referenceSiphash) => {
        const host = await ScanHost.create(variant, input.length, { secret: otherKey });
        const expected = keys.map((key) => hash(key, otherKey));
        for (let cut = 0; cut <= input.length; cut += 5) {
          const records = host.scan(input, { ...settings, fingerprint: 'siphash', maxRecordBytes }, [cut]);
          expect(records.map(({ fingerprint }) => fingerprint)).toEqual(expected);
        }
      },
    );
  });
});
