import { uniformStream } from 'firstseen/internal';
import { describe, expect, test } from 'vitest';
import { bestOfEach, type Contestant, standingsOf } from '../../../src/advise/contest.js';
import { adviceSections, countsText } from '../../../src/advise/view.js';
import type { Measurement, RunSpec } from '../../../src/contract.js';
import { measurementOf } from '../reproduce/support.js';

interface Made {
  algorithm: string;
  falsePositives: number;
  falseNegatives: number;
  origin?: Contestant['origin'];
  refusedAtElements?: number;
}

/** Contestants and their measurements over a thousand new elements and a thousand repeats. */
function contest(made: readonly Made[]): { contestants: Contestant[]; measurements: Measurement[] } {
  const spec = ({ algorithm }: Made): RunSpec => ({
    stream: { kind: 'ids', lengthElements: 0, seed: 1, settings: { path: 'ids.txt' } },
    identity: 'hashed',
    detector: { algorithm, layout: 'classic', memoryBytes: 1024, parameters: {}, seed: 2 },
    curvePoints: 0,
    byGap: false,
  });
  return {
    contestants: made.map((one) => ({
      spec: spec(one),
      origin: one.origin ?? 'planned',
      predicted: {},
    })),
    measurements: made.map(({ falsePositives, falseNegatives, refusedAtElements, ...one }) => ({
      ...measurementOf(
        { distinct: 1000, duplicates: 1000, falsePositives, falseNegatives },
        [],
        spec({ ...one, falsePositives, falseNegatives }),
      ),
      ...(refusedAtElements === undefined ? {} : { refusedAtElements }),
    })),
  };
}

function order(made: readonly Made[], fpr?: number): string[] {
  const { contestants, measurements } = contest(made);
  return standingsOf(contestants, measurements, fpr).map(({ spec }) => spec.detector.algorithm);
}

const sbf = { algorithm: 'sbf', falsePositives: 10, falseNegatives: 300 };
const bloom = { algorithm: 'bloom', falsePositives: 100, falseNegatives: 0 };
const qht = { algorithm: 'qht', falsePositives: 0, falseNegatives: 150 };

describe('the ranking', () => {
  test('is by the sum of both rates', () => {
    expect(order([sbf, bloom, qht])).toEqual(['bloom', 'qht', 'sbf']);
  });

  test('puts families first that meet the given rate of false positives', () => {
    expect(order([sbf, bloom, qht], 0.05)).toEqual(['qht', 'sbf', 'bloom']);
  });

  test('puts a family that refused elements last', () => {
    const exact = { algorithm: 'exact', falsePositives: 0, falseNegatives: 0, refusedAtElements: 100 };
    expect(order([exact, bloom])).toEqual(['bloom', 'exact']);
  });

  test('begins with the recommended detector, whatever was measured', () => {
    expect(order([qht, { ...sbf, origin: 'recommended' }, bloom])).toEqual(['sbf', 'bloom', 'qht']);
  });
});

test('each family is listed once, with its best result', () => {
  const { contestants, measurements } = contest([bloom, qht, { ...bloom, falsePositives: 500 }]);
  const best = bestOfEach(standingsOf(contestants, measurements));
  expect(best.map(({ measured }) => measured.fpr)).toEqual([0.1, 0]);
});

test('a row says how far off a prediction is', () => {
  const { contestants, measurements } = contest([{ ...bloom, origin: 'recommended' }, sbf, qht]);
  const predicted = [{ fpr: 0.11, fnr: 0 }, { fpr: 0.5, fnr: 0.3 }, {}];
  const standings = standingsOf(
    contestants.map((contestant, i) => ({ ...contestant, predicted: predicted[i] ?? {} })),
    measurements,
  );
  const request = { path: 'ids.txt', format: 'ids', memory: '1KiB' } as const;
  const limits = { limit: { fpr: 0.01, fnr: 0.01 }, minFnr: () => 0.01 };
  const [, rows] = adviceSections(standings, { ...limits, contestants, model: uniformStream(2000, 1000) }, request);
  expect(rows.rows.map(({ labels: [name], verdict }) => [name, verdict])).toEqual([
    ['bloom', { kind: 'as predicted', text: '' }],
    ['qht', { kind: 'not predicted', text: '' }],
    ['sbf', { kind: 'off by', text: '49 points of FPR' }],
  ]);
});

test('the counts of a file come from a run that observed all of it', () => {
  const { contestants, measurements } = contest([qht, { ...bloom, refusedAtElements: 10 }]);
  const [whole, front] = measurements as [Measurement, Measurement];
  const runs = [
    { ...front, elements: 10, distinct: 10 },
    { ...whole, elements: 2000, distinct: 300 },
  ];
  const request = { path: 'ids.txt', format: 'ids', memory: '1KiB' } as const;
  expect(countsText(standingsOf(contestants, runs), request)).toBe('ids.txt: 2,000 elements, 15 % of them new');
});
