// Claims that wait for the outcome of the claim that holds their key.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Claim,
  type ClaimAnswer,
  type Claims,
  type ClaimsOptions,
  create,
  createClaims,
} from '../../../src/index.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

async function claimsOf(options: ClaimsOptions = { answers: '1MiB' }): Promise<Claims> {
  return createClaims(await create({ algorithm: 'exact', memory: '1MiB' }), options);
}

function held(answer: ClaimAnswer): Claim {
  if (answer.verdict !== 'distinct') throw new Error(`the claim was answered ${answer.verdict}`);
  return answer;
}

test('a key that no claim holds is answered at once', async () => {
  const claims = await claimsOf();
  held(await claims.wait('a')).commit('done');
  expect(await claims.wait('a')).toEqual({ verdict: 'duplicate', answer: 'done' });
  expect(vi.getTimerCount()).toBe(0);
});

test('all that wait get the answer of the first, with each its own bytes', async () => {
  const claims = await claimsOf();
  const first = held(claims.claim('a'));
  const waiting = [claims.wait('a'), claims.wait('a', { timeout: '30s' })];
  const answer = Uint8Array.of(1, 2);
  first.commit(answer);
  answer[0] = 9;
  const [one, other] = (await Promise.all(waiting)) as { answer?: Uint8Array }[];
  expect(one).toEqual({ verdict: 'duplicate', answer: Uint8Array.of(1, 2) });
  (one?.answer as Uint8Array)[0] = 7;
  expect(other).toEqual({ verdict: 'duplicate', answer: Uint8Array.of(1, 2) });
  expect(claims.stats()).toMatchObject({ committed: 1, duplicates: 2, pending: 0 });
  expect(vi.getTimerCount()).toBe(0);
});

test('an answer that is too large to be kept is given to those that wait', async () => {
  const claims = await claimsOf({ answers: 1000 });
  const first = held(claims.claim('a'));
  const waiting = claims.wait('a');
  first.commit('x'.repeat(5000));
  expect(await waiting).toEqual({ verdict: 'duplicate', answer: 'x'.repeat(5000) });
  expect(claims.claim('a')).toEqual({ verdict: 'duplicate' });
});

test('a commit without an answer ends the wait, also of claims without memory for answers', async () => {
  const claims = await claimsOf({});
  const first = held(claims.claim('a', { token: 't' }));
  const waiting = [claims.wait('a'), claims.wait('a')];
  expect(claims.commitMany(['a'], ['t'])).toEqual([true]);
  expect(await Promise.all(waiting)).toEqual([{ verdict: 'duplicate' }, { verdict: 'duplicate' }]);
  expect(first.extend()).toBe(false);
});

test('the key of a claim that is aborted is held by the first that waits, and the others wait for that one', async () => {
  const claims = await claimsOf();
  const first = held(claims.claim('a'));
  const waiting = [claims.wait('a', { token: 'second' }), claims.wait('a')] as const;
  first.abort();
  const second = held(await waiting[0]);
  expect(claims.find('a', 'second')).toBeDefined();
  second.commit('of the second');
  expect(await waiting[1]).toEqual({ verdict: 'duplicate', answer: 'of the second' });
});

test('the lease of a claim that expires frees the key for what waits', async () => {
  const claims = await claimsOf({ lease: '5s' });
  claims.claim('a');
  const waiting = claims.wait('a', { lease: '1s' });
  await vi.advanceTimersByTimeAsync(5000);
  expect(held(await waiting).extend()).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect(claims.stats()).toMatchObject({ pending: 0, expired: 2 });
});

