// A detector of a program that is past what it was planned for: the event, the statistic, and the refusal.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  create,
  createClaims,
  createPool,
  createSync,
  type Detector,
  dedup,
  load,
  type Overload,
  save,
} from '../../../src/index.js';
import { createThreaded, openState, runFiles } from '../../../src/node.js';
import { inLongForm } from '../../support/form.js';
import { allDistinct } from '../../support/streams.js';

const CHANNEL = 'firstseen:overload';
/** The figures of a report: bloom, taken for this hint, dropped 681,490 of two million new keys. */
const wrong = inLongForm({ distinctElements: 100_000, memory: '1MiB' }, { distinctElements: 25_000, memory: '256KiB' });
const ELEMENTS = 20 * wrong.distinctElements;
const elements = allDistinct(ELEMENTS);

interface Told {
  detector: Detector;
  overload: Overload;
  error: Error;
}

const told: Told[] = [];
const note = (message: unknown) => void told.push(message as Told);
beforeEach(() => subscribe(CHANNEL, note));
afterEach(() => {
  unsubscribe(CHANNEL, note);
  told.length = 0;
});

const lost = (verdicts: Uint8Array) => verdicts.reduce((sum, verdict) => sum + verdict, 0);
const overloaded = expect.objectContaining({ code: 'E_OVERLOAD' });

describe('a detector that was loaded', () => {
  test('is watched if that is asked for, and its claims are refused when it refuses elements', async () => {
    const detector = await create({ algorithm: 'bloom', memory: '1MiB', fpr: 1e-6 });
    const snapshot = await save(detector);
    const loaded = await load(snapshot, { onOverload: 'fail', fpr: 1e-6 });
    const claims = createClaims(loaded);
    expect(claims.claim('before').verdict).toBe('distinct');
    expect(() => loaded.observeBatch(elements)).toThrow(overloaded);
    expect(() => claims.claim('after')).toThrow(overloaded);
    expect(told).toHaveLength(1);
    expect(loaded.stats().overload).toMatchObject({ targetFpr: 1e-6 });
  });

  test('has no target unless it is given, and no target without a policy', async () => {
    const snapshot = await save(await create({ algorithm: 'bloom', memory: '1KiB' }));
    await expect(load(snapshot, { onOverload: 'warn' })).rejects.toThrow(/has no target.*fpr/);
    await expect(load(snapshot, { fpr: 1e-6 })).rejects.toThrow(
      /^fpr is 0\.000001, but must be left out without onOverload/,
    );
    await expect(load(snapshot, { onOverload: 'ignore' as never, fpr: 1e-6 })).rejects.toThrow(/^onOverload is/);
    await expect(load(snapshot, { onOverload: 'warn', fpr: 2 })).rejects.toThrow(/^fpr is 2/);
  });
});

describe.each([
  ['create', create],
  ['createSync', async (options: Parameters<typeof createSync>[0]) => createSync(options)],
] as const)('%s with a wrong hint', (_, make) => {
  test('loses no new keys by default', async () => {
    const detector = await make(wrong);
    // At 1e-6, 20 false positives or more among two million come with probability 1e-13.
    expect(lost(detector.observeBatch(elements))).toBeLessThan(20);
    expect(told).toEqual([]);
    expect(detector.stats()).not.toHaveProperty('overload');
  });

  test('and a policy may rely on it: warn tells the overload once', async () => {
    const detector = await make({ ...wrong, onOverload: 'warn' });
    expect(detector.settings.family.name).toBe('bloom');
    detector.observeBatch(elements.subarray(0, wrong.distinctElements));
    expect(told).toEqual([]);
    const more = lost(detector.observeBatch(elements.subarray(wrong.distinctElements)));
    expect(more).toBeGreaterThan(wrong.distinctElements);
    expect(told).toEqual([{ detector, overload: expect.any(Object), error: overloaded }]);
    const { overload } = detector.stats();
    expect(overload).toMatchObject({ evidence: 'predicted', targetFpr: 1e-6 });
    expect(overload?.sinceElements).toBeGreaterThan(wrong.distinctElements);
    expect(overload?.sinceElements).toBeLessThan(400_000);
    expect(overload?.fpr).toBeGreaterThan(0.01);
  });

  test('fail refuses further elements, after the preceding ones are answered', async () => {
    const detector = await make({ ...wrong, onOverload: 'fail' });
    const verdicts = new Uint8Array(ELEMENTS).fill(2);
    expect(() => detector.observeBatch(elements, verdicts)).toThrow(overloaded);
    const { observed } = detector;
    expect(observed).toBe(detector.stats().overload?.sinceElements);
    expect(verdicts.subarray(0, observed).includes(2)).toBe(false);
    expect(lost(verdicts.subarray(0, observed))).toBeLessThan(5);
    expect(verdicts[observed]).toBe(2);
    for (const refused of [() => detector.observe('new'), () => detector.observeMany(['a', 'b'])]) {
      expect(refused).toThrow(overloaded);
    }
    expect(detector.observed).toBe(observed);
    expect(detector.test(1n)).toBe('distinct');
    expect(told).toHaveLength(1);
    detector.clear();
    expect(detector.observe('new')).toBe('distinct');
    expect(detector.stats()).not.toHaveProperty('overload');
  });
});

