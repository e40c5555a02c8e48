// Everything that can be reproduced: the comparison of all families, then every table and figure, paper by paper.

import { FirstseenError } from 'firstseen';
import { optionName, phrase } from 'firstseen/internal';
import { bera2012Sections } from './bera2012.js';
import type { SectionSpec } from './contract.js';
import { deng2006Sections } from './deng2006.js';
import { dutta2012Sections } from './dutta2012.js';
import { dutta2013Sections } from './dutta2013.js';
import { narang2011Sections } from './narang2011.js';
import { narang2011ScalingSection } from './narangscaling.js';
import { planeSections } from './planes.js';
import { isRecorded } from './trial.js';

export const sectionSpecs: readonly SectionSpec[] = [
  ...planeSections,
  ...bera2012Sections,
  ...dutta2012Sections,
  ...deng2006Sections,
  ...dutta2013Sections,
  ...narang2011Sections,
  narang2011ScalingSection,
];

const DATA = optionName('data');

const sectionNames: readonly string[] = sectionSpecs.map(({ id }) => id);

/** The recorded data sets that rows use, by the papers' names. */
function dataSetsOf(sections: readonly SectionSpec[]): string[] {
  const streams = sections.flatMap(({ rows }) => rows.flatMap(({ trials }) => trials)).map(({ stream }) => stream);
  const names = streams.flatMap((stream) => (isRecorded(stream) ? (stream.dataSet ?? []) : []));
  return [...new Set(names)].toSorted();
}

/** @throws FirstseenError E_USAGE for a data set that no section uses. */
export function checkData(data: Readonly<Record<string, string>>, sections: readonly SectionSpec[]): void {
  const [knownNames, usedNames] = [dataSetsOf(sectionSpecs), dataSetsOf(sections)];
  const unknownName = Object.keys(data).find((name) => !knownNames.includes(name));
  if (unknownName !== undefined) {
    throw new FirstseenError('E_USAGE', phrase`${DATA} names the data set "${unknownName}", which no table uses`, {
      ...{ option: DATA.option, given: unknownName, expected: `one of ${knownNames.join(', ')}` },
      remedy: `name one of ${knownNames.join(', ')}`,
    });
  }
  const unusedName = Object.keys(data).find((name) => !usedNames.includes(name));
  if (unusedName === undefined) return;
  throw new FirstseenError(
    'E_USAGE',
    phrase`${DATA} ${unusedName} has no effect, because no requested table uses ${unusedName}`,
    {
      option: DATA.option,
      given: unusedName,
      remedy: 'leave it out',
    },
  );
}

/** @throws FirstseenError E_USAGE listing the names. */
function sectionNamed(name: string): SectionSpec {
  const found = sectionSpecs.find(({ id }) => id === name);
  if (found) return found;
  throw new FirstseenError('E_USAGE', `no table is named "${name}"`, {
    ...{ option: 'tables', given: name, expected: `one of ${sectionNames.join(', ')}` },
    remedy: `name one of ${sectionNames.join(', ')}`,
  });
}

/** The section of one row, with that row only. @throws FirstseenError E_USAGE if no row has that id. */
function sectionOfRow(id: string): SectionSpec {
  for (const section of sectionSpecs) {
    const rows = section.rows.filter((row) => row.id === id);
    if (rows.length > 0) return { ...section, rows, trials: [], plots: () => [] };
  }
  const near = sectionSpecs.find((section) => section.id === id.split('/')[0]);
  const remedy = near
    ? `name one of ${near.rows.map((row) => row.id).join(', ')}`
    : 'name a row such as bera-4/sbf/64MB, as the output of a table shows them';
  throw new FirstseenError('E_USAGE', phrase`${optionName('row')} is "${id}", but no table has that row`, {
    option: 'row',
    given: id,
    remedy,
  });
}

/** Sections by name, all sections if no name is given, or one row. @throws FirstseenError E_USAGE */
export function chosenSections(names: readonly string[], row?: string): SectionSpec[] {
  if (row !== undefined) return [sectionOfRow(row)];
  return names.length === 0 ? [...sectionSpecs] : [...new Set(names)].map(sectionNamed);
}
