import { expect, test } from 'vitest';
import type { Plot } from '../../../src/contract.js';
import { MB, type PublishedTable } from '../../../src/published/contract.js';
import { reproduce } from '../../../src/reproduce/run.js';
import { groupedSection, readingsOf, tableSection } from '../../../src/reproduce/tables.js';
import { measurementOf } from './support.js';

const OF = 100_000;

const table: PublishedTable = {
  id: 'made-1',
  paper: 'bera-2012',
  number: 'Table 1',
  title: 'made up',
  stream: { kind: 'uniform', lengthElements: 1e6, distinctShare: 0.5 },
  rounding: { fprPercent: 0, fnrPercent: 0 },
  rows: [64, 128].map((mib) => ({ algorithm: 'rsbf', memoryBytes: mib * MB, fprPercent: mib / 8, fnrPercent: 0 })),
};

/** The plots of a section in which every FPR is 10 % and every FNR 20 %. */
async function plotsOf(section: ReturnType<typeof tableSection>): Promise<Plot[]> {
  const counts = { distinct: OF, duplicates: OF, falsePositives: OF / 10, falseNegatives: OF / 5 };
  const settings = { scale: 1 / 32, seeds: 1, data: {} };
  const [made] = await reproduce([section], settings, async (specs) => {
    const measured = specs.map((spec) => measurementOf(counts, [], spec));
    return new Map(measured.map((measurement) => [measurement.key, measurement]));
  });
  return made?.plots ?? [];
}

test('a table plots its rates by memory: measured for each interpretation, and printed once', async () => {
  const plots = await plotsOf(tableSection(table));
  expect(plots.map(({ id }) => id)).toEqual(['made-1-fpr', 'made-1-fnr', 'made-1-fpr-memory', 'made-1-fnr-memory']);
  const at = (y: (mib: number) => number) => [64, 128].map((mib) => ({ x: mib * MB, y: y(mib) }));
  expect(plots[2]?.series).toEqual([
    { name: 'rsbf', kind: 'line', points: at(() => 10) },
    { name: 'rsbf', kind: 'line', role: 'published', points: at((mib) => mib / 8) },
    { name: 'rsbf, the pseudo-code', kind: 'line', points: at(() => 10) },
  ]);
});

test('a table with one memory size has no plots by memory', async () => {
  const plots = await plotsOf(tableSection({ ...table, rows: table.rows.slice(0, 1) }));
  expect(plots.map(({ id }) => id)).toEqual(['made-1-fpr', 'made-1-fnr']);
});

test('tables of several streams have plots by memory for each stream', async () => {
  const parts = ['a', 'b'].map((part) => ({ ...table, id: `made-1-${part}`, title: `stream ${part}` }));
  const plots = await plotsOf(groupedSection({ id: 'made-1', title: 'Table 1', notes: [] }, parts, readingsOf));
  expect(plots.slice(2).map(({ id }) => id)).toEqual(
    ['a', 'b'].flatMap((part) => ['fpr', 'fnr'].map((rate) => `made-1-${part}-${rate}-memory`)),
  );
  expect(plots[2]?.title).toBe('Table 1 of bera-2012, stream a: FPR by memory');
});
