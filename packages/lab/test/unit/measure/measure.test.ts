import { Detector, kernelOf } from 'firstseen/internal';
import { expect, test } from 'vitest';
import { countErrors, noErrors } from '../../../../firstseen/test/support/rates.js';
import type { CurvePoint, DetectorSpec, ErrorCounts, Measurement, RunSpec, StreamSpec } from '../../../src/contract.js';
import { convergedAt } from '../../../src/measure/convergence.js';
import { runKey } from '../../../src/measure/key.js';
import { measure } from '../../../src/measure/measure.js';
import { openStream } from '../../../src/measure/stream.js';

const stream: StreamSpec = { kind: 'uniform', lengthElements: 40_000, seed: 3, settings: { distinctShare: 0.3 } };

function detectorSpec(changes: Partial<DetectorSpec> = {}): DetectorSpec {
  return { algorithm: 'rlbsbf', layout: 'classic', memoryBytes: 4096, parameters: { k: 2 }, seed: 5, ...changes };
}

function runSpec(changes: Partial<RunSpec> = {}): RunSpec {
  return { stream, identity: 'hashed', detector: detectorSpec(), curvePoints: 0, byGap: false, ...changes };
}

async function measured(...specs: RunSpec[]): Promise<Measurement> {
  return (await measure(specs))[0] as Measurement;
}

/** The elements and the truth of a whole stream. */
async function wholeStream(spec: StreamSpec): Promise<{ elements: BigUint64Array; truth: Uint8Array }> {
  const open = await openStream(spec, { identity: 'hashed', isByGap: false });
  const elements = new BigUint64Array(spec.lengthElements);
  const truth = new Uint8Array(spec.lengthElements);
  for (let at = 0, count = 1; count > 0; at += count) {
    count = await open.next(1000);
    elements.set(open.fingerprints.subarray(0, count), at);
    truth.set(open.truth.subarray(0, count), at);
  }
  return { elements, truth };
}

function countsIn({ distinct, duplicates, falsePositives, falseNegatives }: ErrorCounts): ErrorCounts {
  return { distinct, duplicates, falsePositives, falseNegatives };
}

/** A measurement without its spec and what depends on the machine or on concurrent runs. */
function answers({ elementsPerSecond: _speed, truthBytes: _truth, spec: _spec, key: _key, ...rest }: Measurement) {
  return rest;
}

test('counts the errors of a detector against the truth', async () => {
  const { elements, truth } = await wholeStream(stream);
  const detector = await Detector.create({
    algorithm: 'rlbsbf',
    layout: 'classic',
    memory: 4096,
    parameters: { k: 2 },
    seed: 5,
  });
  const expected = noErrors();
  countErrors(expected, truth, detector.observeBatch(elements));
  const found = await measured(runSpec());
  expect(countsIn(found)).toEqual(expected);
  expect(found.falsePositives).toBeGreaterThan(0);
  expect(found.falseNegatives).toBeGreaterThan(0);
  expect(found).toMatchObject({ elements: 40_000, curve: [], byGap: [], load: detector.stats().load });
  expect(found.stateBytes).toBe(4096 + kernelOf(detector).registers.byteLength);
});

test('the counts of the parts of a curve, and those by gap, add up to the totals', async () => {
  const found = await measured(runSpec({ curvePoints: 7, byGap: true }));
  const sum = <Name extends string>(rows: readonly Record<Name, number>[], name: Name) =>
    rows.reduce((total, row) => total + row[name], 0);
  for (const name of ['distinct', 'duplicates', 'falsePositives', 'falseNegatives'] as const) {
    expect(sum(found.curve, name)).toBe(found[name]);
  }
  for (const name of ['duplicates', 'falseNegatives'] as const) expect(sum(found.byGap, name)).toBe(found[name]);
  expect(found.curve.map(({ positionElements }) => positionElements)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((i) => Math.round((40_000 * i) / 7)),
  );
  expect(found.curve.at(-1)?.load).toBe(found.load);
});

