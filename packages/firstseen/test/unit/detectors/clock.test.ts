// The time of detectors whose window is a duration. All clocks are those of the test.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Detector } from '../../../src/detectors/detector.js';
import {
  type CreateOptions,
  create,
  createClaims,
  createPool,
  createSync,
  dedup,
  dedupBytes,
  type KeyedDedupOptions,
  load,
  save,
  snapshotChunks,
} from '../../../src/index.js';
import { createNear, createPassages, loadNear } from '../../../src/near.js';
import { createThreaded, loadThreaded, openState } from '../../../src/node.js';
import { merge, repartition, split } from '../../../src/partitions.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 2, 1);

/** A clock that a test sets. */
class TestClock {
  time = START;
  reads = 0;
  readonly now = (): number => {
    this.reads++;
    return this.time;
  };
}

const families: CreateOptions[] = [
  { window: '1h', memory: '64KiB' },
  { window: '1h', memory: '64KiB', layout: 'classic', refresh: true },
  { window: '1h', memory: '64KiB', partitions: 4 },
  { window: '1h', memory: '64KiB', algorithm: 'exact' },
  { window: '1h', memory: '64KiB', algorithm: 'exact', partitions: 4 },
  { window: '1h', memory: '64KiB', algorithm: 'pocket', witness: true },
];

/** Whether each way of asking finds the key. A test must come first: the others add the key. */
const ways: [string, (detector: Detector) => boolean][] = [
  ['test', (detector) => detector.test('key') === 'duplicate'],
  ['testMany', (detector) => detector.testMany(['key'])[0] === 1],
  ['testBatch', (detector) => detector.testBatch(BigUint64Array.of(detector.fingerprint('key')))[0] === 1],
  ['observe', (detector) => detector.observe('key') === 'duplicate'],
  ['observeMany', (detector) => detector.observeMany(['key'])[0] === 1],
  ['observeBatch', (detector) => detector.observeBatch(BigUint64Array.of(detector.fingerprint('key')))[0] === 1],
];

describe('a window of an hour', () => {
  describe.each(families)('of %o', (options) => {
    test.each(ways)('ends for %s', async (_way, isFound) => {
      const clock = new TestClock();
      const detector = await create({ ...options, now: clock.now });
      detector.add('key');
      clock.time += HOUR;
      expect(isFound(detector)).toBe(true);
      clock.time += 48 * HOUR;
      expect(isFound(detector)).toBe(false);
      expect(detector.clockMilliseconds).toBe(START + 49 * HOUR);
    });
  });

  describe('by the clock of the system', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: START }));
    afterEach(() => void vi.useRealTimers());

    test.each([
      ['create', create],
      ['createSync', createSync],
    ] as const)('ends for %s', async (_name, make) => {
      const detector = await make({ window: '1h', memory: '64KiB' });
      expect(detector.observe('key')).toBe('distinct');
      expect(detector.observe('key')).toBe('duplicate');
      vi.setSystemTime(START + 48 * HOUR);
      expect(detector.observe('key')).toBe('distinct');
    });
  });

  const options = { window: '1h', memory: '64KiB' } as const;

  test('ends for all detectors of a pool, by one clock, and after they have left it', async () => {
    const clock = new TestClock();
    const pool = await createPool({ memory: '1MiB', detector: { ...options, now: clock.now } });
    for (const name of ['a', 'b']) pool.get(name).add('key');
    const snapshot = pool.save('a');
    pool.delete('a');
    clock.time += HOUR;
    pool.load('c', snapshot);
    for (const name of ['b', 'c']) expect(pool.get(name).test('key')).toBe('duplicate');
    clock.time += 48 * HOUR;
    for (const name of ['b', 'c']) expect(pool.get(name).test('key')).toBe('distinct');
  });

  test('ends for claims, whose leases have a clock of their own', async () => {
    const clock = new TestClock();
    const claims = createClaims(await create({ ...options, now: clock.now }), { now: () => 0 });
    const claim = claims.claim('key');
    if (claim.verdict !== 'distinct') throw new Error('the key is new');
    claim.commit();
    expect(claims.claim('key').verdict).toBe('duplicate');
    clock.time += 48 * HOUR;
    expect(claims.claim('key').verdict).toBe('distinct');
  });

  test('ends for near-duplicates, created and loaded', async () => {
    const clock = new TestClock();
    const text = 'the quick brown fox jumps over the lazy dog by the river';
    const near = await createNear({ window: '1h', memory: '64KiB', now: clock.now });
    near.observe(text);
    const loaded = await loadNear(await save(near), { now: clock.now });
    clock.time += HOUR;
    for (const each of [near, loaded]) expect(each.test(text).verdict).toBe('duplicate');
    clock.time += 48 * HOUR;
    for (const each of [near, loaded]) expect(each.observe(text).verdict).toBe('distinct');
  });

  test('ends for a detector on threads, created and loaded', async () => {
    const clock = new TestClock();
    const created = await createThreaded({ ...options, now: clock.now }, { threads: 1 });
    const key = BigUint64Array.of(7n);
    await created.observeBatch(key);
    const loaded = await loadThreaded(await created.save(), { threads: 1, now: clock.now });
    clock.time += HOUR;
    for (const each of [created, loaded]) expect([...(await each.observeBatch(key))]).toEqual([1]);
    clock.time += 48 * HOUR;
    for (const each of [created, loaded]) expect([...(await each.observeBatch(key))]).toEqual([0]);
  });

  test('ends after the detector was loaded or divided', async () => {
    const clock = new TestClock();
    const detector = await create({ ...options, layout: 'blocked', partitions: 2, now: clock.now });
    detector.add('key');
    const pieces: Detector[] = [];
    for await (const piece of split(detector, 2)) pieces.push(piece);
    const { now } = clock;
    const others = [
      await load(await save(detector), { now }),
      await load(snapshotChunks(detector), { now }),
      await repartition(detector, 4),
      await merge(pieces),
    ];
    clock.time += HOUR;
    for (const other of others) expect(other.test('key')).toBe('duplicate');
    clock.time += 48 * HOUR;
    for (const other of others) expect(other.test('key')).toBe('distinct');
  });
});