test('after the timeout the answer is pending, and the wait takes nothing more', async () => {
  const claims = await claimsOf({ lease: '2m' });
  const first = held(claims.claim('a'));
  const waiting = [claims.wait('a', { timeout: 1500 }), claims.wait('a')];
  await vi.advanceTimersByTimeAsync(1500);
  expect(await waiting[0]).toEqual({ verdict: 'pending', remainingMilliseconds: 118_500 });
  await vi.advanceTimersByTimeAsync(58_500);
  expect(await waiting[1]).toEqual({ verdict: 'pending', remainingMilliseconds: 60_000 });
  expect(vi.getTimerCount()).toBe(0);
  first.abort();
  expect(claims.claim('a').verdict).toBe('distinct');
});

test('without a limit it waits for a claim that never expires', async () => {
  const claims = await claimsOf({ lease: Number.POSITIVE_INFINITY });
  const first = held(claims.claim('a'));
  const waiting = claims.wait('a', { timeout: Number.POSITIVE_INFINITY });
  expect(vi.getTimerCount()).toBe(0);
  first.abort();
  expect((await waiting).verdict).toBe('distinct');
});

test('a signal ends the wait with its reason, and the next one gets the key', async () => {
  const claims = await claimsOf();
  const first = held(claims.claim('a'));
  const left = new AbortController();
  const [gone, next] = [claims.wait('a', { signal: left.signal }), claims.wait('a')];
  const reason = new Error('the client has left');
  left.abort(reason);
  await expect(gone).rejects.toBe(reason);
  first.abort();
  expect((await next).verdict).toBe('distinct');
  await expect(claims.wait('b', { signal: left.signal })).rejects.toBe(reason);
  expect(claims.claim('b').verdict).toBe('distinct');
});

describe('a body', () => {
  test('that differs from that of the claim is a mismatch at once', async () => {
    const claims = await claimsOf();
    claims.claim('a', { body: 'x' });
    expect(await claims.wait('a', { body: 'y' })).toEqual({ verdict: 'mismatch' });
  });

  test('that differs from that of a later claim is a mismatch when that is committed, if its body was not kept either', async () => {
    const claims = await claimsOf({ answers: 1 });
    const first = held(claims.claim('a', { body: 'x' }));
    const waiting = [claims.wait('a'), claims.wait('a', { body: 'x' })] as const;
    first.abort();
    held(await waiting[0]).abort();
    held(await waiting[1]).abort();
    const without = held(claims.claim('a'));
    const [other, another] = [claims.wait('a', { body: 'y' }), claims.wait('a', { body: 'x' })];
    without.abort();
    held(await other).commit('of y');
    expect(await another).toEqual({ verdict: 'mismatch' });
    expect(claims.stats().answers).toMatchObject({ mismatches: 1 });
  });
});

test('the bytes of a key may be used again at once', async () => {
  const claims = await claimsOf();
  const first = held(claims.claim('a'));
  const key = new TextEncoder().encode('a');
  const waiting = claims.wait(key);
  key[0] = 98;
  first.abort();
  expect((await waiting).verdict).toBe('distinct');
  expect([claims.claim('a').verdict, claims.claim('b').verdict]).toEqual(['pending', 'distinct']);
});

test('a detector that is full when its turn comes refuses what waits', async () => {
  const detector = await create({ algorithm: 'exact', memory: '1KiB' });
  const claims = createClaims(detector);
  let key = 0;
  const room = () => {
    try {
      claims.observe(key++);
      return true;
    } catch {
      return false;
    }
  };
  const first = held(claims.claim('a'));
  while (room());
  const waiting = claims.wait('a');
  const taken = claims.wait('a');
  first.abort();
  expect((await waiting).verdict).toBe('distinct');
  detector.observe('b');
  held(await waiting).abort();
  await expect(taken).rejects.toMatchObject({ code: 'E_FULL' });
});

test.each([{ timeout: 0 }, { timeout: 'soon' }, { signal: {} }, { token: '' }, { bodies: 'x' }, null])(
  '%j is refused',
  async (context) => {
    const claims = await claimsOf();
    await expect(claims.wait('a', context as never)).rejects.toMatchObject({ code: 'E_PARAMETER' });
    expect(claims.claim('a').verdict).toBe('distinct');
  },
);
