// A detector of a pool answers as one that `create` makes from the same options, whatever the others of the pool do, and its
// snapshots are the same bytes.

import { describe, expect, test } from 'vitest';
import { type CreateOptions, create, createPool, type Detector, type DetectorPool, save } from '../../src/index.js';
import { allCases, answersOf, contentsOf, digestOf, kindOf } from '../support/cases.js';
import { coverOf, inLongForm, sampleNote } from '../support/form.js';
import { fingerprintOf, Random } from '../support/streams.js';

const NAMES = ['a', '', '__proto__', 'constructor', 'tenant 42', '\ud800'];
const ELEMENTS = 700;
const STEPS = inLongForm(150, 50);

/** A detector of the pool, and one by itself that gets the same. */
interface Pair {
  pooled: Detector;
  alone: Detector;
}

async function pairOf(pool: DetectorPool, name: string, options: CreateOptions): Promise<Pair> {
  return { pooled: pool.get(name), alone: await create(options) };
}

function batchOf(random: Random): BigUint64Array {
  return BigUint64Array.from({ length: 1 + random.below(60) }, () => fingerprintOf(random.below(ELEMENTS)));
}

function keyOfPosition(position: number): string | number {
  return position % 2 === 0 ? `key ${position}` : position;
}

/** One use of a detector. What both return must be equal. */
type Step = (detector: Detector) => unknown;

function stepOf(random: Random, { isTimed }: { isTimed: boolean }, time: number): Step {
  const batch = batchOf(random);
  const key = keyOfPosition(random.below(ELEMENTS));
  const choice = random.below(20);
  if (choice < 9) return (detector) => answersOf(detector, batch);
  if (choice < 12) return (detector) => attempt(() => detector.observe(key));
  if (choice < 14) return (detector) => detector.test(key);
  if (choice < 16) return (detector) => detector.testBatch(batch);
  if (choice < 17) return (detector) => detector.stats();
  if (choice < 18) return (detector) => detector.fingerprint(key);
  if (choice < 19 && isTimed) return (detector) => detector.advance(time);
  return random.below(8) === 0 ? (detector) => detector.clear() : (detector) => detector.observed;
}

/** What a detector answers, or the code of its error. */
function attempt(answer: () => unknown): unknown {
  try {
    return answer();
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function expectEqualInPool(options: CreateOptions): Promise<void> {
  const manual = typeof options.window === 'number' ? options : ({ ...options, clock: 'manual' } as const);
  const pool = await createPool({ memory: '16MiB', detector: manual });
  const pairs = await Promise.all(NAMES.map((name) => pairOf(pool, name, manual)));
  const isTimed = pool.settings.parameters.isTimed === true;
  const random = new Random(7);
  for (let i = 0; i < STEPS; i++) {
    const { pooled, alone } = pairs[random.below(pairs.length)] as Pair;
    const step = stepOf(random, { isTimed }, 1000 * i);
    expect(step(pooled)).toEqual(step(alone));
  }
  for (const [i, { pooled, alone }] of pairs.entries()) {
    const snapshot = digestOf(await save(alone));
    expect(digestOf(pool.save(NAMES[i] as string))).toBe(snapshot);
    if (i === 0) expect(digestOf(await save(pooled))).toBe(snapshot);
  }
  await expectEqualAfterLoad(pool, pairs, random);
}

/** The detectors go on in another pool, each in the home of another. */
async function expectEqualAfterLoad(pool: DetectorPool, pairs: readonly Pair[], random: Random): Promise<void> {
  const snapshots = NAMES.map((name) => pool.save(name));
  for (const name of NAMES) pool.delete(name);
  for (const i of [...NAMES.keys()].reverse()) {
    const pooled = pool.load(NAMES[i] as string, snapshots[i] as Uint8Array);
    const { alone } = pairs[i] as Pair;
    const batch = batchOf(random);
    expect(answersOf(pooled, batch)).toEqual(answersOf(alone, batch));
  }
  for (const [i, { alone }] of pairs.entries())
    expect(contentsOf(pool.get(NAMES[i] as string))).toBe(contentsOf(alone));
}

describe.each(coverOf(allCases(), (entry) => [kindOf(entry)]))(`$name${sampleNote}`, ({ options }) => {
  test('answers in a pool as by itself', async () => {
    await expectEqualInPool(options);
  });
});

const others: CreateOptions[] = [
  { memory: '8KiB', window: 100 },
  { memory: '8KiB', window: 100, refresh: true },
  { memory: '8KiB', window: '20s' },
  { memory: '8KiB', window: '20s', layout: 'classic' },
  { memory: '8KiB', algorithm: 'exact', window: 100 },
  { memory: '8KiB', algorithm: 'exact', window: '20s', refresh: true },
  { memory: '8KiB', algorithm: 'pocket', window: 100 },
  { memory: '8KiB', algorithm: 'pocket', window: '20s' },
  { memory: '1KiB', secret: '000102030405060708090a0b0c0d0e0f' },
  { memory: '1KiB', secret: 'ff0102030405060708090a0b0c0d0eff', seed: 2n ** 64n - 1n },
  { memory: '1KiB', fingerprint: 'rabin' },
  { memory: '1KiB', witness: { memory: '32KiB' } },
  { memory: '8KiB', window: '20s', witness: { memory: '33KiB' } },
  { memory: '1KiB', keys: ['id'] },
  { memory: '64KiB', algorithm: 'auto', distinctElements: 1000 },
];

test.each(others)('%o answers in a pool as by itself', async (options) => {
  await expectEqualInPool(options);
});
