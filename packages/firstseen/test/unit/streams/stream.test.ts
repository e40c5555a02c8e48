import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test, vi } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import { dedupTransform } from '../../../src/node.js';
import { type DedupOptions, dedup, type KeyedDedupOptions } from '../../../src/streams/stream.js';

/** Settings that only a program without types can pass. */
const noSettings = { memory: undefined };
const settings = { algorithm: 'exact' as const, memory: 65536 };

async function listOf<Item>(items: Iterable<Item>, options: DedupOptions<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of dedup(items, options as KeyedDedupOptions<Item>)) list.push(item);
  return list;
}

describe('a detector given to dedup', () => {
  test('is used, and undefined settings are ignored', async () => {
    const detector = await Detector.create(settings);
    expect(await listOf(['a', 'b', 'a'], { detector, ...(noSettings as object) })).toEqual(['a', 'b']);
    expect(detector.observed).toBe(3);
  });

  test('cannot be combined with settings', async () => {
    const detector = await Detector.create(settings);
    await expect(listOf(['a'], { detector, ...settings, seed: 0 })).rejects.toMatchObject({
      code: 'E_PARAMETER',
      message: expect.stringContaining('algorithm, memory, seed cannot be given together with a detector'),
    });
    expect(detector.observed).toBe(0);
  });
});

describe('a window in time', () => {
  const minute = 60_000;
  const clicks = [0, 30, 59, 200, 100, 210].map((minutes) => ({ ad: 7, at: minutes * minute }));
  const timed = { memory: 65536, window: '1h', key: ({ ad }: { ad: number }) => ad };

  test('uses the times of the items, and a time that goes back counts as the latest time', async () => {
    const passed = await listOf(clicks, { ...timed, time: ({ at }) => at });
    expect(passed.map(({ at }) => at / minute)).toEqual([0, 200]);
  });

  test('uses the time of arrival by default', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    function* arriving() {
      for (const click of clicks) {
        vi.setSystemTime(click.at);
        yield click;
      }
    }
    try {
      const passed = await listOf(arriving(), timed);
      expect(passed.map(({ at }) => at / minute)).toEqual([0, 200]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is required for the option time', async () => {
    await expect(listOf(clicks, { ...timed, window: 100, time: ({ at }) => at })).rejects.toMatchObject({
      code: 'E_PARAMETER',
      message: expect.stringContaining('time was given, but the window is not a duration'),
    });
  });
});

test.each(['key', 'time', 'onDuplicate', 'deliver', 'onRejected'])('%s has to be a function', async (name) => {
  const options = { ...settings, deliver: async () => undefined, [name]: 3 };
  await expect(listOf(['a'], options as never)).rejects.toMatchObject({
    code: 'E_PARAMETER',
    message: expect.stringContaining(`${name} is 3, but must be a function`),
  });
});

describe('dedupTransform', () => {
  test.each([undefined, null, 'a word'])('fails if the key function throws %j', async (thrown) => {
    const key = () => {
      throw thrown;
    };
    const run = pipeline(Readable.from(['a', 'b']), dedupTransform({ ...settings, key }), async (items) => {
      for await (const item of items) expect(item).toBeUndefined();
    });
    await expect(run).rejects.toMatchObject({ code: 'E_KEY', cause: thrown });
  });
});
