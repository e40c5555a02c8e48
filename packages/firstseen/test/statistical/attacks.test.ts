// The attacks of docs/SECURITY.md as an attacker would carry them out: on an offline copy, with the library itself. The
// detector under attack is first unkeyed, then keyed with secrets that the attacker does not know.

import { describe, expect, test } from 'vitest';
import { Detector, kernelOf } from '../../src/detectors/detector.js';
import type { DetectorOptions } from '../../src/detectors/settings.js';
import { createNear, type NearDetector } from '../../src/near.js';
import { referenceXxh64 } from '../reference/xxh64.js';
import { inLongForm } from '../support/form.js';
import { standardError } from '../support/rates.js';

/** A difference of more standard errors than this is significant. */
const MAX_ERRORS = 4;
const VICTIM = 'https://victim.example/';

const create = (options: DetectorOptions) => Detector.create(options, { regionBytes: 4096 });

/** Secret number i: fixed for the test; the attack never sees it. */
function secretOf(i: number): Uint8Array {
  const secret = new Uint8Array(16);
  const view = new DataView(secret.buffer);
  view.setBigUint64(0, referenceXxh64(Uint8Array.of(i & 255, i >> 8), 1n), true);
  view.setBigUint64(8, referenceXxh64(Uint8Array.of(i & 255, i >> 8), 2n), true);
  return secret;
}

function keyedDetectors(options: DetectorOptions, count: number): Promise<Detector[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => create({ ...options, secret: secretOf(i) })));
}

function observeAll(detector: Detector, keys: Iterable<string>): void {
  for (const key of keys) detector.observe(key);
}

/** Ordinary keys, different for each kind. */
function randomKeys(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `https://example.org/${kind}/${i}`);
}

/** The bits that a key sets in an empty detector: the copy is cleared and used to find them. */
function bitsOf(copy: Detector, key: string): number[] {
  kernelOf(copy).cells.fill(0);
  copy.observe(key);
  const words = new Uint32Array(kernelOf(copy).bytes.buffer, kernelOf(copy).cellsOffset, kernelOf(copy).cellsBytes / 4);
  const bits: number[] = [];
  words.forEach((word, i) => {
    for (let bit = 0; bit < 32; bit++) if ((word >>> bit) & 1) bits.push(32 * i + bit);
  });
  return bits;
}

describe('a chosen false positive', () => {
  const options = { algorithm: 'bloom' as const, memory: '1KiB', parameters: { k: 4 } };

  /** A few keys that together set every bit of the victim. */
  async function craft(layout: 'classic' | 'blocked'): Promise<string[]> {
    const copy = await create({ ...options, layout });
    const open = new Set(bitsOf(copy, VICTIM));
    const crafted: string[] = [];
    for (let i = 0; open.size > 0; i++) {
      const key = `https://attacker.example/${i}`;
      const hits = bitsOf(copy, key).filter((bit) => open.delete(bit));
      if (hits.length > 0) crafted.push(key);
    }
    return crafted;
  }

  test.each(['classic', 'blocked'] as const)(
    'takes four keys without a secret and fails with one: %s',
    async (layout) => {
      const crafted = await craft(layout);
      expect(crafted.length).toBeLessThanOrEqual(4);
      const unkeyed = await create({ ...options, layout });
      observeAll(unkeyed, crafted);
      expect(unkeyed.test(VICTIM)).toBe('duplicate');

      const keyed = await keyedDetectors({ ...options, layout }, inLongForm(300, 100));
      for (const detector of keyed) observeAll(detector, crafted);
      // Four keys of four bits in 8192, or in 512 if all share a cache line: a chance of less than one in a million.
      expect(keyed.filter((detector) => detector.test(VICTIM) === 'duplicate')).toEqual([]);
    },
  );
});