test('the clock is read at most once per call, and only for a window that is a duration', async () => {
  const clock = new TestClock();
  const fingerprints = BigUint64Array.from({ length: 50_000 }, (_, i) => BigInt(i + 1));
  const timed = await create({ window: '1h', memory: '1MiB', now: clock.now });
  for (const [, isFound] of ways) {
    const before = clock.reads;
    isFound(timed);
    expect(clock.reads).toBe(before + 1);
  }
  const before = clock.reads;
  timed.observeBatch(fingerprints);
  expect(clock.reads).toBe(before + 1);
  const untimed = await create({ memory: '1MiB', now: clock.now });
  for (const [, isFound] of ways) isFound(untimed);
  expect(clock.reads).toBe(before + 1);
});

test('after clear, the detector has the time of the clock again', async () => {
  const clock = new TestClock();
  const detector = await create({ window: '1h', memory: '64KiB', now: clock.now });
  detector.add('key');
  detector.clear();
  expect(detector.clockMilliseconds).toBe(0);
  expect(detector.observe('key')).toBe('distinct');
  expect(detector.clockMilliseconds).toBe(START);
});

describe('a clock that is behind the detector', () => {
  async function detectorAt(clock: TestClock): Promise<Detector> {
    const detector = await create({ window: '1h', memory: '64KiB', algorithm: 'exact', now: clock.now });
    detector.add('key');
    return detector;
  }

  test('by less than the window is waited for', async () => {
    const clock = new TestClock();
    const detector = await detectorAt(clock);
    for (let i = 0; i < 100; i++) {
      for (const offset of [-HOUR / 2, -HOUR / 4, 0]) {
        clock.time = START + offset;
        expect(detector.observe('key')).toBe('duplicate');
        expect(detector.clockMilliseconds).toBe(START);
      }
    }
  });

  test('by the window or more lets the time go on as the clock does', async () => {
    const clock = new TestClock();
    const saved = await save(await detectorAt(clock));
    clock.time = Date.UTC(1970, 0, 2);
    const detector = await load(saved, { now: clock.now });
    expect(detector.test('key')).toBe('duplicate');
    clock.time += HOUR;
    expect(detector.test('key')).toBe('duplicate');
    expect(detector.clockMilliseconds).toBe(START + HOUR);
    clock.time += 1;
    expect(detector.observe('key')).toBe('distinct');
    clock.time = START + HOUR + 2;
    expect(detector.observe('key')).toBe('duplicate');
    expect(detector.clockMilliseconds).toBe(START + HOUR + 2);
  });

  test('after it was far ahead for a moment does not stop the window', async () => {
    const clock = new TestClock();
    const detector = await detectorAt(clock);
    clock.time = Date.UTC(2099, 0, 1);
    detector.add('key');
    clock.time = START;
    expect(detector.observe('key')).toBe('duplicate');
    clock.time += 2 * HOUR;
    expect(detector.observe('key')).toBe('distinct');
  });
});

