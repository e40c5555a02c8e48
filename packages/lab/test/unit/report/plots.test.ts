import { describe, expect, test } from 'vitest';
import type { ReportRow } from '../../../src/contract.js';
import {
  againstMemory,
  alongStream,
  convergence,
  errorPlane,
  limitCurve,
  type NamedCurve,
  publishedAgainstMeasured,
} from '../../../src/report/plots.js';

const MIB = 2 ** 20;
const options = { id: 'p', title: 'P' };

/** Two parts: errors on 10 of 100 distinct elements and 4 of 50 duplicates, then on 40 of 100 and 0 of 0. */
const curves: NamedCurve[] = [
  {
    name: 'sbf',
    curve: [
      { positionElements: 150, load: 0.25, distinct: 100, duplicates: 50, falsePositives: 10, falseNegatives: 4 },
      { positionElements: 250, load: 0.5, distinct: 100, duplicates: 0, falsePositives: 40, falseNegatives: 0 },
    ],
  },
];

const pointsOf = ({ series }: ReturnType<typeof alongStream>) => series[0]?.points.map(({ x, y }) => [x, y]);

describe('plots of curves', () => {
  test('show the rate of each part of the stream in percent, if it has one', () => {
    expect(alongStream(curves, 'fpr', options)).toMatchObject({ id: 'p', title: 'P', y: { label: 'FPR %' } });
    expect(pointsOf(alongStream(curves, 'fpr', options))).toEqual([
      [150, 10],
      [250, 40],
    ]);
    expect(pointsOf(alongStream(curves, 'fnr', options))).toEqual([[150, 8]]);
  });

  test('show the load', () => {
    expect(pointsOf(alongStream(curves, 'load', options))).toEqual([
      [150, 25],
      [250, 50],
    ]);
  });

  test('show the deviation from the last value in percent, and the line below which it counts as small', () => {
    const stable = { ...options, stableShare: 0.1 };
    expect(pointsOf(convergence(curves, 'fpr', stable))).toEqual([[150, 75]]);
    const { series } = convergence(curves, 'load', stable);
    expect(series[0]?.points).toEqual([{ x: 150, y: 50 }]);
    expect(series[1]).toMatchObject({ role: 'guide', points: [150, 150].map((x) => ({ x, y: 10 })) });
    expect(convergence(curves, 'fnr', stable).series).toEqual([]);
  });
});

describe('plots of whole streams', () => {
  const sized = [64, 1, 8].map((mib) => ({ name: 'sbf', memoryBytes: mib * MIB, fpr: 0.125, fnr: 0.25 }));
  const published = { ...sized[0], name: 'sbf', memoryBytes: MIB, fpr: 0.5, role: 'published' as const };

  test('by memory have one series for each name and role', () => {
    const { series } = againstMemory(
      [...sized, published, { name: 'rsbf', memoryBytes: MIB, fnr: 0.5 }],
      'fpr',
      options,
    );
    expect(series).toEqual([
      { name: 'sbf', kind: 'line', points: [1, 8, 64].map((mib) => ({ x: mib * MIB, y: 12.5 })) },
      { name: 'sbf', kind: 'line', role: 'published', points: [{ x: MIB, y: 50 }] },
    ]);
  });

  test('have a limit for each FPR from one in a million to 1', () => {
    const limit = limitCurve((fpr) => 1 - fpr);
    expect(limit[0]?.fpr).toBeCloseTo(1e-6, 12);
    expect(limit.at(-1)).toEqual({ fpr: 1, fnr: 0 });
    expect(limit.every(({ fpr, fnr }) => fnr === 1 - fpr)).toBe(true);
  });

  test('show the part of the limit near the points', () => {
    const limit = [0.9, 0.25, 0.0625, 0.001].map((fpr) => ({ fpr, fnr: 0.125 }));
    const { series } = errorPlane(sized.slice(0, 1), limit, options);
    expect(series[0]?.points).toEqual([{ x: 12.5, y: 25 }]);
    expect(series[1]).toEqual({
      name: 'limit of any structure',
      kind: 'line',
      role: 'limit',
      points: [6.25, 25].map((x) => ({ x, y: 12.5 })),
    });
    expect(errorPlane(sized, [], options).series).toHaveLength(1);
  });
});

describe('published against measured', () => {
  const row = (name: string, published: number | undefined, measured: number): ReportRow => ({
    id: name,
    labels: [name],
    published: published === undefined ? {} : { fpr: published },
    measured: { fpr: { estimate: measured, low: measured, high: measured } },
    predicted: {},
    limit: {},
    verdict: { kind: 'reproduced', text: '' },
    parameters: '',
    command: '',
  });
  const nameOf = ({ labels }: ReportRow) => labels[0] as string;

  test('has a point for each row with both rates, and the line of equality', () => {
    const rows = [row('a', 0.5, 0.25), row('b', undefined, 0.1), row('a', 0, 0.125)];
    const { series } = publishedAgainstMeasured(rows, 'fpr', { ...options, nameOf });
    expect(series).toEqual([
      {
        name: 'a',
        kind: 'points',
        points: [
          { x: 50, y: 25 },
          { x: 0, y: 12.5 },
        ],
      },
      { name: 'equal', kind: 'line', role: 'guide', points: [12.5, 50].map((end) => ({ x: end, y: end })) },
    ]);
    expect(publishedAgainstMeasured(rows, 'fnr', { ...options, nameOf }).series).toEqual([]);
  });
});