describe('pollution: keys that set as many new bits as possible', () => {
  const options = { algorithm: 'bloom', memory: '1KiB', layout: 'classic', parameters: { k: 4 } } as const;
  const INSERTIONS = 1400;
  const probes = randomKeys('probe', 4000);

  /** Keys that each find all four of their bits still clear, as far as such keys can be found in reasonable time. */
  async function craft(): Promise<string[]> {
    const copy = await create(options);
    const { cells } = kernelOf(copy);
    const onesOf = () => Math.round(copy.stats().load * cells.length * 8);
    const crafted: string[] = [];
    for (let i = 0; crafted.length < INSERTIONS; i++) {
      const key = `https://attacker.example/${i}`;
      const before = cells.slice();
      const ones = onesOf();
      copy.observe(key);
      if (onesOf() - ones === 4) crafted.push(key);
      else cells.set(before);
    }
    return crafted;
  }

  function falsePositives(detector: Detector): number {
    return probes.filter((key) => detector.test(key) === 'duplicate').length;
  }

  test('raises the rate of false positives without a secret, and has no more effect than ordinary keys with one', async () => {
    const crafted = await craft();
    const [polluted, ordinary] = [await create(options), await create(options)];
    observeAll(polluted, crafted);
    observeAll(ordinary, randomKeys('ordinary', INSERTIONS));
    // All bits distinct: 4 * 1400 of 8192, compared with 1 - exp(-4 * 1400 / 8192) of them.
    expect(polluted.stats().load).toBeCloseTo((4 * INSERTIONS) / 8192, 10);
    const ordinaryRate = (1 - Math.exp((-4 * INSERTIONS) / 8192)) ** 4;
    expect(falsePositives(polluted) / probes.length).toBeGreaterThan(3 * ordinaryRate);

    const COUNT = inLongForm(40, 10);
    const totals = { crafted: 0, ordinary: 0 };
    for (const detector of await keyedDetectors(options, COUNT)) {
      observeAll(detector, crafted);
      totals.crafted += falsePositives(detector);
    }
    for (const detector of await keyedDetectors(options, COUNT)) {
      observeAll(detector, randomKeys('ordinary', INSERTIONS));
      totals.ordinary += falsePositives(detector);
    }
    const trials = COUNT * probes.length;
    const pooled = (totals.crafted + totals.ordinary) / (2 * trials);
    const difference = Math.abs(totals.crafted - totals.ordinary) / trials;
    expect(difference).toBeLessThan(MAX_ERRORS * Math.SQRT2 * standardError(pooled, trials));
    expect(pooled).toBeCloseTo(ordinaryRate, 2);
  });
});

describe('a chosen eviction', () => {
  const WORDS_PER_LINE = 8;
  const COUNT = inLongForm(300, 50);

  /** Keys of the victim's cache line, tried on a copy until it forgets the victim. */
  async function craft(options: DetectorOptions): Promise<string[]> {
    const [empty, copy] = [await create(options), await create(options)];
    const cacheLineOf = (key: string) => Math.floor((bitsOf(empty, key)[0] as number) / (64 * WORDS_PER_LINE));
    const cacheLine = cacheLineOf(VICTIM);
    const crafted: string[] = [];
    copy.observe(VICTIM);
    for (let i = 0; copy.test(VICTIM) === 'duplicate'; i++) {
      const key = `https://attacker.example/${i}`;
      if (cacheLineOf(key) !== cacheLine) continue;
      copy.observe(key);
      crafted.push(key);
    }
    return crafted;
  }

  /** The number of detectors that observe the victim first and have forgotten it after observing the keys. */
  function forgetful(detectors: readonly Detector[], keys: readonly string[]): number {
    return detectors.filter((detector) => {
      detector.observe(VICTIM);
      observeAll(detector, keys);
      return detector.test(VICTIM) === 'distinct';
    }).length;
  }

  test.each(inLongForm(['bsbf', 'rlbsbf', 'sbf'] as const, ['bsbf', 'sbf'] as const))(
    'succeeds without a secret and fails with one: %s',
    async (algorithm) => {
      const options = { algorithm, memory: '4KiB', layout: 'blocked' } as const;
      const crafted = await craft(options);
      const unkeyed = await create(options);
      expect(forgetful([unkeyed], crafted)).toBe(1);
      // With keys of any cache line, some sixty times as many would be needed.
      const found = forgetful(await keyedDetectors(options, COUNT), crafted);
      const byChance = forgetful(await keyedDetectors(options, COUNT), randomKeys('ordinary', crafted.length));
      const pooled = Math.max(1, found + byChance) / (2 * COUNT);
      expect(pooled).toBeLessThan(0.2);
      expect(Math.abs(found - byChance) / COUNT).toBeLessThan(MAX_ERRORS * Math.SQRT2 * standardError(pooled, COUNT));
    },
  );
});

