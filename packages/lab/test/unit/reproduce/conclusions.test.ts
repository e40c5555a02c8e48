// The conclusions count printed rows, whichever interpretation agrees, and keep the papers' streams apart from independent draws.

import { expect, test } from 'vitest';
import type { Measurement, ReportSection } from '../../../src/contract.js';
import { bera2012Tables } from '../../../src/published/bera2012.js';
import { remarksOf } from '../../../src/reproduce/conclusions.js';
import type { SectionSpec } from '../../../src/reproduce/contract.js';
import { independentSection } from '../../../src/reproduce/independent.js';
import { reproduce } from '../../../src/reproduce/run.js';
import { tableSection } from '../../../src/reproduce/tables.js';
import { runsOf } from '../../../src/reproduce/trial.js';
import { measurementOf } from './support.js';

const settings = { scale: 1 / 32, seeds: 1, data: {} };
const OF = 1e9;
const [table] = bera2012Tables.filter(({ id }) => id === 'bera-5');
if (!table) throw new Error('no table');

/** Measurements that have the printed rates over the stream of the paper, and so much fewer misses on independent draws. */
function measured(spec: SectionSpec, missesFactor: number): Map<string, Measurement> {
  const found = spec.rows.flatMap(({ trials: [trial], published, id }) => {
    const [spec] = trial ? runsOf(trial, settings) : [];
    if (!spec) return [];
    // The pseudo-code has other rates on any stream.
    const [fpr = 0, fnr = 0] = id.includes('as-written') ? [0.9, 0.9] : [published.fpr, published.fnr];
    const isOurs = spec.stream.kind === 'uniform';
    const falseNegatives = OF * fnr * (isOurs ? missesFactor : 1);
    return [measurementOf({ distinct: OF, duplicates: OF, falsePositives: OF * fpr, falseNegatives }, [], spec)];
  });
  return new Map(found.map((measurement) => [measurement.key, measurement]));
}

async function sectionsWith(missesFactor: number): Promise<ReportSection[]> {
  const specs = [
    tableSection(table as NonNullable<typeof table>),
    independentSection('bera', 'independent', [table as NonNullable<typeof table>]),
  ];
  const made = await Promise.all(
    specs.map((spec) => reproduce([spec], settings, async () => measured(spec, missesFactor))),
  );
  return made.flat();
}

test('counts each printed row once, on both streams, and says by how much misses differ', async () => {
  const [streams, misses, counts] = remarksOf(await sectionsWith(0.95));
  expect(streams).toContain('20 of the 20 rows that bera-2012 and dutta-2012 print are reproduced (100 %)');
  expect(streams).toContain('on independent draws with the same share of distinct elements, 0 are');
  expect(misses).toContain('the FNRs of 21 rows are lower, by up to 5 %');
  expect(misses).toContain('the same on both streams in 8 of 8 comparisons');
  // The rows over independent draws are not among those of the papers.
  expect(counts).toContain('Of 25 rows with printed rates');
});

test('says nothing of misses that do not differ', async () => {
  const remarks = remarksOf(await sectionsWith(1));
  expect(remarks[0]).toContain('on independent draws with the same share of distinct elements, 20 are');
  expect(remarks.some((remark) => remark.startsWith('What this means'))).toBe(false);
});
