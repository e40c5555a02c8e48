// Answers of committed claims for their repeats, and bodies that tell keys apart that were used twice.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { AnswerStore } from '../../../src/claims/answers.js';
import type { Claim, ClaimAnswer, ClaimsOptions } from '../../../src/index.js';
import { create, createClaims, load, save } from '../../../src/index.js';
import { Random } from '../../support/streams.js';

async function claimsOf(options: ClaimsOptions = { answers: '1MiB' }) {
  return createClaims(await create({ algorithm: 'exact', memory: '1MiB' }), options);
}

function held(answer: ClaimAnswer): Claim {
  if (answer.verdict !== 'distinct') throw new Error(`the claim was answered ${answer.verdict}`);
  return answer;
}

/** Bytes of the heap that are in use. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

describe('an answer', () => {
  test('is that of the operation that the detector knows: a key that it has forgotten has none', async () => {
    const detector = await create({ algorithm: 'exact', memory: '1MiB' });
    const claims = createClaims(detector, { answers: '1MiB' });
    held(claims.claim('k', { body: 'b' })).commit('old');
    detector.clear();
    held(claims.claim('k')).commit();
    expect(claims.claim('k', { body: 'other' })).toEqual({ verdict: 'duplicate' });
    expect(claims.stats()).toMatchObject({ answers: { kept: 0, bytes: 0, evicted: 0 } });
  });

  test('of bytes is a copy, which a program may change', async () => {
    const claims = await claimsOf();
    held(claims.claim('k')).commit(Uint8Array.of(1, 2));
    const first = claims.claim('k') as { answer?: Uint8Array };
    (first.answer as Uint8Array)[0] = 7;
    expect(claims.claim('k')).toEqual({ verdict: 'duplicate', answer: Uint8Array.of(1, 2) });
  });

  test('is given to all repeats, and a commit without one gives none', async () => {
    const claims = await claimsOf();
    held(claims.claim('a')).commit('{"status":201}');
    held(claims.claim('b')).commit();
    held(claims.claim('c')).commit(Uint8Array.of(1, 2));
    held(claims.claim('d')).commit('');
    for (let i = 0; i < 2; i++) expect(claims.claim('a')).toEqual({ verdict: 'duplicate', answer: '{"status":201}' });
    expect(claims.claim('b')).toEqual({ verdict: 'duplicate' });
    expect(claims.claim('c')).toEqual({ verdict: 'duplicate', answer: Uint8Array.of(1, 2) });
    expect(claims.claim('d')).toEqual({ verdict: 'duplicate', answer: '' });
    expect(claims.stats()).toMatchObject({ committed: 4, duplicates: 5, answers: { kept: 3, evicted: 0 } });
  });

  test('is a copy of bytes', async () => {
    const claims = await claimsOf();
    const bytes = Uint8Array.of(1);
    held(claims.claim('a')).commit(bytes);
    bytes[0] = 2;
    expect(claims.claim('a')).toEqual({ verdict: 'duplicate', answer: Uint8Array.of(1) });
  });

  test('is not that of a claim that was aborted, or that was late', async () => {
    let now = 0;
    const claims = await claimsOf({ answers: '1MiB', lease: '1s', now: () => now });
    held(claims.claim('a')).abort();
    const late = held(claims.claim('a'));
    now = 2000;
    held(claims.claim('a')).commit('second');
    expect(late.commit('first')).toBe('late');
    expect(claims.claim('a')).toEqual({ verdict: 'duplicate', answer: 'second' });
  });

  test('of a late commit is kept, and that of the claim whose key it took, if nobody has had another', async () => {
    let now = 0;
    const claims = await claimsOf({ answers: '1MiB', lease: '1s', now: () => now });
    const expired = held(claims.claim('a'));
    now = 2000;
    expect(expired.commit('first')).toBe('late');
    expect(claims.claim('a')).toEqual({ verdict: 'duplicate', answer: 'first' });

    const [b, c] = [held(claims.claim('b')), held(claims.claim('c'))];
    now = 4000;
    const [laterB, laterC] = [held(claims.claim('b')), held(claims.claim('c'))];
    expect([b.commit('first'), laterB.commit('second')]).toEqual(['late', 'late']);
    expect(claims.claim('b')).toEqual({ verdict: 'duplicate', answer: 'first' });
    expect([c.commit(), laterC.commit('second')]).toEqual(['late', 'late']);
    expect(claims.claim('c')).toEqual({ verdict: 'duplicate', answer: 'second' });
  });

  test('of a late commit is not kept if its key has another body now', async () => {
    let now = 0;
    const claims = await claimsOf({ answers: '1MiB', lease: '1s', now: () => now });
    const late = held(claims.claim('a', { body: 'x' }));
    now = 2000;
    const holder = held(claims.claim('a', { body: 'y' }));
    expect(late.commit('of x')).toBe('late');
    expect(claims.claim('a', { body: 'y' })).toEqual({ verdict: 'duplicate' });
    expect(holder.commit('of y')).toBe('late');
    expect(claims.claim('a', { body: 'y' })).toEqual({ verdict: 'duplicate', answer: 'of y' });
  });

  test('of text does not keep a longer text alive of which it is a part', async () => {
    const claims = await claimsOf({ answers: '16MiB' });
    const before = heapBytes();
    for (let i = 0; i < 50; i++) {
      const long = String.fromCharCode(97 + (i % 26)).repeat(2 ** 20);
      held(claims.claim(i)).commit(`${i}${long}\ud800`.slice(1, 60));
    }
    expect(heapBytes() - before).toBeLessThan(20 * 2 ** 20);
    const broken = 'half of a pair: \ud83d';
    held(claims.claim('pair')).commit(broken);
    expect(claims.claim('pair')).toEqual({ verdict: 'duplicate', answer: broken });
  });

  test('is replaced when the key has left the window and is committed again', async () => {
    let now = 0;
    const detector = await create({ window: '1h', memory: '64KiB', now: () => now });
    const claims = createClaims(detector, { answers: '1MiB' });
    held(claims.claim('a', { body: 'x' })).commit('first');
    now = 3 * 3_600_000;
    held(claims.claim('a', { body: 'y' })).commit('second');
    expect(claims.claim('a', { body: 'y' })).toEqual({ verdict: 'duplicate', answer: 'second' });
    expect(claims.stats().answers).toMatchObject({ kept: 1, evicted: 0 });
  });

  test('is not in a snapshot', async () => {
    const detector = await create({ memory: '64KiB' });
    held(createClaims(detector, { answers: '1MiB' }).claim('a')).commit('secret');
    const later = createClaims(await load(await save(detector)), { answers: '1MiB' });
    expect(later.claim('a')).toEqual({ verdict: 'duplicate' });
  });

  test('must be text or bytes, and needs memory; the claim remains', async () => {
    const claims = await claimsOf();
    const claim = held(claims.claim('a'));
    expect(() => claim.commit({ status: 201 } as never)).toThrow(/^answer is .*, but must be text or a Uint8Array/);
    expect(claims.claim('a').verdict).toBe('pending');
    const without = held((await claimsOf({})).claim('a'));
    expect(() => without.commit('x')).toThrow(
      expect.objectContaining({
        code: 'E_PARAMETER',
        message: expect.stringMatching(/memory answers.*answers, such as 16MiB$/),
      }),
    );
    expect(without.commit()).toBe('committed');
  });
});

describe('what is not an option', () => {
  test.each([
    { options: { answers: null }, says: /^answers is null/ },
    { options: { lease: null }, says: /^lease is null/ },
    { options: { pending: null }, says: /^pending is null/ },
    { options: { now: null }, says: /^now is null/ },
  ])('$options is refused', async ({ options, says }) => {
    await expect(claimsOf(options as never)).rejects.toThrow(says);
  });

  test('null as a body is refused', async () => {
    const claims = await claimsOf();
    expect(() => claims.claim('a', { body: null as never })).toThrow(
      expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringMatching(/^body is null/) }),
    );
  });

  test('a closed detector is refused', async () => {
    const detector = await create({ memory: '1KiB' });
    detector.close();
    expect(() => createClaims(detector)).toThrow(expect.objectContaining({ code: 'E_CLOSED' }));
  });
});

describe('a body', () => {
  test('that differs from that of the key is a mismatch, while it is pending and after its commit', async () => {
    const claims = await claimsOf();
    const claim = held(claims.claim('a', { body: '{"amount":7}' }));
    expect(claims.claim('a', { body: '{"amount":8}' })).toEqual({ verdict: 'mismatch' });
    expect(claims.claim('a', { body: '{"amount":7}' }).verdict).toBe('pending');
    claim.commit('paid');
    expect(claims.claim('a', { body: '{"amount":8}' })).toEqual({ verdict: 'mismatch' });
    expect(claims.claim('a', { body: new TextEncoder().encode('{"amount":7}') })).toEqual({
      verdict: 'duplicate',
      answer: 'paid',
    });
    expect(claims.claim('a')).toEqual({ verdict: 'duplicate', answer: 'paid' });
    expect(claims.stats()).toMatchObject({ duplicates: 2, answers: { mismatches: 2 } });
  });

  test('is known without an answer too', async () => {
    const claims = await claimsOf();
    held(claims.claim('a', { body: 'x' })).commit();
    expect(claims.claim('a', { body: 'y' }).verdict).toBe('mismatch');
    expect(claims.claim('a', { body: 'x' })).toEqual({ verdict: 'duplicate' });
  });

  test('may be another one after the claim was aborted', async () => {
    const claims = await claimsOf();
    held(claims.claim('a', { body: 'x' })).abort();
    expect(claims.claim('a', { body: 'y' }).verdict).toBe('distinct');
  });

  test('needs memory', async () => {
    const claims = await claimsOf({});
    expect(() => claims.claim('a', { body: 'x' })).toThrow(/memory answers, which the claims do not have/);
  });
});

describe('the memory', () => {
  test('holds the latest answers, never more bytes than it has, and the rest is told', () => {
    const random = new Random(7);
    const store = new AnswerStore(20_000);
    const latest: bigint[] = [];
    const broken: number[] = [];
    for (let i = 0; i < 20_000; i++) {
      const key = BigInt(random.below(3000));
      store.set({ key, body: 1n, answer: 'x'.repeat(random.below(100)) });
      latest.push(key);
      const { bytes, kept } = store.stats();
      // An expectation for each of them would take most of the time.
      if (bytes > 20_000 || kept <= (i < 30 ? 0 : 30) || store.get(key) === undefined) broken.push(i);
    }
    expect(broken).toEqual([]);
    const { kept } = store.stats();
    const expected = [...new Set(latest.toReversed())].slice(0, kept);
    expect(expected.every((key) => store.get(key) !== undefined)).toBe(true);
  });

  test('keeps the body of an answer that is too large for it', () => {
    const store = new AnswerStore(1000);
    store.set({ key: 1n, body: 2n, answer: 'x'.repeat(1000) });
    expect(store.get(1n)).toEqual({ key: 1n, body: 2n, answer: undefined });
    expect(store.stats()).toMatchObject({ kept: 0, bodies: 1, evicted: 1 });
  });

  test('knows the bodies of many more keys than it has answers of', () => {
    const store = new AnswerStore(2 ** 20);
    const keys = Array.from({ length: 4000 }, (_, i) => BigInt(i) * 0x1234_5678_9abcn);
    for (const [i, key] of keys.entries()) store.set({ key, body: BigInt(i), answer: 'x'.repeat(1000) });
    const { kept, bodies, bytes } = store.stats();
    expect(kept).toBeLessThan(450);
    expect(kept + bodies).toBe(keys.length);
    expect(bytes).toBeLessThanOrEqual(2 ** 20);
    for (const [i, key] of keys.entries()) expect(store.get(key)?.body).toBe(BigInt(i));
    store.remove(keys[7] as bigint);
    expect(store.get(keys[7] as bigint)).toBeUndefined();
    expect(store.stats().bodies).toBe(bodies - 1);
  });

  test('forgets the oldest bodies when it has too many, and never takes more bytes', () => {
    const store = new AnswerStore(2 ** 16);
    const most = Math.floor(2 ** 13 / (8 * 16 + 1)) * 8;
    for (let i = 0; i < 20_000; i++) {
      store.set({ key: BigInt(i), body: BigInt(i + 1), answer: 'x'.repeat(200) });
      expect(store.stats().bytes).toBeLessThanOrEqual(2 ** 16);
    }
    const { kept, bodies } = store.stats();
    expect(bodies).toBeLessThanOrEqual(most);
    expect(bodies).toBeGreaterThan(0.95 * most);
    const newest = Array.from({ length: kept + most / 4 }, (_, i) => 19_999 - i);
    for (const i of newest) expect(store.get(BigInt(i))?.body).toBe(BigInt(i + 1));
    expect(store.get(0n)).toBeUndefined();
  });

  test('tells an evicted key from one that is used again for something else', async () => {
    const claims = await claimsOf({ answers: '64KiB' });
    for (let i = 0; i < 300; i++) held(claims.claim(i, { body: `order ${i}` })).commit('x'.repeat(200));
    expect(claims.claim(0, { body: 'order 0' })).toEqual({ verdict: 'duplicate' });
    expect(claims.claim(0, { body: 'another order' })).toEqual({ verdict: 'mismatch' });
    expect(claims.claim(299, { body: 'order 299' })).toEqual({ verdict: 'duplicate', answer: 'x'.repeat(200) });
  });

  test('is a size, and the same for all calls', async () => {
    const detector = await create({ memory: '64KiB' });
    expect(() => createClaims(detector, { answers: 'much' })).toThrow(expect.objectContaining({ code: 'E_MEMORY' }));
    createClaims(detector, { answers: '1MiB' });
    expect(() => createClaims(detector, { answers: 2 ** 20 })).not.toThrow();
    expect(() => createClaims(detector, { answers: '2MiB' })).toThrow(/with answers 1048576, not 2097152/);
  });
});
