// What programs without types can pass by mistake: options with unknown names, and first arguments of another type.

import { expect, test } from 'vitest';
import * as library from '../../src/index.js';
import * as motifs from '../../src/motifs.js';
import * as near from '../../src/near.js';
import * as node from '../../src/node.js';
import * as partitions from '../../src/partitions.js';
import * as plans from '../../src/plan.js';

type Call = (...values: unknown[]) => unknown;

/** The functions, callable with anything. */
const functions = { ...library, ...motifs, ...near, ...node, ...partitions, ...plans } as unknown as Readonly<
  Record<string, Call>
>;

/** The error of a call: thrown, rejected, or of the first step of an iteration. */
async function errorOf(name: string, ...values: unknown[]): Promise<unknown> {
  try {
    const made = (functions[name] as Call)(...values);
    const iterator = (made as Partial<AsyncGenerator> | undefined)?.[Symbol.asyncIterator]?.();
    await (iterator === undefined ? made : iterator.next());
  } catch (error) {
    return error;
  }
  return undefined;
}

const detector = await library.create({ memory: 1024 });

test.each<[string, unknown[]]>([
  ['create', []],
  ['createNear', []],
  ['createMotifs', []],
  ['createClaims', [detector]],
  ['plan', []],
  ['dedup', [['a']]],
  ['createThreaded', []],
  ['load', [new Uint8Array(0)]],
  ['loadNear', [new Uint8Array(0)]],
  ['loadMotifs', [new Uint8Array(0)]],
  ['keyOf', [['id'], { id: 1 }]],
  ['runFiles', []],
  ['runMotifs', []],
])('%s refuses an option with an unknown name', async (name, before) => {
  const error = await errorOf(name, ...before, { memmory: 2048 }, { threads: 2 });
  expect(error).toBeInstanceOf(library.FirstseenError);
  expect(error).toMatchObject({
    code: expect.stringMatching(/^E_(?:PARAMETER|USAGE)$/),
    option: 'memmory',
    given: 2048,
    message: expect.stringMatching(/^memmory is not an option; leave it out, or give one of \w+(?:, \w+)*$/),
  });
});

test('GapSample refuses an option with an unknown name', () => {
  expect(() => new plans.GapSample({ every: 2 } as object)).toThrow('every is not an option');
});

test('an option that is undefined counts as absent', async () => {
  const unset = { memory: undefined, fpr: undefined, window: undefined, algorithm: undefined, misspelt: undefined };
  const { memoryBytes, family } = (await library.create(unset)).settings;
  expect({ memoryBytes, name: family.name }).toEqual({ memoryBytes: 64 * 2 ** 20, name: 'qht' });
  const withWindow = (await library.create({ ...unset, window: 1000 })).settings;
  expect(withWindow).toEqual((await library.create({ window: 1000 })).settings);
  // A plan that takes little time.
  const task = { memory: '64KiB', layout: 'classic', distinctElements: 3000 } as const;
  expect((await plans.plan({ ...task, fpr: undefined })).fpr).toBe(1e-6);
});

const ofOptions = ['create', 'createNear', 'createMotifs', 'plan', 'createThreaded', 'runFiles', 'runMotifs'];
const ofDetectors = ['save', 'snapshotChunks', 'createClaims', 'repartition', 'split', 'merge'];
const others = ['load', 'loadNear', 'loadMotifs', 'loadThreaded', 'dedup', 'keyOf'];
const wrong: readonly unknown[] = [null, 5, true, Symbol.iterator];
const calls = [...ofOptions, ...ofDetectors, ...others].flatMap((name) => wrong.map((value) => [name, value] as const));
const texts = [...ofOptions, ...ofDetectors].map((name) => [name, '1MiB'] as const);
const objects = ofDetectors.map((name) => [name, {}] as const);

test.each([...calls, ...texts, ...objects])(
  '%s refuses the first argument %s with a typed error',
  async (name, value) => {
    const second = name.endsWith('Threaded') ? { threads: 2 } : undefined;
    expect(await errorOf(name, value, second)).toBeInstanceOf(library.FirstseenError);
  },
);

test('loadThreaded refuses an option with an unknown name', async () => {
  const error = await errorOf('loadThreaded', await library.save(detector), { threads: 2, memmory: 2048 });
  expect(error).toMatchObject({ code: 'E_PARAMETER', option: 'memmory' });
});

test('the refusal of an option names those of keys', async () => {
  const error = await errorOf('create', { memmory: 2048 });
  expect(error).toMatchObject({ expected: expect.stringMatching(/memory.*keys, format/) });
});

test('save takes detectors, detectors of near-duplicates and range motifs', async () => {
  const documents = await near.createNear({ memory: '64KiB' });
  const records = await motifs.createMotifs({ recordBytes: 8 });
  for (const saved of [detector, documents, records]) expect(await library.save(saved)).toBeInstanceOf(Uint8Array);
  const refused = { code: 'E_PARAMETER', option: 'saved', given: 'an object' };
  expect(await errorOf('save', {})).toMatchObject(refused);
});

test('dedup refuses what is not a detector', async () => {
  const error = await errorOf('dedup', ['a'], { detector: {} });
  expect(error).toMatchObject({ code: 'E_PARAMETER', option: 'detector' });
});

test.each<[string, () => unknown]>([
  ['dedupStream(null)', () => functions.dedupStream?.(null)],
  ['dedupTransform(null)', () => functions.dedupTransform?.(null)],
  ['dedupBytes(null)', () => functions.dedupBytes?.(null)],
  ['dedupBytesTransform(null)', () => functions.dedupBytesTransform?.(null)],
  ['parameters: null', () => functions.createSync?.({ parameters: null })],
  ['parameters: []', () => functions.createSync?.({ parameters: [] })],
  ['parameters: 5', () => functions.createSync?.({ algorithm: 'qht', parameters: 5 })],
  ['observeBatch()', () => (detector.observeBatch as Call)()],
  ['testBatch([1n])', () => (detector.testBatch as Call)([1n])],
  ['addBatch()', () => (new plans.GapSample().addBatch as Call)()],
])('%s is refused with a typed error', (_call, call) => {
  expect(call).toThrow(expect.objectContaining({ code: 'E_PARAMETER' }));
});

test('createThreaded refuses unknown options of its threads', async () => {
  expect(await errorOf('createThreaded', { memory: 1024 }, { threads: 1, workers: 2 })).toMatchObject({
    code: 'E_PARAMETER',
    option: 'workers',
  });
});

test('load lists no internal option', async () => {
  await expect(library.load(new Uint8Array(0), { maxmemory: 1 } as object)).rejects.toThrow(
    'maxmemory is not an option; leave it out, or give one of keys, format, keyExcept, ignoresCase, trims, normalize, numbersByValue, ignoresOrder, module, clock, now, maxMemory, onOverload, fpr',
  );
});
