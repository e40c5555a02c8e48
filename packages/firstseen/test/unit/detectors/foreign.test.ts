// What is like a detector or like a key, but cannot be read: proxies, clones, and detectors of another copy of the library.

import { serialize } from 'node:v8';
import { describe, expect, test } from 'vitest';
import * as otherCopy from '../../../dist/index.js';
import {
  create,
  createClaims,
  createPool,
  type Detector,
  dedup,
  dedupBytes,
  save,
  snapshotChunks,
} from '../../../src/index.js';
import { createMotifs } from '../../../src/motifs.js';
import { createNear } from '../../../src/near.js';
import { createThreaded } from '../../../src/node.js';
import { merge, repartition } from '../../../src/partitions.js';

const options = { algorithm: 'exact', memory: '64KiB' } as const;

function refused(code: string, text: string | RegExp) {
  return expect.objectContaining({ name: 'FirstseenError', code, message: expect.stringMatching(text) });
}

describe('a proxy of bytes', () => {
  const bytes = new Proxy(Uint8Array.of(1, 2), {});

  test('is refused as a key', async () => {
    const detector = await create(options);
    const problem = refused('E_KEY', /a key has the type object, which is a proxy of bytes and not the bytes; pass/);
    expect(() => detector.observe(bytes)).toThrow(problem);
    expect(() => detector.test(bytes)).toThrow(problem);
    expect(() => detector.observeMany(['a', bytes])).toThrow(problem);
    expect(detector.observed).toBe(1);
    await expect(dedup([bytes], options).next()).rejects.toThrow(refused('E_KEY', ''));
  });

  test('is refused wherever bytes are expected', async () => {
    const detector = await create(options);
    expect(() => detector.observeMany(['a'], bytes)).toThrow(refused('E_PARAMETER', 'verdicts'));
    expect(() => detector.observeBatch(new Proxy(new BigUint64Array(1), {}))).toThrow(refused('E_PARAMETER', 'type'));
    await expect(save(detector, bytes)).rejects.toThrow(refused('E_PARAMETER', 'note'));
    await expect(create({ ...options, secret: bytes })).rejects.toThrow(refused('E_PARAMETER', 'secret'));
  });
});

describe('a clone', () => {
  const made: [string, () => unknown][] = [
    ['a detector', () => create(options)],
    ['claims', async () => createClaims(await create(options))],
    ['a pool', () => createPool({ memory: '1MiB', detector: options })],
    ['a detector of near-duplicates', () => createNear({ memory: '1MiB' })],
    ['range motifs', () => createMotifs({ recordBytes: 8 })],
    ['a detector on threads', () => createThreaded(options, { threads: 1 })],
  ];

  test.each(made)('of %s is refused, also within other values', async (_, make) => {
    const value = await make();
    const message = expect.stringContaining('save a snapshot, and load it where the clone is needed');
    for (const given of [value, { nested: [value] }]) {
      expect(() => structuredClone(given)).toThrow(expect.objectContaining({ name: 'DataCloneError', message }));
    }
    expect(() => serialize(value)).toThrow(/save a snapshot, and load it where the clone is needed/);
    const { port1, port2 } = new MessageChannel();
    expect(() => port1.postMessage(value)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
    port1.close();
    port2.close();
  });

  test('is not needed for a log, which shows the object as before', async () => {
    const detector = await create(options);
    expect(JSON.stringify(detector)).not.toContain('notCloneable');
    expect(JSON.parse(JSON.stringify(detector)).algorithm).toBe('exact');
  });
});

const uses: [string, (detector: Detector) => unknown][] = [
  ['dedup', (detector) => dedup(['a'], { detector }).next()],
  ['dedupBytes', (detector) => new Response(new Blob([]).stream().pipeThrough(dedupBytes({ detector }))).text()],
  ['createClaims', (detector) => createClaims(detector)],
  ['save', (detector) => save(detector)],
  ['snapshotChunks', (detector) => snapshotChunks(detector)],
  ['repartition', (detector) => repartition(detector, 2)],
  ['merge', (detector) => merge([detector])],
];

describe.each(uses)('%s', (_, use) => {
  const attempt = async (detector: Detector) => use(detector);

  test('names another copy of the library, and what to do', async () => {
    const foreign = (await otherCopy.create(options)) as unknown as Detector;
    await expect(attempt(foreign)).rejects.toThrow(
      refused('E_PARAMETER', /a detector of another copy of firstseen, but must be .*; use one copy: npm ls firstseen/),
    );
  });

  test('names a proxy of a detector', async () => {
    const proxy = new Proxy(await create(options), {});
    await expect(attempt(proxy)).rejects.toThrow(refused('E_PARAMETER', /is a proxy of a detector, but must be/));
  });

  test.each([null, 7, 'a', {}, []])('still refuses %o', async (given) => {
    await expect(attempt(given as unknown as Detector)).rejects.toThrow(
      refused('E_PARAMETER', /but must be a (?:detector|value)|options/),
    );
  });
});
