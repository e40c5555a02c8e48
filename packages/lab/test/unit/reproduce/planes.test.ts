import { families, plan } from 'firstseen/plan';
import { describe, expect, test } from 'vitest';
import { sampleOf } from '../../../../firstseen/test/support/form.js';
import type { Measurement, RunSpec } from '../../../src/contract.js';
import { reportConclusions } from '../../../src/reproduce/conclusions.js';
import { PLANE_FPR, type Plane, planeSections, planes } from '../../../src/reproduce/planes.js';
import { reproduce } from '../../../src/reproduce/run.js';
import { runsOf } from '../../../src/reproduce/trial.js';
import { streamModel } from '../../../src/streams/registry.js';
import { measurementOf } from './support.js';

const settings = { scale: 1 / 32, seeds: 1, data: {} };
const names: readonly string[] = families.map(({ name }) => name);
const OF = 1_000_000;

/** The families that a plane has with planned parameters. A new family is added when its runs have been made. */
function plannedNames({ planned }: Plane): string[] {
  return planned.map(({ algorithm }) => algorithm);
}

/** Each family of the registry makes more errors than the one before it. The first, the exact set, is full. */
function madeMeasurement(spec: RunSpec): Measurement {
  const index = names.indexOf(spec.detector.algorithm);
  const measurement = measurementOf(
    { distinct: OF, duplicates: OF, falsePositives: 10 * index, falseNegatives: 20_000 * index },
    [],
    spec,
  );
  return index === 0 ? { ...measurement, refusedAtElements: 31_250 } : measurement;
}

const made = reproduce(
  planeSections,
  settings,
  async (specs) => new Map(specs.map(madeMeasurement).map((measurement) => [measurement.key, measurement])),
);

describe.each(planes)('$id', (plane) => {
  const { id } = plane;

  test('has every family with its defaults and with planned parameters', async () => {
    const section = (await made).find((one) => one.id === id);
    const shown = (choice: string) =>
      section?.rows.filter(({ labels }) => labels[3] === choice).map(({ labels }) => labels[0]);
    expect(shown('by itself')).toEqual(names);
    expect(shown('planned')?.toSorted()).toEqual(plannedNames(plane).toSorted());
  });

  test('draws all families that refused no element, and the limit', async () => {
    const section = (await made).find((one) => one.id === id);
    expect(section?.plots.map((plot) => plot.id)).toEqual([`${id}-planned`, `${id}-by-itself`]);
    for (const { id: plot, series } of section?.plots ?? []) {
      const shown = series.filter(({ kind }) => kind === 'points').map(({ name }) => name);
      const expected = plot.endsWith('-planned') ? plannedNames(plane) : names.filter((name) => name !== 'exact');
      expect(shown.toSorted()).toEqual(expected.toSorted());
      expect(series.at(-1)).toMatchObject({ role: 'limit', kind: 'line' });
      expect(series.at(-1)?.points.length).toBeGreaterThan(5);
    }
  });

  test('compares rates with the predictions, and says when a detector is full at full scale', async () => {
    const rows = (await made).find((one) => one.id === id)?.rows ?? [];
    const verdictOf = (name: string) => rows.find((row) => row.id === `${id}/${name}`)?.verdict;
    expect(verdictOf('exact/by-itself')).toEqual({
      kind: 'not reproducible',
      text: 'full after 1,000,000 elements',
    });
    expect(verdictOf('bloom/by-itself')?.kind).toBe('differs');
    expect(verdictOf('bloom/by-itself')?.text).toMatch(/^FPR 0.001 %, predicted [\d.]+ %; FNR 2 %, predicted 0 %$/);
  });
});

/** The planner takes seconds for a plane. */
const plannedPlanes = sampleOf(planes, 1);

test.each(plannedPlanes)('$id has the parameters that the planner finds', async ({ stream, memoryBytes, planned }) => {
  const trial = { stream, identity: 'hashed' as const, algorithm: 'qht', memoryBytes, parameters: {} };
  const [run] = runsOf(trial, { ...settings, scale: 1 }) as [RunSpec];
  const found = await plan({ stream: await streamModel(run.stream), memory: memoryBytes, fpr: PLANE_FPR });
  for (const { algorithm, layout, parameters } of planned) {
    const advice = found.families.find((family) => family.algorithm === algorithm);
    expect({ layout, parameters }, algorithm).toEqual({ layout: advice?.layout, parameters: advice?.parameters });
  }
});

test('all planes have the same families', () => {
  const [first, ...others] = planes.map(plannedNames);
  expect(first?.length).toBeGreaterThan(10);
  expect(others).toEqual([first]);
});

test('runs have the layout of the planned detector, and a window and a generation at their scale', () => {
  const [, recency] = planes;
  const ring = recency?.planned.find(({ algorithm }) => algorithm === 'apbf');
  if (!recency || !ring) throw new Error('no plane of recent repeats');
  const [run] = runsOf({ ...recency, ...ring, identity: 'hashed' }, settings);
  expect(run?.stream.settings).toEqual({ distinctShare: 0.6, windowElements: 50_000_000 / 32 });
  expect(run?.detector).toMatchObject({ layout: ring.layout, parameters: { g: Math.round(7_305_153 / 32) } });
});

test('the first conclusion names the families with the fewest errors, and our rows do not count as rows of papers', async () => {
  const conclusions = reportConclusions(await made);
  expect(conclusions).toHaveLength(1);
  expect(conclusions[0]).toContain(
    'in 256MB over 1 billion uniform draws, 60 % distinct: bloom (2 %), sbf (4 %), rsbf (6 %)',
  );
});