describe('a manual clock', () => {
  const manual = { window: '1h', memory: '64KiB', clock: 'manual' } as const;

  test('has the time that advance sets', async () => {
    const detector = await create(manual);
    const pool = await createPool({ memory: '1MiB', detector: manual });
    const loaded = await load(await save(detector), { clock: 'manual' });
    for (const each of [detector, pool.get('a'), loaded]) {
      each.advance(START);
      each.add('key');
      each.advance(START + HOUR);
      expect(each.test('key')).toBe('duplicate');
      each.advance(START + 48 * HOUR);
      expect(each.test('key')).toBe('distinct');
    }
  });

  test('is required by advance', async () => {
    const refusal = expect.objectContaining({
      code: 'E_USAGE',
      message: 'the time was given, but the detector reads a clock; create or load it with clock manual',
    });
    const { now } = new TestClock();
    const detector = await create({ window: '1h', memory: '64KiB', now });
    expect(() => detector.advance(START)).toThrow(refusal);
    const near = await createNear({ window: '1h', memory: '64KiB', now });
    expect(() => near.advance(START)).toThrow(refusal);
    const threaded = await createThreaded({ window: '1h', memory: '64KiB', now }, { threads: 1 });
    await expect(threaded.advance(START)).rejects.toThrow(refusal);
    const pool = await createPool({ memory: '1MiB', detector: { window: '1h', memory: '64KiB', now } });
    expect(() => pool.get('a').advance(START)).toThrow(refusal);
  });
});

describe('invalid options', () => {
  const window = { window: '1h', memory: '64KiB' } as const;

  test.each([
    [{ clock: 'machine' }, 'clock is "machine", but must be one of system, manual'],
    [{ now: 5 }, 'now is 5, but must be a function'],
    [{ clock: 'manual', now: () => 5 }, 'must be left out, because the clock is manual'],
  ])('%o are refused', async (options, message) => {
    const refusal = expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining(message) });
    const asked = { ...window, ...options } as CreateOptions;
    await expect(create(asked)).rejects.toThrow(refusal);
    await expect(createPool({ memory: '1MiB', detector: asked })).rejects.toThrow(refusal);
    await expect(createThreaded(asked, { threads: 1 })).rejects.toThrow(refusal);
    expect(() => createSync(asked)).toThrow(refusal);
    const saved = await save(await create(window));
    await expect(load(saved, options as CreateOptions)).rejects.toThrow(refusal);
  });

  test.each([
    [
      { clock: 'system' },
      'clock is "system", but must be left out, because window 3600000 counts elements; give window "1h" for a time',
    ],
    [
      { clock: 'manual' },
      'clock is "manual", but must be left out, because window 3600000 counts elements; give window "1h" for a time',
    ],
    [{ now: () => 5 }, 'must be left out, because window 3600000 counts elements; give window "1h" for a time'],
  ])('beside a window of elements, %o are refused with the window that is a time', async (options, message) => {
    const refusal = expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining(message) });
    const asked = { window: 3_600_000, memory: '64MiB', ...options } as CreateOptions;
    await expect(create(asked)).rejects.toThrow(refusal);
    expect(() => createSync(asked)).toThrow(refusal);
    await expect(createPool({ memory: '128MiB', detector: asked })).rejects.toThrow(refusal);
    await expect(createThreaded(asked, { threads: 1 })).rejects.toThrow(refusal);
    await expect(createNear(asked)).rejects.toThrow(refusal);
    await expect(createPassages(asked)).rejects.toThrow(refusal);
    await expect(openState('nowhere/x.state', asked)).rejects.toThrow(refusal);
    const saved = await save(await create({ window: 1000, memory: '64KiB' }));
    expect((await load(saved, options as CreateOptions)).clock).toBeUndefined();
  });

  test('a stream refuses them too', async () => {
    const asked = { window: 1000, memory: '64KiB', now: () => 5 };
    const refusal = expect.objectContaining({ message: expect.stringContaining('give window "1s" for a time') });
    await expect(dedup(['a'], asked).next()).rejects.toThrow(refusal);
    const bytes = new Blob(['a\n']).stream().pipeThrough(dedupBytes(asked));
    await expect(new Response(bytes).text()).rejects.toThrow(refusal);
  });

  test.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 10 ** 14, '5', undefined])(
    'a clock that returns %s is refused, and the detector is unchanged',
    async (time) => {
      const clock = new TestClock();
      const detector = await create({ ...window, now: clock.now });
      detector.add('key');
      clock.time = time as number;
      expect(() => detector.observe('other')).toThrow(
        expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining('now is ') }),
      );
      clock.time = START;
      expect(detector.observed).toBe(1);
      expect(detector.test('key')).toBe('duplicate');
    },
  );
});

