// Compares the kernel's witness with its twin, and checks that it does not affect its detector.

import { describe, expect, test } from 'vitest';
import { type Detector, kernelOf } from '../../../src/detectors/detector.js';
import { setClockBack } from '../../../src/detectors/leadingclock.js';
import { MIN_WITNESS_BYTES } from '../../../src/detectors/witness.js';
import * as abi from '../../../src/kernel/abi.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import { DEFAULT_WITNESS_BYTES } from '../../../src/options/detector.js';
import { load } from '../../../src/snapshot/load.js';
import { save } from '../../../src/snapshot/snapshots.js';
import { WatchTwin } from '../../reference/watch.js';
import { type TwinSums, type TwinWindow, WitnessTwin } from '../../reference/witness.js';
import {
  allCases,
  answersOf,
  chosenCases,
  contentsOf,
  createDetector,
  defaultCases,
  digestOf,
} from '../../support/cases.js';
import { coverOf, inLongForm, sampleNote, sampleOf, sampleSeed } from '../../support/form.js';
import { kernelNames } from '../../support/kernels.js';
import { allDistinct, allEqual, denseIntegers, extremes, recency, uniform } from '../../support/streams.js';

const SEED = 42n;

interface Followed {
  level: number;
  followed: Map<bigint, number>;
  /** When each element was added last, with a window. */
  added: Map<bigint, number>;
  groups: TwinSums[];
  halved: { distinct: number; falsePositives: number };
  /** Undefined with a window. */
  watch: Pick<WatchTwin, 'counts' | 'sets'> | undefined;
}

/** The watch list of a witness that begins at `at`. */
function watchOf(kernel: Kernel, at: number): NonNullable<Followed['watch']> {
  const view = new DataView(kernel.bytes.buffer, at);
  const word = (offset: number) => view.getBigUint64(offset, true);
  const sets = new WatchTwin(SEED, kernel.witnessBytes).sets.map((ways, set) =>
    ways.map((_, way) => {
      const content = word(abi.WITNESS_WATCH_TABLE_OFFSET + (2 * set + way) * 8);
      return { hash: content >> 8n, credit: Number(content & 255n) };
    }),
  );
  const misses = Number(word(abi.WITNESS_WATCH_COUNT_OFFSET));
  return { counts: { misses, found: Number(word(abi.WITNESS_WATCH_FOUND_OFFSET)) }, sets };
}

/** The contents of the kernel's witness in the form of its twin. */
function followedBy(detector: Detector): Followed {
  const kernel = kernelOf(detector);
  const word = (at: number) => kernel.bytes.length > at && new DataView(kernel.bytes.buffer).getBigUint64(at, true);
  const at = kernel.witnessOffset;
  const form = word(at + abi.WITNESS_FORM_OFFSET);
  const hasWindow = form === abi.WITNESS_WINDOW_FORM;
  const watch = form === abi.WITNESS_WATCH_FORM ? watchOf(kernel, at) : undefined;
  const record =
    at + (watch ? abi.WITNESS_WATCH_TABLE_OFFSET + watch.sets.length * 16 : abi.WITNESS_WATCH_COUNT_OFFSET);
  const followed = new Map<bigint, number>();
  const added = new Map<bigint, number>();
  const entryBytes = hasWindow ? 24 : 16;
  for (let entry = record; entry + entryBytes <= at + kernel.witnessBytes; entry += entryBytes) {
    if (word(entry + 8) === 0n) continue;
    followed.set(word(entry) as bigint, Number(word(entry + 8)) - 1);
    if (hasWindow && word(entry + 16) !== 0n) added.set(word(entry) as bigint, Number(word(entry + 16)) - 1);
  }
  expect(Number(word(at + 8))).toBe(followed.size);
  const sums = at + abi.WITNESS_SUMS_OFFSET;
  const groups = Array.from({ length: abi.WITNESS_GROUPS }, (_, group) => {
    const sum = (place: number) => Number(word(sums + (group * abi.WITNESS_GROUP_SUMS + place) * 8));
    const gaps = Array.from({ length: abi.WITNESS_GAPS }, (_, gap) => gap);
    const ofGroup = Number(word(at + abi.WITNESS_WATCHED_SUMS_OFFSET + group * 8));
    return {
      distinct: sum(0),
      falsePositives: sum(1),
      duplicates: gaps.map((gap) => sum(2 + 2 * gap)),
      falseNegatives: gaps.map((gap) => sum(3 + 2 * gap)),
      watched: watch ? ofGroup : 0,
      late: hasWindow ? ofGroup : 0,
    };
  });
  const double = (offset: number) => new DataView(kernel.bytes.buffer).getFloat64(at + offset, true);
  const halved = {
    distinct: double(abi.WITNESS_HALVED_DISTINCT_OFFSET),
    falsePositives: double(abi.WITNESS_HALVED_FALSE_POSITIVES_OFFSET),
  };
  return { level: Number(word(at)), followed, added, groups, halved, watch };
}

