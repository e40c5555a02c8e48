import { expect, it } from 'vitest';
import { MotifTally } from '../../../src/near/motiferrors.js';
import { NO_SET } from '../../../src/near/motifsettings.js';

function tallied(counts: readonly (readonly [label: string | null, set: number, records: number])[]) {
  const tally = new MotifTally();
  for (const [label, set, records] of counts) for (let i = 0; i < records; i++) tally.add(label, set);
  return tally.errors();
}

it('counts no errors if sets match their labels, for any numbering of the sets', () => {
  const { perSet, fpr, fnr } = tallied([
    ['a', 2, 30],
    ['b', 0, 50],
    ['c', 1, 20],
  ]);
  expect(perSet.map(({ set, label }) => [set, label])).toEqual([
    [0, 'b'],
    [1, 'c'],
    [2, 'a'],
  ]);
  expect([fpr, fnr]).toEqual([0, 0]);
});

it('matches sets with labels to maximize the correct records, not greedily', () => {
  // Taking the largest cell, (a, 0), would leave b without a set.
  const { perSet } = tallied([
    ['a', 0, 50],
    ['a', 1, 45],
    ['b', 0, 40],
  ]);
  expect(perSet.map(({ set, label }) => [set, label])).toEqual([
    [0, 'b'],
    [1, 'a'],
  ]);
});

it('counts a misplaced record once as each kind of error, as a share of all records', () => {
  const { perSet, fpr, fnr } = tallied([
    ['a', 0, 40],
    ['a', 1, 10],
    ['b', 1, 50],
  ]);
  expect(perSet).toEqual([
    { set: 0, label: 'a', records: 50, falsePositives: 0, falseNegatives: 10, fpr: 0, fnr: 0.1 },
    { set: 1, label: 'b', records: 50, falsePositives: 10, falseNegatives: 0, fpr: 0.1, fnr: 0 },
  ]);
  expect([fpr, fnr]).toEqual([0.1, 0.1]);
});

it('counts noise in a set as a false positive only, and a record without a set as a false negative only', () => {
  const { fpr, fnr } = tallied([
    [null, NO_SET, 10],
    [null, 0, 20],
    ['a', 0, 60],
    ['a', NO_SET, 10],
  ]);
  expect([fpr, fnr]).toEqual([0.2, 0.1]);
});

it('reports labels that share a set, and surplus sets', () => {
  const shared = tallied([
    ['a', 0, 60],
    ['b', 0, 40],
  ]);
  expect(shared.perSet.map(({ set, label, fpr, fnr }) => [set, label, fpr, fnr])).toEqual([
    [0, 'a', 0.4, 0],
    [null, 'b', 0, 0.4],
  ]);
  const excess = tallied([
    ['a', 0, 90],
    ['a', 1, 10],
  ]);
  expect(excess.perSet.map(({ set, label, fpr, fnr }) => [set, label, fpr, fnr])).toEqual([
    [0, 'a', 0, 0.1],
    [1, null, 0.1, 0],
  ]);
});

it('counts nothing without records', () => {
  expect(new MotifTally().errors()).toEqual({ perSet: [], fpr: 0, fnr: 0 });
});
