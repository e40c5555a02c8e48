// observeMany and testMany answer as single calls do, whatever the keys are.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Detector } from '../../src/detectors/detector.js';
import type { Key } from '../../src/detectors/key.js';
import { contentsOf, createDetector } from '../support/cases.js';
import { inLongForm } from '../support/form.js';
import { pairOf, pairSettings } from '../support/pairs.js';

const MAX_KEY_BYTES = 2 ** 20;

/** Halves of surrogate pairs, which become pairs when texts are joined. */
const halves = fc.constantFrom('\ud83d', '\ude00', 'a\ud83d', '\ude00b', '\ud83d\ude00');
/** Characters of one to four bytes, and the one that an encoder writes for half of a pair. */
const alphabet = fc.constantFrom('a', 'b', ' ', 'é', 'я', 'ж', '世', '，', '\ufffd', '😀');
/** Any character. The unit `binary` of fast-check is the same, but builds a map of all characters, which takes seconds. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff });
const keys = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
    { weight: 2, arbitrary: fc.array(codePoint, { maxLength: 6 }).map((points) => String.fromCodePoint(...points)) },
    { weight: 2, arbitrary: halves },
    { weight: 2, arbitrary: fc.string({ unit: alphabet, maxLength: 40 }) },
    fc.constantFrom('', 'é', 'a'.repeat(20_000), 'é'.repeat(9_000)),
    // Texts of more than 200 units are encoded one by one.
    fc.tuple(fc.integer({ min: 190, max: 210 }), halves).map(([length, half]) => 'я'.repeat(length) + half),
    fc.uint8Array({ maxLength: 12 }),
    fc.nat(),
    fc.maxSafeNat(),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  ),
  { maxLength: 60 },
);

/** The answers of single calls, as bytes, which are compared at once. */
function verdictsOf(detector: Detector, given: readonly Key[]): Uint8Array {
  return Uint8Array.from(given, (key) => (detector.observe(key) === 'duplicate' ? 1 : 0));
}

const verdictOf = (verdict: number | undefined) => (verdict === 1 ? 'duplicate' : 'distinct');

describe.each(pairSettings)('with %s', (_, options) => {
  test('keys have the answers of single calls', async () => {
    const [many, single] = (await pairOf(options)) as [Detector, Detector];
    fc.assert(
      fc.property(keys, (given) => {
        expect([...many.testMany(given)].map(verdictOf)).toEqual(given.map((key) => single.test(key)));
        expect([...many.observeMany(given.values())].map(verdictOf)).toEqual(given.map((key) => single.observe(key)));
        expect(contentsOf(many)).toEqual(contentsOf(single));
      }),
      { seed: 16, numRuns: inLongForm(200, 15) },
    );
  });
});

test('more keys than a batch, and more bytes than the region of keys', async () => {
  const [many, single] = (await pairOf()) as [Detector, Detector];
  const long = ['x', 'é', '\ud83d'].map((unit) => unit.repeat(MAX_KEY_BYTES / 3 - 1));
  const bytes = new Uint8Array(MAX_KEY_BYTES).fill(7);
  const short = Array.from({ length: inLongForm(40_000, 20_000) }, (_, i) => `key ${i % 15_000}`);
  const given: Key[] = [1, ...long, bytes, 2n, bytes, 'a', bytes.subarray(1), ...short, bytes.subarray(2), 3, ...long];
  expect(many.observeMany(given)).toEqual(verdictsOf(single, given));
  expect(contentsOf(many)).toBe(contentsOf(single));
});

test.each([
  ['Latin-1', 'naïve café'],
  ['Cyrillic', 'первый раз'],
  ['fullwidth', '世界，你好'],
  ['emoji', '😀a😀😀'],
  ['replaced', 'caf\ufffd'],
])('batches of %s text of all lengths', async (_, characters) => {
  const [many, single] = (await pairOf()) as [Detector, Detector];
  const text = [...characters.repeat(70)];
  const given = Array.from({ length: 3000 }, (_, i) => text.slice(i % 11, (i * 7) % 130).join(''));
  expect(many.observeMany(given)).toEqual(verdictsOf(single, given));
  expect(contentsOf(many)).toBe(contentsOf(single));
});

