import { describe, expect, test } from 'vitest';
import type { Claim } from '../../../src/claims/claim.js';
import { createClaims } from '../../../src/claims/open.js';
import type { ClaimsOptions } from '../../../src/claims/options.js';
import { Detector } from '../../../src/detectors/detector.js';
import { create } from '../../../src/index.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';

const LEASE_MILLISECONDS = 100;

/** Claims with a clock that advances only when it is set. */
async function createTimed(options: ClaimsOptions = {}) {
  const detector = await Detector.create({ algorithm: 'exact', memory: '64KiB' });
  const clock = { milliseconds: 0 };
  const now = () => clock.milliseconds;
  const claims = createClaims(detector, { pending: 3, lease: LEASE_MILLISECONDS, now, ...options });
  const claimed = (key: string): Claim => {
    const answer = claims.claim(key);
    if (answer.verdict !== 'distinct') throw new Error(`${key} is ${answer.verdict}`);
    return answer;
  };
  return { detector, clock, claims, claimed, verdict: (key: string) => claims.claim(key).verdict };
}

describe('a claim', () => {
  test('holds its key until it is committed, and the key is seen from then on', async () => {
    const { detector, claims, claimed, verdict } = await createTimed();
    const claim = claimed('a');
    expect(claims.claim('a')).toEqual({ verdict: 'pending', remainingMilliseconds: LEASE_MILLISECONDS });
    expect(detector.test('a')).toBe('distinct');
    expect(claim.commit()).toBe('committed');
    expect(detector.test('a')).toBe('duplicate');
    expect(verdict('a')).toBe('duplicate');
  });

  test('releases its key when it is aborted', async () => {
    const { detector, claimed, verdict } = await createTimed();
    expect(claimed('a').abort()).toBe(true);
    expect(detector.observed).toBe(0);
    expect(verdict('a')).toBe('distinct');
  });

  test('loses its key exactly when its lease expires', async () => {
    const { clock, claims, claimed, verdict } = await createTimed();
    claimed('a');
    clock.milliseconds = LEASE_MILLISECONDS - 1;
    expect(claims.claim('a')).toEqual({ verdict: 'pending', remainingMilliseconds: 1 });
    clock.milliseconds = LEASE_MILLISECONDS;
    expect(verdict('a')).toBe('distinct');
  });

  test('holds its key forever if its lease is endless', async () => {
    const { clock, claims, claimed } = await createTimed({ lease: Number.POSITIVE_INFINITY });
    claimed('a');
    clock.milliseconds = Number.MAX_VALUE;
    expect(claims.claim('a')).toEqual({ verdict: 'pending', remainingMilliseconds: Number.POSITIVE_INFINITY });
  });

  test('restarts its lease when it is extended, after those claimed in the meantime', async () => {
    const { clock, claimed, verdict } = await createTimed();
    const extended = claimed('a');
    clock.milliseconds = 60;
    claimed('b');
    expect(extended.extend()).toBe(true);
    clock.milliseconds = 159;
    expect([verdict('a'), verdict('b')]).toEqual(['pending', 'pending']);
    clock.milliseconds = 160;
    expect([verdict('a'), verdict('b')]).toEqual(['distinct', 'distinct']);
  });

  test('works when its methods are called detached', async () => {
    const { claimed, verdict } = await createTimed();
    const { commit, extend } = claimed('a');
    const { abort } = claimed('b');
    expect([extend(), commit(), abort()]).toEqual([true, 'committed', true]);
    expect([verdict('a'), verdict('b')]).toEqual(['duplicate', 'distinct']);
  });
});

describe('a settled claim', () => {
  test('is committed once, however often commit is called', async () => {
    const { detector, claimed } = await createTimed();
    const claim = claimed('a');
    expect([claim.commit(), claim.commit()]).toEqual(['committed', 'committed']);
    expect(detector.observed).toBe(1);
  });

  test('is not undone by an abort after the commit', async () => {
    const { claimed, verdict } = await createTimed();
    const claim = claimed('a');
    claim.commit();
    expect([claim.abort(), claim.extend()]).toEqual([false, false]);
    expect(verdict('a')).toBe('duplicate');
  });

  test('refuses a commit after the abort, and marks nothing', async () => {
    const { detector, claimed } = await createTimed();
    const claim = claimed('a');
    expect([claim.abort(), claim.abort(), claim.extend()]).toEqual([true, false, false]);
    expect(() => claim.commit()).toThrow(
      expect.objectContaining({ code: 'E_CLAIM_ABORTED', message: expect.stringContaining('not marked seen') }),
    );
    expect(detector.observed).toBe(0);
  });

  test('does not affect a later claim of the same key', async () => {
    const { claimed, verdict } = await createTimed();
    const first = claimed('a');
    first.abort();
    const second = claimed('a');
    expect([first.abort(), first.extend()]).toEqual([false, false]);
    expect(() => first.commit()).toThrow(expect.objectContaining({ code: 'E_CLAIM_ABORTED' }));
    expect(verdict('a')).toBe('pending');
    expect(second.commit()).toBe('committed');
  });
});

