import { describe, expect, test } from 'vitest';
import type { Measurement, ReportRow } from '../../../../src/lab/contract.js';
import {
  convergenceOfError,
  errorAgainstLoad,
  errorAgainstMemory,
  errorAlongStream,
  errorPlane,
  loadAlongStream,
  publishedAgainstMeasured,
} from '../../../../src/lab/report/plots.js';
import { measurement } from '../../../support/reports.js';

const MIB = 2 ** 20;
const options = { id: 'p', title: 'P', nameOf: ({ spec }: Measurement) => spec.detector.algorithm };

/** Two stretches: 10 of 100 distinct and 4 of 50 duplicates wrong, then 30 of 100 and none of none. */
const two: Measurement = {
  ...measurement({ algorithm: 'sbf', fpr: 0, fnr: 0 }),
  distinct: 200,
  duplicates: 50,
  falsePositives: 40,
  falseNegatives: 4,
  curve: [
    { positionElements: 150, load: 0.2, distinct: 100, duplicates: 50, falsePositives: 10, falseNegatives: 4 },
    { positionElements: 250, load: 0.4, distinct: 100, duplicates: 0, falsePositives: 30, falseNegatives: 0 },
  ],
};

describe('plots along a stream', () => {
  test('have the rate of each stretch in percent, where there is one', () => {
    expect(errorAlongStream([two], { ...options, rate: 'fpr' }).series).toEqual([
      {
        name: 'sbf',
        kind: 'line',
        points: [
          { x: 150, y: 10 },
          { x: 250, y: 30 },
        ],
      },
    ]);
    expect(errorAlongStream([two], { ...options, rate: 'fnr' }).series[0]?.points).toEqual([{ x: 150, y: 8 }]);
  });

  test('have the load, and the rates against it', () => {
    expect(loadAlongStream([two], options).series[0]?.points).toEqual([
      { x: 150, y: 0.2 },
      { x: 250, y: 0.4 },
    ]);
    expect(errorAgainstLoad([two], { ...options, rate: 'fpr' }).series[0]?.points).toEqual([
      { x: 0.2, y: 10 },
      { x: 0.4, y: 30 },
    ]);
  });

  test('show how far the rate so far is from the final one', () => {
    const { series } = convergenceOfError([two], { ...options, rate: 'fpr' });
    expect(series[0]?.points).toEqual([{ x: 150, y: 10 }]);
  });
});

describe('plots of whole streams', () => {
  const rates = { fpr: 0.1, fnr: 0.2 };
  const wrong = (one: Measurement): Measurement => ({
    ...one,
    falsePositives: one.distinct * 0.1,
    falseNegatives: one.duplicates * 0.2,
  });
  const sized = [64, 1, 8].map((mib) => wrong(measurement({ algorithm: 'sbf', memoryBytes: mib * MIB, ...rates })));

  test('go by memory', () => {
    const plot = errorAgainstMemory(sized, { ...options, rate: 'fnr' });
    expect(plot.series).toEqual([{ name: 'sbf', kind: 'line', points: [1, 8, 64].map((x) => ({ x, y: 20 })) }]);
  });

  test('have the part of the limit that lies among the points', () => {
    const limit = [0.001, 0.05, 0.2, 0.9].map((fpr) => ({ fpr, fnr: 0.1 }));
    const plot = errorPlane(sized.slice(0, 1), limit, options);
    expect(plot.series[0]?.points).toEqual([{ x: 10, y: 20 }]);
    expect(plot.series[1]).toEqual({
      name: 'limit of any structure',
      kind: 'line',
      role: 'limit',
      points: [
        { x: 5, y: 10 },
        { x: 20, y: 10 },
      ],
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

  test('pairs what has both, beside the line of equality', () => {
    const rows = [row('a', 0.5, 0.25), row('b', undefined, 0.1), row('a', 0, 0.125)];
    const { series } = publishedAgainstMeasured(rows, {
      ...options,
      rate: 'fpr',
      nameOf: ({ labels }) => labels[0] as string,
    });
    expect(series).toEqual([
      {
        name: 'a',
        kind: 'points',
        points: [
          { x: 50, y: 25 },
          { x: 0, y: 12.5 },
        ],
      },
      {
        name: 'equal',
        kind: 'line',
        role: 'guide',
        points: [
          { x: 12.5, y: 12.5 },
          { x: 50, y: 50 },
        ],
      },
    ]);
  });
});
