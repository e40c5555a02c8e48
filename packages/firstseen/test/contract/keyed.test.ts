// A keyed detector is a detector of the same family with another seed, which only the secret's holder can compute, and
// another fingerprint.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../../src/detectors/settings.js';
import { create, load, save } from '../../src/index.js';
import { referenceIntegers } from '../reference/integers.js';
import { keyedSeed, referenceSiphash } from '../reference/siphash.js';
import {
  contentsOf,
  createDetector,
  defaultCases,
  defaultPartitionedCases,
  partitionedKindOf,
} from '../support/cases.js';
import { coverOf, sampleNote } from '../support/form.js';
import { kernelNames } from '../support/kernels.js';

const secret = Uint8Array.from({ length: 16 }, (_, i) => 31 * i + 7);
const otherSecret = secret.map((byte, i) => (i === 15 ? byte ^ 1 : byte));

/** Keys with repeats at short and long distances. */
const keys = Array.from({ length: 1200 }, (_, i) => `key ${i % 3 === 0 ? Math.floor(i / 5) : i}`);
const bytesOf = (key: string) => new TextEncoder().encode(key);

const cases = [...defaultCases('1KiB'), ...defaultPartitionedCases('4KiB')];
const seeded = cases.flatMap((entry) => [0n, 5n, 2n ** 64n - 1n].map((seed) => ({ ...entry, seed })));

describe(`every family${sampleNote}`, () => {
  test.each(coverOf(seeded, (entry) => [partitionedKindOf(entry), `${entry.options.layout} ${entry.seed}`]))(
    '$name answers like its twin with the seed that the secret derives from seed $seed',
    async ({ row, options, seed }) => {
      const settings = resolveSettings({ ...options, seed, secret });
      const twin = row.create({ ...settings, seed: keyedSeed(seed, secret) });
      const answers: (0 | 1)[] = [];
      try {
        for (const key of keys) answers.push(twin.observe(referenceSiphash(bytesOf(key), secret)));
      } catch {
        expect(answers.length).toBeGreaterThan(100);
      }
      const expected = answers.map((answer) => (answer === 1 ? 'duplicate' : 'distinct'));
      for (const kernel of kernelNames) {
        const detector = await createDetector({ ...options, seed, secret }, kernel);
        expect(keys.slice(0, answers.length).map((key) => detector.observe(key))).toEqual(expected);
        expect(detector.stats().load).toBeCloseTo(twin.load(), 12);
      }
    },
  );

  test.each(cases)(
    '$name has other cells with another secret, another seed and without a secret',
    async ({ options }) => {
      const all = await Promise.all(
        [{ ...options, secret }, { ...options, secret: otherSecret }, { ...options, secret, seed: 43 }, options].map(
          (each) => createDetector(each),
        ),
      );
      for (const detector of all) for (const key of keys.slice(0, 100)) detector.observe(key);
      expect(new Set(all.map(contentsOf)).size).toBe(all.length);
    },
  );
});

test('the fingerprint is SipHash-2-4 keyed with the secret, and for integers half of its output of 128 bits', async () => {
  const detector = await create({ memory: '1KiB', secret });
  expect(detector.fingerprint('a key')).toBe(referenceSiphash(bytesOf('a key'), secret));
  expect(detector.fingerprint(77)).toBe(referenceIntegers.siphash(77n, secret));
  expect(detector.stats().fingerprint).toBe('siphash');
});

test('a secret in hexadecimal digits equals the same secret in bytes, and random secrets differ', async () => {
  const digits = Buffer.from(secret).toString('hex');
  const fingerprints = await Promise.all(
    [secret, digits, 'random', 'random'].map(async (given) =>
      (await create({ memory: '1KiB', secret: given })).fingerprint('a key'),
    ),
  );
  expect(fingerprints[0]).toBe(fingerprints[1]);
  expect(new Set(fingerprints).size).toBe(3);
});

test('a loaded detector continues with the secret of the saved one, also with a random secret', async () => {
  const saved = await create({ memory: '1KiB', secret: 'random', seed: 9 });
  for (const key of keys.slice(0, 600)) saved.observe(key);
  const loaded = await load(await save(saved));
  expect(keys.slice(600).map((key) => loaded.observe(key))).toEqual(keys.slice(600).map((key) => saved.observe(key)));
  expect(await save(loaded)).toEqual(await save(saved));
});

test('printing a detector or its statistics never shows the secret or the seed derived from it', async () => {
  const detector = await create({ memory: '1KiB', secret });
  detector.observe('a key');
  const isBigint = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
  const shown = [
    inspect(detector, { depth: 9, showHidden: true, maxArrayLength: 100 }),
    JSON.stringify(detector.stats(), isBigint),
    JSON.stringify(detector.settings, isBigint),
  ].join('\n');
  expect(shown).toContain('siphash');
  const hidden = [
    Buffer.from(secret).toString('hex'),
    Buffer.from(secret).toString('base64'),
    secret.subarray(0, 4).join(','),
    secret.subarray(0, 4).join(', '),
    String(keyedSeed(0n, secret)),
  ];
  for (const text of hidden) expect(shown).not.toContain(text);
});

test.each([
  [{ fingerprint: 'siphash' } as const, 'fingerprint siphash requires secret; give secret, or leave fingerprint out'],
  [
    { fingerprint: 'identity', secret } as const,
    'fingerprint identity was given with secret, but hashes without a secret',
  ],
  [{ secret: 'guess' }, 'secret is text of 5 characters'],
])('%# is refused with E_PARAMETER', async (options, message) => {
  await expect(create(options)).rejects.toThrow(
    expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining(message) }),
  );
});
