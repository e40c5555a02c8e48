// The tables of the papers over independent uniform draws, which have the same share of distinct elements as the streams
// of the papers, but other gaps between repeats.

import { bera2012Tables } from '../published/bera2012.js';
import type { PublishedRow, PublishedTable } from '../published/contract.js';
import { dutta2012Tables } from '../published/dutta2012.js';
import { dutta2013Tables } from '../published/dutta2013.js';
import type { SectionSpec } from './contract.js';
import { agreementPlots } from './tableplots.js';
import { groupedSection, type Reading, readingsOf } from './tables.js';

const ENDING = '-independent';

const NOTES = [
  'For comparison: the rows of the tables above over independent uniform draws with the same share of distinct elements. There, the number of occurrences of an element has a Poisson distribution, and elements that do not occur are not counted.',
];

/** Tells if a section compares a paper with other streams than its own. */
export function isIndependent({ id }: Pick<SectionSpec, 'id'>): boolean {
  return id.endsWith(ENDING);
}

/** Readings that have nothing to do with the stream are left out, as is SQF, whose errors do not depend on the gaps. */
function readings(table: PublishedTable, row: PublishedRow): Reading[] {
  if (row.algorithm === 'sqf') return [];
  return readingsOf(table, row)
    .filter(({ name }) => name !== 'as-written')
    .map((reading) => {
      const { trial } = reading;
      return { ...reading, trial: { ...trial, stream: { ...trial.stream, kind: 'independent' } } };
    });
}

/** The section of one paper. `name` is the beginning of its sections' names. */
export function independentSection(name: string, title: string, tables: readonly PublishedTable[]): SectionSpec {
  const id = `${name}${ENDING}`;
  const drawn = tables
    .filter(({ stream }) => stream.kind === 'uniform')
    .map((table) => ({ ...table, id: `${table.id}${ENDING}`, title: `${table.number}: ${table.title}` }));
  const section = groupedSection({ id, title, notes: NOTES }, drawn, readings);
  return { ...section, plots: agreementPlots(id, `${section.paper} on independent draws`, section) };
}

export const bera2012Independent = independentSection('bera', 'Tables 1 to 9 on independent draws', bera2012Tables);
export const dutta2012Independent = independentSection(
  'dutta2012',
  'Tables 2 to 5 on independent draws',
  dutta2012Tables,
);
export const dutta2013Independent = independentSection('sqf', 'Table 2 on independent draws', dutta2013Tables);
