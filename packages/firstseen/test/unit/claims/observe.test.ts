// Observing keys of a detector that has claims: a key that a claim holds is pending, and is not added.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClaims } from '../../../src/claims/open.js';
import { Detector } from '../../../src/detectors/detector.js';

async function createHolding(memory = '64KiB') {
  const detector = await Detector.create({ algorithm: 'exact', memory });
  const clock = { milliseconds: 0 };
  return { detector, clock, claims: createClaims(detector, { lease: 100, now: () => clock.milliseconds }) };
}

test('a key that a claim holds is pending and not added', async () => {
  const { detector, claims } = await createHolding();
  const claim = claims.claim('a');
  expect(claims.observe('a')).toBe('pending');
  expect(detector.observed).toBe(0);
  expect(claims.observe('b')).toBe('distinct');
  expect(claims.observe('b')).toBe('duplicate');
  expect(claim.verdict === 'distinct' && claim.commit()).toBe('committed');
  expect(claims.observe('a')).toBe('duplicate');
});

test('a key is observed once its claim was aborted or has expired', async () => {
  const { clock, claims } = await createHolding();
  const claim = claims.claim('a');
  claims.claim('b');
  if (claim.verdict === 'distinct') claim.abort();
  expect(claims.observe('a')).toBe('distinct');
  clock.milliseconds = 99;
  expect(claims.observe('b')).toBe('pending');
  clock.milliseconds = 100;
  expect(claims.observe('b')).toBe('distinct');
});

test('a batch has the answers of single keys, wherever the keys that are held are in it', async () => {
  const [one, other] = await Promise.all([createHolding(), createHolding()]);
  const key = fc.nat(30).map((number) => `key ${number}`);
  fc.assert(
    fc.property(fc.array(key, { maxLength: 12 }), fc.array(key, { maxLength: 40 }), (held, observed) => {
      for (const { claims } of [one, other]) for (const name of held) claims.claim(name);
      const fingerprints = BigUint64Array.from(observed, (name) => one.detector.fingerprint(name));
      const words = ['distinct', 'duplicate', 'pending'];
      const answers = Array.from(one.claims.observeBatch(fingerprints), (verdict) => words[verdict]);
      expect(answers).toEqual(observed.map((name) => other.claims.observe(name)));
      expect(one.detector.observed).toBe(other.detector.observed);
      for (const { clock } of [one, other]) clock.milliseconds += 60;
    }),
    { seed: 18, numRuns: 100 },
  );
});

test('the elements before one that has no room are answered', async () => {
  const { detector, claims } = await createHolding('1KiB');
  claims.claim('held');
  const held = detector.fingerprint('held');
  const fingerprints = BigUint64Array.from({ length: 300 }, (_, i) => (i === 2 ? held : BigInt(i + 1) << 40n));
  const verdicts = new Uint8Array(300).fill(9);
  expect(() => claims.observeBatch(fingerprints, verdicts)).toThrow(expect.objectContaining({ code: 'E_FULL' }));
  expect([...verdicts.subarray(0, detector.observed + 2)]).toEqual([
    ...[0, 0, 2],
    ...Array.from({ length: detector.observed - 2 }, () => 0),
    9,
  ]);
});