test('gaps are grouped by powers of two', async () => {
  const spec = { ...stream, kind: 'adversarial', lengthElements: 600, settings: { gapElements: 100, occurrences: 3 } };
  const detector = detectorSpec({ algorithm: 'exact', layout: 'classic', memoryBytes: 65_536, parameters: {} });
  const found = await measured(runSpec({ stream: spec, detector, byGap: true }));
  expect(found.byGap).toEqual([{ fromElements: 64, toElements: 128, duplicates: 400, falseNegatives: 0 }]);
});

test('a run gives the same result alone and with others, and a full detector ends only its own run', async () => {
  const specs = [
    runSpec({ curvePoints: 3 }),
    runSpec({ detector: detectorSpec({ algorithm: 'sbf', memoryBytes: 8192, parameters: {} }), curvePoints: 5 }),
    runSpec({
      detector: detectorSpec({ algorithm: 'exact', layout: 'classic', memoryBytes: 65_536, parameters: {} }),
      byGap: true,
      curvePoints: 4,
    }),
  ];
  const together = await measure(specs);
  for (const [i, spec] of specs.entries()) {
    expect(answers(together[i] as Measurement)).toEqual(answers(await measured(spec)));
  }
  expect(together.map(({ elements }) => elements < stream.lengthElements)).toEqual([false, false, true]);
});

test('a run ends when its detector is full, and counts the elements until then', async () => {
  const detector = detectorSpec({ algorithm: 'exact', layout: 'classic', memoryBytes: 16_384, parameters: {} });
  const found = await measured(runSpec({ detector, curvePoints: 100 }));
  const { elements, truth } = await wholeStream(stream);
  const whole = await Detector.create({ algorithm: 'exact', layout: 'classic', memory: 16_384, seed: 5 });
  expect(() => whole.observeBatch(elements)).toThrow('have no room for another element');
  const taken = whole.observed;
  expect(found).toMatchObject({ elements: taken, refusedAtElements: taken });
  expect(found.distinct).toBe(truth.subarray(0, taken).filter((byte) => byte === 0).length);
  expect(truth[taken]).toBe(0);
  expect(found.falsePositives + found.falseNegatives).toBe(0);
  expect(found.curve.at(-1)?.positionElements).toBeLessThanOrEqual(taken);
});

test('runs of several streams are refused', async () => {
  await expect(measure([runSpec(), runSpec({ identity: 'identifier' })])).rejects.toMatchObject({
    code: 'E_PARAMETER',
  });
  await expect(measure([])).rejects.toMatchObject({ code: 'E_PARAMETER' });
});

test('the last progress is the length of the stream', async () => {
  const seen: number[] = [];
  await measure([runSpec()], { onProgress: (elements) => seen.push(elements) });
  expect(seen.at(-1)).toBe(40_000);
});

test('the key of a run depends on its values, not on their order', () => {
  const spec = runSpec();
  const { stream: first, ...rest } = spec;
  expect(runKey({ ...rest, stream: { ...first, settings: { ...first.settings } } })).toBe(runKey(spec));
  expect(runKey({ ...spec, byGap: true })).not.toBe(runKey(spec));
  expect(runKey({ ...spec, detector: detectorSpec({ seed: 6 }) })).not.toBe(runKey(spec));
});

test('a load has converged at the first point after which it stays the same', () => {
  const curveOf = (...loads: number[]) =>
    loads.map((load, i): CurvePoint => ({ positionElements: 10 * (i + 1), load, ...noErrors() }));
  expect(convergedAt(curveOf(0.1, 0.3, 0.31, 0.5, 0.505, 0.5), 0.02)).toBe(40);
  expect(convergedAt(curveOf(0.5, 0.5, 0.5), 0.02)).toBe(10);
  expect(convergedAt(curveOf(0.1, 0.2, 0.3), 0.02)).toBeUndefined();
  expect(convergedAt(curveOf(0.1), 0.02)).toBeUndefined();
});