test('reading a key may use the same detector, and each key is read once', async () => {
  const [many, single] = (await pairOf({ algorithm: 'exact' })) as [Detector, Detector];
  for (const earlier of [Uint8Array.of(1, 2, 3), 7, 'first', 'a long text '.repeat(30)]) {
    let reads = 0;
    const given: Key[] = [earlier, '', 'last'];
    const read = () => {
      many.test('other');
      return `text ${reads++}`;
    };
    Object.defineProperty(given, 1, { get: read });
    many.observeMany(given);
    expect(reads).toBe(1);
    for (const key of [earlier, 'text 0', 'last']) single.observe(key);
  }
  expect(contentsOf(many)).toBe(contentsOf(single));
});

test('keys in the memory of the verdicts', async () => {
  const [many, single] = (await pairOf()) as [Detector, Detector];
  const bytes = Uint8Array.from({ length: 200_000 }, (_, i) => (i >> 2) % 251);
  const given = Array.from({ length: 50_000 }, (_, i) => bytes.subarray(4 * i, 4 * i + 4));
  const expected = verdictsOf(single, given);
  const verdicts = bytes.subarray(100_000, 150_000);
  expect(many.observeMany(given, verdicts)).toEqual(expected);
});

describe('a key that is refused', () => {
  const refused: [string, unknown, object][] = [
    ['another type', {}, {}],
    ['no key', undefined, {}],
    ['a number that is not whole', 0.5, {}],
    ['too long', 'x'.repeat(MAX_KEY_BYTES + 1), {}],
    ['too many bytes', new Uint8Array(MAX_KEY_BYTES + 1), {}],
    ['not an integer, under identity', 'seven', { fingerprint: 'identity' }],
  ];

  test.each(refused)('of %s: the keys before it are added and answered', async (_, key, options) => {
    const [many, single] = (await pairOf({ algorithm: 'exact', ...options })) as [Detector, Detector];
    const given = ['1', '2', '1', key, '3'] as Key[];
    for (const before of given.slice(0, 3)) single.observe(before);
    const verdicts = new Uint8Array(5).fill(9);
    expect(() => many.observeMany(given, verdicts)).toThrow(expect.objectContaining({ code: 'E_KEY' }));
    expect([...verdicts]).toEqual([0, 0, 1, 9, 9]);
    expect(contentsOf(many)).toBe(contentsOf(single));
    expect(many.observe('3')).toBe('distinct');
  });

  test('that does not fit: the keys before it are added and answered', async () => {
    const detector = await createDetector({ algorithm: 'exact', memory: 1024 });
    const verdicts = new Uint8Array(1000).fill(9);
    const given = Array.from({ length: 1000 }, (_, i) => i);
    expect(() => detector.observeMany(given, verdicts)).toThrow(expect.objectContaining({ code: 'E_FULL' }));
    expect(verdicts.indexOf(9)).toBe(detector.observed);
    expect(detector.observed).toBeGreaterThan(50);
  });
});

test.each<[unknown, unknown, string]>([
  ['abc', undefined, 'keys is "abc", but must be an array of keys, or another iterable'],
  [new Uint8Array(3), undefined, 'keys is'],
  [7, undefined, 'keys is 7'],
  [undefined, undefined, 'keys is'],
  [['a', 'b'], new Uint8Array(1), 'verdicts has 1 bytes, but there are 2 keys'],
  [['a'], [0], 'verdicts is not a Uint8Array, but there are 1 keys'],
])('%o with %o is refused', async (given, verdicts, message) => {
  const detector = await createDetector({ algorithm: 'exact', memory: 1024 });
  for (const method of ['observeMany', 'testMany'] as const) {
    expect(() => detector[method](given as never, verdicts as never)).toThrow(
      expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining(message) }),
    );
  }
  expect(detector.observed).toBe(0);
});
