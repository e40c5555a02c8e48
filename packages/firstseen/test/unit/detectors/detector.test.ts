import { describe, expect, test } from 'vitest';
import { FirstseenError } from '../../../src/base/errors.js';
import { Detector } from '../../../src/detectors/detector.js';
import type { Key } from '../../../src/detectors/key.js';

const encoder = new TextEncoder();

function create(options = {}): Promise<Detector> {
  return Detector.create({ algorithm: 'exact', memory: '64KiB', ...options });
}

describe('keys', () => {
  test('are distinguished by value and type', async () => {
    const detector = await create();
    const keys: Key[] = ['', 'a', 'b', 'ab', 'é', '1', 1, 0, 2 ** 53 - 1, 2n ** 64n - 1n, Uint8Array.of(0)];
    for (const key of keys) expect(detector.observe(key)).toBe('distinct');
    for (const key of keys) expect(detector.observe(key)).toBe('duplicate');
  });

  test('of text are its UTF-8 bytes', async () => {
    const detector = await create();
    detector.add('naïve ☕');
    expect(detector.test(encoder.encode('naïve ☕'))).toBe('duplicate');
  });

  test('as a number and as the same bigint are equal, and are not eight little-endian bytes', async () => {
    const detector = await create();
    detector.add(258);
    expect(detector.test(258n)).toBe('duplicate');
    expect(detector.test(Uint8Array.of(2, 1, 0, 0, 0, 0, 0, 0))).toBe('distinct');
  });

  test('are their own fingerprints under identity', async () => {
    const detector = await create({ fingerprint: 'identity' });
    expect(detector.fingerprint(77)).toBe(77n);
    expect(detector.fingerprint('77')).toBe(77n);
    expect(detector.fingerprint(2n ** 64n - 1n)).toBe(2n ** 64n - 1n);
    expect(() => detector.observe('seven')).toThrow(
      expect.objectContaining({
        code: 'E_KEY',
        message: expect.stringContaining('key "seven" is not a decimal integer'),
      }),
    );
  });

  test('have fingerprints that depend on the seed', async () => {
    const [first, second] = await Promise.all([create({ seed: 1 }), create({ seed: 2 })]);
    expect(first.fingerprint('a')).not.toBe(second.fingerprint('a'));
  });

  test.each<[unknown, string]>([
    [-1, 'key -1 is not a whole number from 0 to 2^64 - 1'],
    [0.5, 'key 0.5 is not a whole number'],
    [
      2 ** 53,
      'key 9007199254740992 is a number above 2^53 - 1, which may be rounded; pass such integers as bigints, such as 9007199254740992n; as text',
    ],
    [2 ** 64, 'is not a whole number'],
    [2n ** 64n, 'is not a whole number'],
    [Number.NaN, 'key NaN is not a whole number'],
    [null, 'a key has the type object; pass a string, bytes, a number or a bigint'],
    [undefined, 'do not observe a record for which keyOf returns undefined'],
    [['a'], 'a key has the type object'],
    ['x'.repeat(2 ** 20 + 1), 'a key has 1048577 bytes, but the limit is 1048576 bytes; hash the key first'],
    ['é'.repeat(600_000), 'a key has 1200000 bytes, but the limit is 1048576 bytes'],
    [new Uint8Array(2 ** 20 + 1), 'a key has 1048577 bytes'],
  ])('that cannot be fingerprinted are refused, and nothing is added (%#)', async (key, message) => {
    const detector = await create();
    expect(() => detector.observe(key as Key)).toThrow(
      expect.objectContaining({ code: 'E_KEY', message: expect.stringContaining(message) }),
    );
    expect(detector.observed).toBe(0);
  });

  test('of bytes whose buffer is detached are refused, and nothing is added', async () => {
    const detector = await create();
    const key = Uint8Array.of(1, 2);
    structuredClone(key, { transfer: [key.buffer] });
    expect(() => detector.observe(key)).toThrow(
      expect.objectContaining({ code: 'E_KEY', message: expect.stringContaining('the buffer of a key is detached') }),
    );
    expect(detector.observed).toBe(0);
  });

  test('of the maximum length are accepted', async () => {
    const detector = await create();
    expect(detector.observe('x'.repeat(2 ** 20))).toBe('distinct');
    expect(detector.observe(new Uint8Array(2 ** 20).fill(0x78))).toBe('duplicate');
  });
});

describe('batches', () => {
  test('write the answers to the given list', async () => {
    const detector = await create();
    const verdicts = new Uint8Array(5).fill(7);
    expect(detector.observeBatch(BigUint64Array.of(1n, 1n, 2n), verdicts)).toBe(verdicts);
    expect([...verdicts]).toEqual([0, 1, 0, 7, 7]);
  });

  test('are refused if the list is too short, and nothing is added', async () => {
    const detector = await create();
    const batch = () => detector.observeBatch(new BigUint64Array(3), new Uint8Array(2));
    expect(batch).toThrow(FirstseenError);
    expect(batch).toThrow(
      'verdicts has 2 bytes, but there are 3 fingerprints; pass a Uint8Array of as many bytes as fingerprints',
    );
    expect(detector.observed).toBe(0);
  });

  test.each<[unknown, unknown]>([
    [[1n], undefined],
    [Uint8Array.of(1), undefined],
    [BigUint64Array.of(1n), [0]],
  ])('of anything but typed arrays are refused (%#)', async (fingerprints, verdicts) => {
    const detector = await create();
    for (const answer of ['observeBatch', 'testBatch'] as const) {
      expect(() => detector[answer](fingerprints as BigUint64Array, verdicts as Uint8Array)).toThrow(
        expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining('pass a BigUint64Array') }),
      );
    }
    expect(detector.observed).toBe(0);
  });

  test('without elements give no answers', async () => {
    expect(await create().then((detector) => detector.observeBatch(new BigUint64Array()))).toHaveLength(0);
  });

  test('recognize keys by their fingerprints', async () => {
    const detector = await create();
    detector.add('some key');
    expect([...detector.testBatch(BigUint64Array.of(detector.fingerprint('some key'), 4n))]).toEqual([1, 0]);
  });
});
