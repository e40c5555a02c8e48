// Claims as a server holds them: many at once, found by a token, with leases of their own, and kept over a restart.

import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../src/claims/claim.js';
import { createClaims } from '../../../src/claims/open.js';
import type { ClaimsOptions } from '../../../src/claims/options.js';
import { Detector } from '../../../src/detectors/detector.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { randomFrom } from '../../support/random.js';

const LEASE_MILLISECONDS = 100;

function claimsOver(detector: Detector, options: ClaimsOptions = {}) {
  const clock = { milliseconds: 0 };
  const now = () => clock.milliseconds;
  return { detector, clock, claims: createClaims(detector, { lease: LEASE_MILLISECONDS, now, ...options }) };
}

async function createTimed(options: ClaimsOptions = {}) {
  return claimsOver(await Detector.create({ algorithm: 'exact', memory: '64KiB' }), options);
}

describe('a token', () => {
  test('makes its claim distinct again, with a lease that begins again', async () => {
    const { clock, claims } = await createTimed();
    claims.claim('a', { token: 'one' });
    clock.milliseconds = 60;
    expect(claims.claim('a', { token: 'other' })).toEqual({ verdict: 'pending', remainingMilliseconds: 40 });
    expect(claims.claim('a').verdict).toBe('pending');
    const again = claims.claim('a', { token: 'one' });
    expect(again.verdict).toBe('distinct');
    clock.milliseconds = 159;
    expect(claims.claim('a').verdict).toBe('pending');
    expect((again as Claim).commit()).toBe('committed');
    expect(claims.claim('a', { token: 'one' }).verdict).toBe('duplicate');
    expect(claims.stats()).toMatchObject({ pending: 0, committed: 1, late: 0 });
  });

  test('finds the claim that holds the key, and no other', async () => {
    const { clock, claims } = await createTimed();
    const first = claims.claim('a', { token: 'one' }) as Claim;
    expect(claims.find('a', 'other')).toBeUndefined();
    expect(claims.find('b', 'one')).toBeUndefined();
    clock.milliseconds = LEASE_MILLISECONDS;
    expect(claims.find('a', 'one')).toBeUndefined();
    claims.claim('a', { token: 'two' });
    expect(claims.find('a', 'one')).toBeUndefined();
    const found = claims.find('a', 'two');
    expect(found?.extend()).toBe(true);
    expect(found?.commit()).toBe('committed');
    expect(first.commit()).toBe('late');
  });

  test('of a claim that was settled elsewhere has its outcome everywhere', async () => {
    const { claims } = await createTimed();
    const [first, again] = [1, 2].map(() => claims.claim('a', { token: 'one' }) as Claim) as [Claim, Claim];
    expect(first.commit()).toBe('committed');
    expect(again.commit()).toBe('committed');
    expect(again.abort()).toBe(false);
    const [aborted, other] = [1, 2].map(() => claims.claim('b', { token: 'one' }) as Claim) as [Claim, Claim];
    expect(aborted.abort()).toBe(true);
    expect(() => other.commit()).toThrow(expect.objectContaining({ code: 'E_CLAIM_ABORTED' }));
  });

  test.each(['', 7, null])('that is %j is refused', async (token) => {
    const { claims } = await createTimed();
    const refused = expect.objectContaining({ code: 'E_PARAMETER' });
    expect(() => claims.claim('a', { token } as never)).toThrow(refused);
    expect(() => claims.find('a', token as never)).toThrow(refused);
    expect(claims.stats().pending).toBe(0);
  });
});

describe('many claims', () => {
  test('have the answers of single ones, in order', async () => {
    const [many, single] = await Promise.all([createTimed(), createTimed()]);
    const keys = ['a', 'b', 'a', 'c', 'c'];
    const contexts = [{ token: '1' }, undefined, { token: '2' }, { token: '3' }, { token: '3' }];
    for (const { claims } of [many, single]) (claims.claim('b') as Claim).commit();
    const answers = many.claims.claimMany(keys, contexts).map(({ verdict }) => verdict);
    expect(answers).toEqual(['distinct', 'duplicate', 'pending', 'distinct', 'distinct']);
    expect(answers).toEqual(keys.map((key, i) => single.claims.claim(key, contexts[i]).verdict));
    expect(many.claims.stats()).toEqual(single.claims.stats());
  });

  test('are all aborted if one is refused, but not those that were held before', async () => {
    const { claims } = await createTimed({ pending: 3 });
    claims.claim('a', { token: '1' });
    const asked = () => claims.claimMany(['a', 'b', 'c', 'd'], [{ token: '1' }]);
    expect(asked).toThrow(expect.objectContaining({ code: 'E_CLAIMS_FULL' }));
    expect(claims.heldClaims().map(({ token }) => token)).toEqual(['1']);
  });

  test('are committed, aborted and extended where the token is theirs', async () => {
    const { detector, clock, claims } = await createTimed();
    const keys = ['a', 'b', 'c', 'd'];
    const tokens = ['1', '2', '3', '4'];
    claims.claimMany(keys, [{ token: '1' }, { token: '2' }, { token: 'x' }, { token: '4' }]);
    clock.milliseconds = 60;
    expect(claims.extendMany(keys, tokens)).toEqual([true, true, false, true]);
    clock.milliseconds = 120;
    expect(claims.abortMany(['b', 'e'], ['2', '5'])).toEqual([true, false]);
    expect(claims.commitMany([...keys, 'a'], [...tokens, '1'])).toEqual([true, false, false, true, false]);
    expect(keys.map((key) => detector.test(key))).toEqual(['duplicate', 'distinct', 'distinct', 'duplicate']);
    expect(claims.stats()).toMatchObject({ pending: 0, committed: 2, aborted: 1, expired: 1 });
    expect(() => claims.commitMany(['a'], [])).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });
});