test('the overload does not depend on how elements are cut into calls', async () => {
  const since = [];
  for (const batch of [1000, 7777, ELEMENTS]) {
    const detector = await create({ algorithm: 'bloom', memory: '4KiB', fpr: 0.01, onOverload: 'warn' });
    for (let from = 0; from < 20_000; from += batch) detector.observeBatch(allDistinct(Math.min(batch, 20_000), from));
    since.push(detector.stats().overload?.sinceElements);
  }
  expect(since[0]).toBeGreaterThan(1000);
  expect(new Set(since).size).toBe(1);
});

test('a measured rate is told too', async () => {
  const made = { algorithm: 'bsbf', memory: '4KiB', fpr: 1e-4, witness: true, onOverload: 'warn' } as const;
  const detector = await create(made);
  detector.observeBatch(allDistinct(100_000));
  expect(detector.stats().overload?.fpr).toBeGreaterThan(1e-4);
});

describe('in other places', () => {
  const small = { algorithm: 'bloom', memory: '4KiB', fpr: 0.01, onOverload: 'fail' } as const;

  test('a stream ends with the error', async () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `key ${i}`);
    const passed: string[] = [];
    const all = async () => {
      for await (const key of dedup(keys, small)) passed.push(key);
    };
    await expect(all()).rejects.toThrow(overloaded);
    expect(passed.length).toBeGreaterThan(1000);
    expect(passed.length).toBeLessThan(10_000);
  });

  test('a state that is opened again is watched', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-'));
    const path = join(folder, 'state');
    const first = await openState(path, { ...small, onOverload: 'warn' });
    first.detector.observeBatch(allDistinct(20_000));
    await first.save();
    await first.close();
    const again = await openState(path, small);
    expect(() => again.detector.observe('new')).toThrow(overloaded);
    await again.close();
    rmSync(folder, { recursive: true });
  });

  test('what cannot be watched is refused', async () => {
    const refused = { code: 'E_PARAMETER', option: 'onOverload' };
    await expect(create({ algorithm: 'bloom', onOverload: 'warn' })).rejects.toMatchObject(refused);
    await expect(create({ onOverload: 'stop' as 'warn' })).rejects.toMatchObject(refused);
    await expect(createPool({ memory: '1MiB', detector: small })).rejects.toMatchObject(refused);
    const onThreads = small as Parameters<typeof createThreaded>[0];
    await expect(createThreaded(onThreads, { threads: 2 })).rejects.toMatchObject(refused);
  });
});

describe('a run', () => {
  const algorithmOf = async (onOverload?: 'warn' | 'fail') => {
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-'));
    const output = join(folder, 'out');
    const input = new URL('../../../../../README.md', import.meta.url).pathname;
    const { algorithm } = await runFiles({
      inputs: [input],
      output,
      detector: wrong,
      ...(onOverload ? { onOverload } : {}),
    });
    rmSync(folder, { recursive: true });
    return algorithm;
  };

  test('relies on an expectation only if it is told what to do once that is exceeded', async () => {
    expect(await algorithmOf()).not.toBe('bloom');
    expect(await algorithmOf('warn')).toBe('bloom');
    expect(await algorithmOf('fail')).toBe('bloom');
  });
});