describe('a claim whose lease expired', () => {
  test('still marks its key seen when it is committed, because its record was delivered', async () => {
    const { clock, claims, claimed, verdict } = await createTimed();
    const claim = claimed('a');
    clock.milliseconds = LEASE_MILLISECONDS;
    expect(claim.extend()).toBe(false);
    expect([claim.commit(), claim.commit()]).toEqual(['late', 'late']);
    expect(verdict('a')).toBe('duplicate');
    expect(claims.stats()).toMatchObject({ pending: 0, committed: 0, expired: 1, late: 1 });
  });

  test('also ends a newer claim of the key, which its holder can detect before it delivers', async () => {
    const { clock, claims, claimed, verdict } = await createTimed();
    const slow = claimed('a');
    clock.milliseconds = LEASE_MILLISECONDS;
    const second = claimed('a');
    expect(second.extend()).toBe(true);
    expect(slow.commit()).toBe('late');
    expect(verdict('a')).toBe('duplicate');
    expect(second.extend()).toBe(false);
    expect(claims.stats()).toMatchObject({ pending: 0, committed: 1, expired: 1, late: 1 });
  });

  test('leaves a newer claim of the key committed too, if that record was delivered as well', async () => {
    const { clock, claimed, verdict } = await createTimed();
    const slow = claimed('a');
    clock.milliseconds = LEASE_MILLISECONDS;
    const second = claimed('a');
    expect([slow.commit(), second.commit()]).toEqual(['late', 'late']);
    expect(second.abort()).toBe(false);
    expect(verdict('a')).toBe('duplicate');
  });

  test('does not release a newer claim of the key when it is aborted', async () => {
    const { clock, claimed, verdict } = await createTimed();
    const slow = claimed('a');
    clock.milliseconds = LEASE_MILLISECONDS;
    const second = claimed('a');
    expect(slow.abort()).toBe(false);
    expect(verdict('a')).toBe('pending');
    expect(second.commit()).toBe('committed');
  });
});

describe('a full table', () => {
  test('refuses a new key with a typed error and answers all others', async () => {
    const { detector, claims, claimed, verdict } = await createTimed();
    detector.add('seen');
    const first = claimed('a');
    claimed('b');
    claimed('c');
    expect(() => claims.claim('d')).toThrow(
      expect.objectContaining({
        code: 'E_CLAIMS_FULL',
        message:
          'a new key was claimed, but 3 keys are pending, the maximum; commit or abort a claim, wait for a lease to expire, or raise pending',
      }),
    );
    expect([verdict('seen'), verdict('a'), verdict('b')]).toEqual(['duplicate', 'pending', 'pending']);
    first.commit();
    expect(verdict('d')).toBe('distinct');
  });

  test('has room again when a lease has expired', async () => {
    const { clock, claims, claimed, verdict } = await createTimed({ pending: 1 });
    claimed('a');
    clock.milliseconds = LEASE_MILLISECONDS;
    expect(verdict('b')).toBe('distinct');
    expect(claims.stats()).toMatchObject({ pending: 1, expired: 1 });
  });
});

describe('a clock that goes back', () => {
  test('counts as stopped: leases expire in order', async () => {
    const { clock, claims, claimed, verdict } = await createTimed();
    clock.milliseconds = 50;
    claimed('a');
    clock.milliseconds = 0;
    claimed('b');
    expect(claims.claim('b')).toEqual({ verdict: 'pending', remainingMilliseconds: LEASE_MILLISECONDS });
    clock.milliseconds = 150;
    expect([verdict('a'), verdict('b')]).toEqual(['distinct', 'distinct']);
  });

  test('or becomes invalid counts as stopped; a clock that is invalid from the start is refused', async () => {
    await expect(createTimed({ now: () => Number.NaN })).rejects.toMatchObject({ code: 'E_PARAMETER' });
    const { clock, claimed, verdict } = await createTimed();
    claimed('a');
    clock.milliseconds = Number.NaN;
    expect(verdict('a')).toBe('pending');
    clock.milliseconds = LEASE_MILLISECONDS;
    expect(verdict('a')).toBe('distinct');
  });
});

