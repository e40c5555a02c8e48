// A detector that was cleared is as a new one, and one that was disposed of refuses every use.

import { describe, expect, test } from 'vitest';
import { dispose } from '../../src/base/dispose.js';
import { kernelOf } from '../../src/detectors/detector.js';
import { type CreateOptions, create, createClaims, type Detector } from '../../src/index.js';
import { allCases, answersOf, chosenCases, contentsOf, digestOf, partitionedCases } from '../support/cases.js';
import { sampleNote } from '../support/form.js';
import { recency } from '../support/streams.js';

const before = recency(900, 200, 1);
const after = recency(400, 100, 2);

async function expectNewAfterClear(options: CreateOptions): Promise<void> {
  const manual = typeof options.window === 'number' ? options : ({ ...options, clock: 'manual' } as const);
  const [cleared, fresh] = await Promise.all([create(manual), create(manual)]);
  if (cleared.settings.parameters.isTimed) cleared.advance(12_345);
  answersOf(cleared, before);
  cleared.clear();
  expect(contentsOf(cleared)).toBe(contentsOf(fresh));
  expect(digestOf(kernelOf(cleared).witness)).toBe(digestOf(kernelOf(fresh).witness));
  expect(cleared.clockMilliseconds).toBe(0);
  expect(answersOf(cleared, after)).toEqual(answersOf(fresh, after));
  expect(contentsOf(cleared)).toBe(contentsOf(fresh));
  expect(cleared.stats()).toEqual(fresh.stats());
}

describe.each(chosenCases([...allCases(), ...partitionedCases()]))(`$name${sampleNote}`, ({ options }) => {
  test('is as new after clear', async () => {
    await expectNewAfterClear(options);
  });
});

const others: CreateOptions[] = [
  { memory: '8KiB', window: '20s' },
  { memory: '64KiB', window: '20s', partitions: 4, refresh: true },
  { memory: '8KiB', algorithm: 'exact', window: '20s' },
  { memory: '1KiB', witness: { memory: '32KiB' }, secret: '000102030405060708090a0b0c0d0e0f' },
  { memory: '64KiB', window: 100, partitions: 4, witness: true },
];

test.each(others)('%o is as new after clear', async (options) => {
  await expectNewAfterClear(options);
});

test('a key that a claim holds stays held when its detector is cleared', async () => {
  const detector = await create({ memory: '1KiB' });
  const claims = createClaims(detector);
  const claim = claims.claim('held');
  detector.observe('seen');
  detector.clear();
  expect(detector.test('seen')).toBe('distinct');
  expect(claims.claim('held').verdict).toBe('pending');
  if (claim.verdict !== 'distinct') throw new Error('the key is new');
  expect(claim.commit()).toBe('committed');
  expect(detector.test('held')).toBe('duplicate');
});

const uses: Record<string, (detector: Detector) => unknown> = {
  observe: (detector) => detector.observe('key'),
  test: (detector) => detector.test('key'),
  add: (detector) => detector.add('key'),
  observeBatch: (detector) => detector.observeBatch(after),
  testBatch: (detector) => detector.testBatch(after),
  fingerprint: (detector) => detector.fingerprint('key'),
  advance: (detector) => detector.advance(1),
  clockMilliseconds: (detector) => detector.clockMilliseconds,
  observed: (detector) => detector.observed,
  duplicates: (detector) => detector.duplicates,
  stats: (detector) => detector.stats(),
  clear: (detector) => detector.clear(),
  claim: (detector) => createClaims(detector).claim('key'),
};

test.each(Object.entries(uses))('a detector that was disposed of refuses %s', async (_name, use) => {
  const detector = await create({ memory: '8KiB', window: '1h', clock: 'manual' });
  detector.observe('key');
  expect(() => use(detector)).not.toThrow();
  detector[dispose]();
  detector[dispose]();
  expect(() => use(detector)).toThrow(
    expect.objectContaining({
      code: 'E_CLOSED',
      message: expect.stringMatching(/^the detector was closed; dispose of/),
    }),
  );
});
