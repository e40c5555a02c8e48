import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from 'vitest';
import { type DedupOptions, dedup } from '../../../src/dedup/stream.js';
import { Detector } from '../../../src/detectors/detector.js';
import { dedupTransform } from '../../../src/node.js';

/** As programs without types may give them. */
const noSettings = { memory: undefined };
const settings = { algorithm: 'exact', memory: 65536 };

async function listOf<Item>(items: Iterable<Item>, options: DedupOptions<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of dedup(items, options)) list.push(item);
  return list;
}

describe('a detector given to dedup', () => {
  test('is used, and settings that are undefined are none', async () => {
    const detector = await Detector.create(settings);
    expect(await listOf(['a', 'b', 'a'], { detector, ...(noSettings as object) })).toEqual(['a', 'b']);
    expect(detector.observed).toBe(3);
  });

  test('takes no settings beside it', async () => {
    const detector = await Detector.create(settings);
    await expect(listOf(['a'], { detector, ...settings, seed: 0 })).rejects.toMatchObject({
      code: 'E_PARAMETER',
      message: expect.stringContaining('algorithm, memory, seed was given beside a detector'),
    });
    expect(detector.observed).toBe(0);
  });
});

describe('dedupTransform', () => {
  test.each([undefined, null, 'a word'])(
    'fails when a key function throws %j, and drops nothing in silence',
    async (thrown) => {
      const key = () => {
        throw thrown;
      };
      const run = pipeline(Readable.from(['a', 'b']), dedupTransform({ ...settings, key }), async (items) => {
        for await (const item of items) expect(item).toBeUndefined();
      });
      await expect(run).rejects.toMatchObject({ code: 'E_KEY', cause: thrown });
    },
  );
});