describe('a snapshot', () => {
  test('contains committed claims; pending ones are lost with the process and can be claimed again', async () => {
    const { detector, claimed } = await createTimed();
    claimed('delivered').commit();
    claimed('under way');
    const restored = createClaims(await load(await save(detector)));
    expect(restored.claim('delivered').verdict).toBe('duplicate');
    expect(restored.claim('under way').verdict).toBe('distinct');
  });
});

describe('a full exact detector', () => {
  test('refuses the commit; the claim stays pending, can be released, and its key is not seen', async () => {
    const detector = await Detector.create({ algorithm: 'exact', memory: 1024 });
    const claims = createClaims(detector);
    const claim = claims.claim('one too many') as Claim;
    const capacityElements = Number(detector.stats().parameters.n);
    for (let i = 0; i < capacityElements; i++) detector.add(i);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(() => claim.commit()).toThrow(expect.objectContaining({ code: 'E_FULL' }));
      expect(claims.claim('one too many').verdict).toBe('pending');
    }
    expect(claim.abort()).toBe(true);
    expect(() => claims.claim('one too many')).toThrow(expect.objectContaining({ code: 'E_FULL' }));
    expect(claims.claim(0).verdict).toBe('duplicate');
  });

  test('refuses a claim that would have no room when the others are committed', async () => {
    const detector = await Detector.create({ algorithm: 'exact', memory: 1024 });
    const claims = createClaims(detector);
    const capacityElements = Number(detector.stats().parameters.n);
    for (let i = 2; i < capacityElements; i++) detector.add(i);
    const [first, second] = [claims.claim('a') as Claim, claims.claim('b') as Claim];
    expect(() => claims.claim('c')).toThrow(expect.objectContaining({ code: 'E_FULL' }));
    expect(claims.claim('a').verdict).toBe('pending');
    first.abort();
    const third = claims.claim('c') as Claim;
    expect([second.commit(), third.commit()]).toEqual(['committed', 'committed']);
    expect(claims.stats()).toMatchObject({ pending: 0, committed: 2, aborted: 1 });
  });

  test('takes claims again when its window has moved on', async () => {
    const clock = { milliseconds: 0 };
    const options = { algorithm: 'exactwindow', memory: 1024, window: '1h' } as const;
    const detector = await create({ ...options, now: () => clock.milliseconds });
    const claims = createClaims(detector);
    const fill = () => {
      for (let i = 0; ; i++) (claims.claim(`at ${clock.milliseconds}: ${i}`) as Claim).commit();
    };
    expect(fill).toThrow(expect.objectContaining({ code: 'E_FULL' }));
    clock.milliseconds = 2 * 3_600_000;
    expect(claims.claim('later').verdict).toBe('distinct');
  });
});

describe('requests', () => {
  test.each<[ClaimsOptions, string]>([
    [{ pending: 0 }, 'pending is 0, but must be a whole number from 1 to 8388608'],
    [{ pending: 2 ** 23 + 1 }, 'pending is 8388609'],
    [{ pending: 1.5 }, 'pending is 1.5'],
    [{ pending: '5' as unknown as number }, 'pending is "5"'],
    [{ lease: 0 }, 'lease is 0, but must be a number of milliseconds greater than 0'],
    [
      { lease: Number.NaN },
      'lease is NaN, but must be a number of milliseconds greater than 0, or a duration such as 30s',
    ],
    [{ lease: '30' }, 'lease is "30"'],
  ])('that are impossible are refused (%#)', async (options, message) => {
    await expect(createTimed(options)).rejects.toMatchObject({
      code: 'E_PARAMETER',
      message: expect.stringContaining(message),
    });
  });

  test('for keys that cannot be fingerprinted are refused, and no claim is held', async () => {
    const { claims } = await createTimed();
    expect(() => claims.claim(-1)).toThrow(expect.objectContaining({ code: 'E_KEY' }));
    expect(claims.stats().pending).toBe(0);
  });

  test('without options allow ten thousand keys for half a minute', async () => {
    const claims = createClaims(await Detector.create({ algorithm: 'exact', memory: '1MiB' }));
    for (let key = 0; key < 10_000; key++) claims.claim(key);
    expect(() => claims.claim(10_000)).toThrow(expect.objectContaining({ code: 'E_CLAIMS_FULL' }));
    const answer = claims.claim(9_999);
    if (answer.verdict !== 'pending') throw new Error(answer.verdict);
    expect(answer.remainingMilliseconds).toBeGreaterThan(0);
    expect(answer.remainingMilliseconds).toBeLessThanOrEqual(30_000);
  });
});
