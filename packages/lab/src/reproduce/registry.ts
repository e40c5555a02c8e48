// Everything that can be repeated: the comparison of all families, then every table and figure, paper by paper.

import { FirstseenError } from 'firstseen';
import { bera2012Sections } from './bera2012.js';
import type { SectionPlan } from './contract.js';
import { deng2006Sections } from './deng2006.js';
import { dutta2012Sections } from './dutta2012.js';
import { dutta2013Sections } from './dutta2013.js';
import { narang2011Sections } from './narang2011.js';
import { planeSections } from './planes.js';
import { isRecorded } from './trial.js';

export const sectionPlans: readonly SectionPlan[] = [
  ...planeSections,
  ...bera2012Sections,
  ...dutta2012Sections,
  ...deng2006Sections,
  ...dutta2013Sections,
  ...narang2011Sections,
];

const sectionNames: readonly string[] = sectionPlans.map(({ id }) => id);

/** Real data sets that rows are of, by the papers' names. */
function dataSetsOf(sections: readonly SectionPlan[]): string[] {
  const streams = sections.flatMap(({ rows }) => rows.flatMap(({ trials }) => trials)).map(({ stream }) => stream);
  const names = streams.flatMap((stream) => (isRecorded(stream) ? (stream.dataSet ?? []) : []));
  return [...new Set(names)].toSorted();
}

/** @throws FirstseenError E_USAGE for a data set that none of the sections has rows of. */
export function checkData(data: Readonly<Record<string, string>>, sections: readonly SectionPlan[]): void {
  const [known, used] = [dataSetsOf(sectionPlans), dataSetsOf(sections)];
  const unknown = Object.keys(data).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new FirstseenError('E_USAGE', `--data names "${unknown}", but must name one of ${known.join(', ')}`);
  }
  const unused = Object.keys(data).find((name) => !used.includes(name));
  if (unused === undefined) return;
  throw new FirstseenError(
    'E_USAGE',
    `--data ${unused} was given, but nothing that was asked for is of it; leave it out`,
  );
}

/** @throws FirstseenError E_USAGE listing the names. */
function sectionNamed(name: string): SectionPlan {
  const found = sectionPlans.find(({ id }) => id === name);
  if (found) return found;
  throw new FirstseenError('E_USAGE', `table is "${name}", but must be one of ${sectionNames.join(', ')}`);
}

/** The section of one row, with that row alone. @throws FirstseenError E_USAGE when no row has that name. */
function sectionOfRow(id: string): SectionPlan {
  for (const section of sectionPlans) {
    const rows = section.rows.filter((row) => row.id === id);
    if (rows.length > 0) return { ...section, rows, trials: [], plots: () => [] };
  }
  const near = sectionPlans.find((section) => section.id === id.split('/')[0]);
  const hint = near
    ? `those of ${near.id} are ${near.rows.map((row) => row.id).join(', ')}`
    : 'name a row such as bera-4/sbf/64MB; a table prints the commands of its rows, and --list lists the tables';
  throw new FirstseenError('E_USAGE', `--row is "${id}", which no table has; ${hint}`);
}

/** Sections by name, all when none is named, or one row. @throws FirstseenError E_USAGE */
export function chosenSections(names: readonly string[], row?: string): SectionPlan[] {
  if (row !== undefined) return [sectionOfRow(row)];
  return names.length === 0 ? [...sectionPlans] : [...new Set(names)].map(sectionNamed);
}