describe('hash collisions', () => {
  const WORD = 2n ** 64n;
  const PRIME_1 = 0x9e3779b185ebca87n;
  const PRIME_2 = 0xc2b2ae3d27d4eb4fn;

  /** The inverse of an odd number modulo 2^64, by Newton's iteration. */
  function inverse(odd: bigint): bigint {
    let x = odd;
    for (let i = 0; i < 6; i++) x = BigInt.asUintN(64, x * (2n - odd * x));
    return x;
  }

  /**
   * Two keys of 64 bytes. They differ in the top bit of the first word, which the first round of XXH64 moves to bit 30,
   * and in the fifth word, which cancels that difference if bit 30 was clear: this depends on the seed, and holds for
   * half of all seeds.
   */
  function pair(i: number): [Uint8Array, Uint8Array] {
    const words = Array.from({ length: 8 }, (_, j) => referenceXxh64(Uint8Array.of(i & 255, i >> 8, j), 3n));
    const change = BigInt.asUintN(64, (1n << 30n) * PRIME_1 * inverse(PRIME_2));
    const other = words.map((word, j) =>
      j === 0 ? word ^ (WORD >> 1n) : j === 4 ? BigInt.asUintN(64, word - change) : word,
    );
    return [words, other].map((each) => new Uint8Array(BigUint64Array.from(each).buffer)) as [Uint8Array, Uint8Array];
  }

  const collides = ([one, other]: [Uint8Array, Uint8Array], seed: bigint) =>
    referenceXxh64(one, seed) === referenceXxh64(other, seed);

  test('cause errors even in an exact detector without a secret, and none with one', async () => {
    const pairs = Array.from({ length: 200 }, (_, i) => pair(i)).filter((each) => collides(each, 0n));
    expect(pairs.length).toBeGreaterThan(50);
    const unkeyed = await create({ algorithm: 'exact', memory: '64KiB' });
    const keyed = await create({ algorithm: 'exact', memory: '64KiB', secret: secretOf(0) });
    for (const [one, other] of pairs) {
      expect([unkeyed.observe(one), unkeyed.observe(other)]).toEqual(['distinct', 'duplicate']);
      expect([keyed.observe(one), keyed.observe(other)]).toEqual(['distinct', 'distinct']);
    }
  });

  test('drop a document in favour of one with no text in common without a secret, and not with one', async () => {
    const hasBlank = (bytes: Uint8Array) => /[\t-\r ]/.test(String.fromCharCode(...bytes));
    const pairs = Array.from({ length: 1000 }, (_, i) => pair(i)).filter((each) => !each.some(hasBlank));
    expect(pairs.length).toBeGreaterThan(20);
    // Each document is one shingle.
    const options = { shingle: '256c', case: 'keep' as const, memory: '1MiB' };
    const dropped = async (near: NearDetector) => {
      for (const [one] of pairs) near.observe(one);
      return pairs.filter(([, other]) => near.observe(other).verdict === 'duplicate').length;
    };
    expect(await dropped(await createNear(options))).toBeGreaterThan(pairs.length / 4);
    expect(await dropped(await createNear({ ...options, secret: secretOf(0) }))).toBe(0);
  });

  test('exist for XXH64 with half of all seeds, without knowledge of the seed', () => {
    const SEEDS = 1000;
    const tried = pair(0);
    const found = Array.from({ length: SEEDS }, (_, i) => referenceXxh64(Uint8Array.of(i & 255, i >> 8), 4n)).filter(
      (seed) => collides(tried, seed),
    ).length;
    expect(Math.abs(found / SEEDS - 0.5)).toBeLessThan(MAX_ERRORS * standardError(0.5, SEEDS));
  });
});