test('leases of different lengths end in the order of their ends', async () => {
  const { clock, claims } = await createTimed();
  const random = randomFrom(19);
  const below = (limit: number) => Math.floor(random() * limit);
  const ends = new Map<string, number>();
  for (let round = 0; round < 3000; round++) {
    const key = `key ${below(400)}`;
    const lease = 1 + below(500);
    clock.milliseconds += below(3);
    for (const [held, end] of ends) if (end <= clock.milliseconds) ends.delete(held);
    const isAnswered = claims.claim(key, { token: key, lease }).verdict === 'distinct';
    expect(isAnswered).toBe(true);
    ends.set(key, clock.milliseconds + lease);
    if (below(5) === 0 && claims.find(key, key)?.abort()) ends.delete(key);
    const held = claims
      .heldClaims(clock.milliseconds)
      .map(({ token, expiresAtMilliseconds }) => [token, expiresAtMilliseconds]);
    expect(new Map(held as [string, number][])).toEqual(ends);
  }
});

describe('held claims', () => {
  test('hold their keys after a restart for the time that is left', async () => {
    const before = await createTimed({ answers: '1MiB' });
    before.claims.claim('late', { token: '1' });
    before.clock.milliseconds = 50;
    before.claims.claim('a', { token: '2', body: 'x' });
    before.claims.claim('b', { lease: Number.POSITIVE_INFINITY });
    (before.claims.claim('c', { token: '3' }) as Claim).commit();
    const held = before.claims.heldClaims(1_000_000);
    expect(held).toHaveLength(3);

    const after = claimsOver(await load(await save(before.detector)), { answers: '1MiB', pending: 1 });
    // The program did not run for 60 ms.
    expect(after.claims.restoreClaims(structuredClone(held), 1_000_060)).toBe(2);
    // It is not held, so it would be a new claim.
    expect(() => after.claims.claim('late')).toThrow(expect.objectContaining({ code: 'E_CLAIMS_FULL' }));
    expect(after.claims.claim('a')).toEqual({ verdict: 'pending', remainingMilliseconds: 40 });
    expect(after.claims.claim('a', { body: 'y' }).verdict).toBe('mismatch');
    expect(after.claims.claim('b')).toMatchObject({ remainingMilliseconds: Number.POSITIVE_INFINITY });
    expect(after.claims.find('a', '2')?.extend()).toBe(true);
    expect(after.claims.commitMany(['a'], ['2'])).toEqual([true]);
  });

  test('hold their keys no longer than their leases, also if the wall clock was set back', async () => {
    const { claims } = await createTimed();
    claims.claim('a', { token: '1', lease: 100 });
    claims.claim('b', { token: '2', lease: Number.POSITIVE_INFINITY });
    const held = claims.heldClaims(1_000_000);
    claims.abortMany(['a', 'b'], ['1', '2']);
    expect(claims.restoreClaims(held, 0)).toBe(2);
    expect(claims.claim('a')).toEqual({ verdict: 'pending', remainingMilliseconds: 100 });
    expect(claims.claim('b')).toMatchObject({ remainingMilliseconds: Number.POSITIVE_INFINITY });
  });

  test('that are seen or held are left out', async () => {
    const { detector, claims } = await createTimed();
    claims.claimMany(['a', 'b', 'c'], [{ token: '1' }, { token: '2' }, { token: '3' }]);
    const held = claims.heldClaims(0);
    claims.abortMany(['b', 'c'], ['2', '3']);
    detector.add('b');
    expect(claims.restoreClaims([...held, ...held], 0)).toBe(1);
    expect(claims.stats().pending).toBe(2);
    expect(claims.find('c', '3')).toBeDefined();
  });

  test.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['a fingerprint that is a number', { fingerprint: 1 }],
    ['no end', { fingerprint: 1n, leaseMilliseconds: 5 }],
  ])('%s is refused', async (_, held) => {
    const { claims } = await createTimed();
    expect(() => claims.restoreClaims([held as never])).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
  });
});
