// Observing keys of a detector that has claims: a key that a claim holds is pending, and is not added.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Claim } from '../../../src/claims/claim.js';
import { createClaims } from '../../../src/claims/open.js';
import { Detector } from '../../../src/detectors/detector.js';
import { dedupBytesTransform } from '../../../src/node.js';
import { dedup } from '../../../src/streams/stream.js';

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

/** A full detector, but for the room of two keys that are held. */
async function createFull() {
  const holding = await createHolding('1KiB');
  const { detector, claims } = holding;
  const held = ['a', 'b'].map((name) => claims.claim(name) as Claim);
  const capacityElements = Number(detector.stats().parameters.n);
  for (let i = 2; i < capacityElements; i++) expect(claims.observe(i)).toBe('distinct');
  return { ...holding, held, capacityElements };
}

const full = expect.objectContaining({
  code: 'E_FULL',
  message: expect.stringContaining('no room for another element besides 2 keys that claims hold'),
});

test('room is kept for the keys that claims hold, and their commits take it', async () => {
  const { detector, claims, held, capacityElements } = await createFull();
  expect(() => claims.observe('new')).toThrow(full);
  expect(() => claims.claim('new')).toThrow(full);
  // What is known needs no room.
  expect(claims.observe(2)).toBe('duplicate');
  expect(claims.observe('a')).toBe('pending');
  const verdicts = new Uint8Array(4).fill(9);
  const fingerprints = BigUint64Array.from([2, 'a', 3, 'new'], (key) => detector.fingerprint(key));
  expect(() => claims.observeBatch(fingerprints, verdicts)).toThrow(full);
  expect([...verdicts]).toEqual([1, 2, 1, 9]);
  expect(held.map((claim) => claim.commit())).toEqual(['committed', 'committed']);
  expect(detector.observed - detector.duplicates).toBe(capacityElements);
});

test('the room of a claim that was aborted is free', async () => {
  const { claims, held } = await createFull();
  held[0]?.abort();
  expect(claims.observe('new')).toBe('distinct');
  expect(held[1]?.commit()).toBe('committed');
});

test('a late commit takes no room that is kept for other keys', async () => {
  const { clock, claims, held } = await createFull();
  clock.milliseconds = 100;
  const others = ['c', 'd'].map((name) => claims.claim(name) as Claim);
  expect(() => held[0]?.commit()).toThrow(full);
  expect(others.map((claim) => claim.commit())).toEqual(['committed', 'committed']);
});

test('streams take no room that is kept for keys that are held', async () => {
  const { detector, held } = await createFull();
  const passed: unknown[] = [];
  const items = async () => {
    for await (const item of dedup(['2', 'new'], { detector, key: (text) => (text === '2' ? 2 : text) }))
      passed.push(item);
  };
  await expect(items()).rejects.toThrow(full);
  const lines = dedupBytesTransform({ detector });
  lines.end('new\n');
  await expect(lines.toArray()).rejects.toThrow(full);
  expect(passed).toEqual([]);
  expect(held.map((claim) => claim.commit())).toEqual(['committed', 'committed']);
});