function inOrder(map: ReadonlyMap<bigint, number>): Map<bigint, number> {
  return new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sorted({ followed, added, ...rest }: Followed): Followed {
  return { ...rest, followed: inOrder(followed), added: inOrder(added) };
}

/** Observes elements, each at its time if the window is a duration, in parts that end anywhere. */
function observeAtTimes(detector: Detector, elements: BigUint64Array, times: Float64Array): Uint8Array {
  if (!detector.settings.parameters.isTimed) return detector.observeBatch(elements);
  const kernel = kernelOf(detector);
  const verdicts = new Uint8Array(elements.length);
  for (let start = 0; start < elements.length; start += 4999) {
    const part = elements.subarray(start, start + 4999);
    kernel.fingerprints.set(part);
    kernel.times.set(times.subarray(start, start + part.length));
    detector.observePlacedTimed(part.length);
    verdicts.set(kernel.verdicts.subarray(0, part.length), start);
  }
  return verdicts;
}

/** The window of a detector as its twin takes it. */
function twinWindow({ settings: { parameters } }: Detector): TwinWindow | undefined {
  const { band, values } = parameters;
  if (band === undefined) return undefined;
  const refreshes = values.refresh === 'yes';
  if ('fromMilliseconds' in band) return { unit: 'time', size: band.fromMilliseconds, refreshes };
  return { unit: values.l === undefined ? 'elements' : 'adds', size: band.fromElements, refreshes };
}

async function expectTwin(elements: BigUint64Array, memory: number, options = {}): Promise<number> {
  let twin: WitnessTwin | undefined;
  for (const kernel of kernelNames) {
    const detector = await createDetector(
      { algorithm: 'rlbsbf', memory: 4096, seed: SEED, witness: { memory }, ...options },
      kernel,
    );
    const times = Float64Array.from(elements, (_, i) => 1.7e12 + 50.5 * (i ^ 31));
    const verdicts = observeAtTimes(detector, elements, times);
    if (twin === undefined) {
      twin = new WitnessTwin(SEED, memory, twinWindow(detector));
      for (const [i, element] of elements.entries()) twin.observe(element, verdicts[i] as number, times[i]);
    }
    const { level, followed, added, groups, halved } = twin;
    const watch = twin.watch && { counts: twin.watch.counts, sets: twin.watch.sets };
    const hasWindow = detector.settings.parameters.band !== undefined;
    const expected = { level, followed, added: hasWindow ? added : new Map(), groups, halved, watch };
    expect(sorted(followedBy(detector))).toEqual(sorted(expected));
  }
  return (twin as WitnessTwin).level;
}

const sizes = [MIN_WITNESS_BYTES, 40_001, DEFAULT_WITNESS_BYTES];

describe('the witness has the same contents as its twin', () => {
  const streams: [string, BigUint64Array][] = [
    ['uniform draws', uniform(30_000, 20_000)],
    ['new elements only', allDistinct(20_000)],
    ['one element repeatedly', allEqual(1000)],
    ['repeats of recent elements', recency(20_000, 500)],
    ['small integers', denseIntegers(20_000, 9000)],
    ['lowest and highest fingerprints', extremes(5000)],
    ['nothing', new BigUint64Array()],
  ];

  test.each(streams)(`of %s${sampleNote}`, async (_, elements) => {
    for (const memory of sampleOf(sizes, 1, sampleSeed + elements.length)) await expectTwin(elements, memory);
  });

  test('when it halves repeatedly because it is full', async () => {
    expect(await expectTwin(uniform(60_000, 50_000), MIN_WITNESS_BYTES)).toBeGreaterThan(5);
  });

  test('when pacing halves it before it is full', async () => {
    expect(await expectTwin(uniform(300_000, 2000), DEFAULT_WITNESS_BYTES)).toBe(3);
    expect(await expectTwin(uniform(inLongForm(300_000, 60_000), 200), DEFAULT_WITNESS_BYTES)).toBe(0);
  });
});

const windows = [{ window: 300 }, { window: 300, refresh: true }, { window: '30s' }, { window: '30s', refresh: true }];
const windowed = ['apbf', 'exactwindow'].flatMap((algorithm) => windows.map((asked) => ({ algorithm, asked })));

describe(`the witness of windows has the same contents as its twin${sampleNote}`, () => {
  test.each(coverOf(windowed, ({ algorithm, asked }) => [algorithm, ...Object.entries(asked).map(String)]))(
    'of $algorithm with $asked',
    async ({ algorithm, asked }) => {
      const options = { algorithm, memory: '128KiB', ...asked };
      const elements = recency(40_000, 3000);
      const memories = sampleOf([MIN_WITNESS_BYTES, DEFAULT_WITNESS_BYTES], 1);
      for (const memory of memories) await expectTwin(elements, memory, options);
      expect(await expectTwin(uniform(40_000, 30_000), MIN_WITNESS_BYTES, options)).toBeGreaterThan(4);
    },
  );
});

describe('a clock that is set back', () => {
  const options = { algorithm: 'apbf', memory: '64KiB', window: '1h', witness: true } as const;
  const HOUR = 3_600_000;
  const rateAfter = async (start: number, ahead: number, later: number) => {
    const detector = await createDetector(options);
    const elements = allDistinct(50);
    detector.advance(start);
    detector.observeBatch(elements);
    detector.advance(start + ahead);
    detector.observeBatch(allDistinct(1, 60));
    setClockBack(detector, start);
    detector.advance(start + later);
    const found = detector.observeBatch(elements).reduce((sum, verdict) => sum + verdict, 0);
    return { found, rate: detector.stats().witness?.falseNegativeRate.estimate };
  };

  test('leaves what had left the window outside', async () => {
    expect(await rateAfter(1.7e12, 24 * HOUR, 60_000)).toEqual({ found: 0, rate: null });
    expect(await rateAfter(1000, 24 * HOUR, 60_000)).toEqual({ found: 0, rate: null });
  });

  test('leaves the rest inside', async () => {
    expect(await rateAfter(1.7e12, HOUR / 2, HOUR / 4)).toEqual({ found: 50, rate: 0 });
    expect(await rateAfter(1.7e12, HOUR / 2, 9 * HOUR)).toEqual({ found: 0, rate: null });
  });
});

test('a record of a form that no detector writes is refused', async () => {
  for (const options of [{ memory: '64KiB' }, { memory: '64KiB', algorithm: 'apbf', window: 100 }] as const) {
    const detector = await createDetector({ ...options, witness: { memory: MIN_WITNESS_BYTES } });
    detector.observeBatch(recency(2000, 1500));
    const { bytes, witnessOffset } = kernelOf(detector);
    new DataView(bytes.buffer, witnessOffset).setBigUint64(abi.WITNESS_FORM_OFFSET, 0n, true);
    await expect(save(detector).then((snapshot) => load(snapshot))).rejects.toMatchObject({ code: 'E_SNAPSHOT' });
  }
});

test('crafted elements that are in every slice neither stop the witness nor stay in it', async () => {
  const twin = new WitnessTwin(SEED, MIN_WITNESS_BYTES);
  // The inverse of the factor converts slice hashes 0, 1, 2, ... back to fingerprints.
  const { key, factor } = twin.sliceParameters();
  let inverse = factor;
  for (let i = 0; i < 6; i++) inverse = BigInt.asUintN(64, inverse * (2n - factor * inverse));
  const crafted = BigUint64Array.from({ length: 3000 }, (_, i) => BigInt.asUintN(64, BigInt(i) * inverse) ^ key);
  expect(await expectTwin(crafted, MIN_WITNESS_BYTES)).toBeGreaterThan(50);
});

describe.each(chosenCases(allCases(20_001)))(`$name${sampleNote}`, ({ options }) => {
  const elements = recency(3000, 400);

  test('has the same answers and final state with and without a witness', async () => {
    const plain = await createDetector(options);
    const witnessed = await createDetector({ ...options, witness: { memory: MIN_WITNESS_BYTES } });
    expect(answersOf(witnessed, elements)).toEqual(answersOf(plain, elements));
    expect(contentsOf(witnessed)).toBe(contentsOf(plain));
    expect(plain.stats().witness).toBeUndefined();
  });
});

describe.each(defaultCases(4096))('the witness of $name', ({ options }) => {
  const witnessed = { ...options, witness: { memory: MIN_WITNESS_BYTES } };

  test('does not depend on how the stream is cut', async () => {
    const elements = recency(5000, 3000);
    const whole = await createDetector(witnessed);
    answersOf(whole, elements);
    for (const step of [1, 3, 1000]) {
      const parts = await createDetector(witnessed);
      for (let start = 0; start < elements.length; start += step) {
        if (answersOf(parts, elements.subarray(start, start + step)).isRefused) break;
      }
      expect(digestOf(kernelOf(parts).witness)).toBe(digestOf(kernelOf(whole).witness));
    }
  });

  test('is saved with its detector and continues unchanged', async () => {
    const saved = await createDetector(witnessed);
    answersOf(saved, recency(2500, 3000));
    const snapshot = await save(saved);
    const loaded = await load(snapshot);
    expect(await save(loaded)).toEqual(snapshot);
    expect(loaded.stats()).toEqual(saved.stats());
    const rest = recency(2500, 3000, 8);
    expect(answersOf(loaded, rest)).toEqual(answersOf(saved, rest));
    expect(digestOf(kernelOf(loaded).witness)).toBe(digestOf(kernelOf(saved).witness));
    expect(loaded.stats()).toEqual(saved.stats());
  });
});

test('the witness of a full detector has followed every element that the detector accepted', async () => {
  const detector = await createDetector({ algorithm: 'exact', memory: 1024, witness: true });
  const { verdicts, isRefused } = answersOf(detector, uniform(1000, 1000));
  expect(isRefused).toBe(true);
  const { witness } = detector.stats();
  const duplicates = verdicts.reduce((sum, verdict) => sum + verdict, 0);
  expect(witness).toMatchObject({
    fraction: 1,
    elements: verdicts.length - duplicates,
    falsePositiveRate: { estimate: 0, low: 0, high: 0 },
    falseNegativeRate: { estimate: 0, low: 0, high: 0 },
  });
  expect(witness?.byGap.reduce((sum, gap) => sum + gap.duplicates, 0)).toBe(duplicates);
});

test('the witness follows additions, but not tests', async () => {
  const detector = await createDetector({ memory: '64KiB', witness: true });
  detector.test('a');
  expect(detector.stats().witness?.elements).toBe(0);
  detector.add('a');
  expect(detector.stats().witness?.elements).toBe(1);
});

describe('memory of the witness', () => {
  test.each<[unknown, number]>([
    [true, DEFAULT_WITNESS_BYTES],
    [{ memory: '64KiB' }, 65536],
    [{ memory: 32768 }, 32768],
  ])('%j', async (witness, memoryBytes) => {
    const detector = await createDetector({ memory: '64KiB', witness: witness as boolean });
    expect(detector.stats().witness).toMatchObject({ memoryBytes, elements: 0, fraction: 1, byGap: [] });
    expect(detector.stats().witness?.falsePositiveRate).toEqual({ estimate: null, low: 0, high: 1 });
  });

  test.each<[unknown, string, RegExp]>([
    [{ memory: 32767 }, 'E_MEMORY', /witness.memory is 32767, but must be at least 32KiB/],
    [{ memory: 'much' }, 'E_MEMORY', /witness.memory is "much"/],
    ['yes', 'E_PARAMETER', /witness is "yes", but must be true, false or \{ memory \}/],
    [7, 'E_PARAMETER', /witness is 7/],
    [{ memory: '4GiB' }, 'E_MEMORY', /witness.memory is 4GiB, but beside the detector there is room for at most/],
  ])('%j is refused', async (witness, code, message) => {
    await expect(createDetector({ memory: '64KiB', witness: witness as boolean })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