async function passedBy(options: KeyedDedupOptions<{ id: string; at: number }>): Promise<number[]> {
  const items = [0, 0.5, 48].map((hours) => ({ id: 'a', at: START + hours * HOUR }));
  const passed: number[] = [];
  for await (const { at } of dedup(items, options)) passed.push((at - START) / HOUR);
  return passed;
}

describe('dedup', () => {
  const key = ({ id }: { id: string }) => id;
  const time = ({ at }: { at: number }) => at;
  const window = { window: '1h', memory: '64KiB', algorithm: 'exact' } as const;

  test('has the times of the items, with a detector of its own or one that the program drives', async () => {
    expect(await passedBy({ ...window, key, time })).toEqual([0, 48]);
    expect(await passedBy({ detector: await create({ ...window, clock: 'manual' }), key, time })).toEqual([0, 48]);
  });

  test('has a clock, given to it or to its detector', async () => {
    const clock = new TestClock();
    const tick = () => {
      clock.time += 40 * 60_000;
      return clock.time;
    };
    expect(await passedBy({ ...window, key, now: tick })).toEqual([0, 48]);
    expect(await passedBy({ detector: await create({ ...window, now: tick }), key })).toEqual([0, 48]);
  });

  test('refuses two sources of time', async () => {
    const { now } = new TestClock();
    const detector = await create({ ...window, now });
    await expect(passedBy({ detector, key, time })).rejects.toThrow(expect.objectContaining({ code: 'E_USAGE' }));
    await expect(passedBy({ ...window, key, time, now })).rejects.toThrow(
      expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining('time and now were given') }),
    );
    await expect(passedBy({ ...window, key, clock: 'manual' } as object as { key: typeof key })).rejects.toThrow(
      expect.objectContaining({ code: 'E_PARAMETER', message: expect.stringContaining('clock is not an option') }),
    );
  });
});

describe('dedupBytes', () => {
  const input = () => new Response('a\n').body as ReadableStream<Uint8Array>;

  test('uses the clock of a detector that has one', async () => {
    const clock = new TestClock();
    const detector = await create({ window: '1h', memory: '64KiB', now: clock.now });
    const texts: string[] = [];
    for (const hours of [0, 0.5, 48]) {
      clock.time = START + hours * HOUR;
      const passed = input().pipeThrough(dedupBytes({ detector }));
      texts.push(await new Response(passed).text());
    }
    expect(texts).toEqual(['a\n', '', 'a\n']);
  });

  test('refuses another clock beside it', async () => {
    const { now } = new TestClock();
    const detector = await create({ window: '1h', memory: '64KiB', now });
    const passed = input().pipeThrough(dedupBytes({ detector, now }));
    await expect(new Response(passed).text()).rejects.toThrow(expect.objectContaining({ code: 'E_USAGE' }));
  });
});
