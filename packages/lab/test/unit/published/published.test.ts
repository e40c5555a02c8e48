import { describe, expect, test } from 'vitest';
import { bera2012Tables } from '../../../src/published/bera2012.js';
import { deng2006Tables } from '../../../src/published/deng2006.js';
import { dutta2012Tables } from '../../../src/published/dutta2012.js';
import { dutta2013Tables } from '../../../src/published/dutta2013.js';
import { hasCurve, publishedFigures } from '../../../src/published/registry.js';
import { sectionSpecs } from '../../../src/reproduce/registry.js';
import { runsOf } from '../../../src/reproduce/trial.js';

const publishedTables = [...bera2012Tables, ...dutta2012Tables, ...deng2006Tables, ...dutta2013Tables];

describe('the tables and figures of the papers', () => {
  test('are complete', () => {
    const rowsOf = (paper: string) =>
      publishedTables.filter((table) => table.paper === paper).flatMap(({ rows }) => rows);
    expect(rowsOf('bera-2012')).toHaveLength(3 * 15 + 6 * 20);
    expect(rowsOf('dutta-2012')).toHaveLength(2 * (3 + 3 + 4 + 3));
    expect(rowsOf('deng-2006')).toHaveLength(4 * (5 + 5 + 6));
    expect(rowsOf('dutta-2013')).toHaveLength(3 * (4 + 3 + 15 + 10));
    expect(publishedFigures.map(({ id }) => id).sort()).toEqual(
      [
        ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((number) => `bera-figure-${number}`),
        ...[2, 3, 4, 5, 6, 7, 8].map((number) => `dutta2012-figure-${number}`),
        ...[3, 4, 5].map((number) => `sqf-figure-${number}`),
        'deng-figure-3',
      ].sort(),
    );
  });

  test.each(publishedTables)('$id has error rates from 0 to 100 %', ({ rows }) => {
    for (const { fprPercent, fnrPercent, memoryBytes } of rows) {
      for (const rate of [fprPercent ?? 0, fnrPercent ?? 0])
        expect(rate).toSatisfy((percent) => percent >= 0 && percent <= 100);
      expect(Number.isInteger(memoryBytes)).toBe(true);
    }
  });
});

test('a figure shows the rates of an algorithm in one memory along one stream', () => {
  const { stream, curves } = publishedFigures[0] as (typeof publishedFigures)[number];
  const [subject] = curves.subjects as [(typeof curves.subjects)[number]];
  expect(hasCurve(stream, subject)).toBe(true);
  expect(hasCurve(stream, { ...subject, memoryBytes: subject.memoryBytes + 1 })).toBe(false);
  expect(hasCurve({ ...stream, kind: 'zipf' }, subject)).toBe(false);
  expect(hasCurve({ ...stream, lengthElements: stream.lengthElements + 1 }, subject)).toBe(false);
});

describe('every printed row and claim', () => {
  test('has a row of its own', () => {
    const ids = sectionSpecs.flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, rows } of publishedTables) {
      for (const { algorithm } of rows)
        expect(
          ids.some((row) => row.startsWith(`${id}/${algorithm}`)),
          id,
        ).toBe(true);
    }
    for (const { id, claims } of publishedFigures) {
      for (const claim of claims) expect(ids.some((row) => row.startsWith(`${id}/${claim.id}`))).toBe(true);
    }
  });

  test('can be run', () => {
    const settings = { scale: 1 / 32, seeds: 1, data: { R1: 'r1.txt', R2: 'r2.txt' } };
    const trials = sectionSpecs.flatMap(({ rows, trials }) => [...rows.flatMap((row) => row.trials), ...trials]);
    for (const trial of trials)
      for (const run of runsOf(trial, settings)) expect(run.detector.memoryBytes).toBeGreaterThan(0);
  });
});
