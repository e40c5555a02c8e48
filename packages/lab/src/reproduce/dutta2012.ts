// dutta-2012: tables 2 to 5 and figures 2 to 8. Those on the clickstream require its file.

import { MB, type PublishedRow, type PublishedTable } from '../published/contract.js';
import { dutta2012Figures, dutta2012Tables } from '../published/dutta2012.js';
import type { SectionPlan } from './contract.js';
import { figureSection } from './figures.js';
import { type Reading, readingsOf, tableSection } from './tables.js';

const SWAPPED_ID = 'dutta2012-4';
const SWAPPED_BYTES = 262144 / 8;
const SWAPPED_REASON = 'the FPRs of SBF and RSBF appear to be exchanged in this line: each is measured for the other';

/** The printed rates of RSBF match k = 2 in larger memories and k = 3 in smaller ones. */
const BETWEEN_BYTES = 8 * MB;
const BETWEEN_REASON =
  'small memories match k = 3 and large ones k = 2; in between, no tried interpretation gives both rates';

/** In one line of table 4, the FPRs of SBF and of RSBF with k = 3 are exchanged. */
function isSwapped({ id }: PublishedTable, { algorithm, memoryBytes }: PublishedRow, { name }: Reading): boolean {
  return id === SWAPPED_ID && memoryBytes === SWAPPED_BYTES && name === (algorithm === 'rsbf' ? 'k3' : '');
}

function readings(table: PublishedTable, row: PublishedRow): Reading[] {
  const isBetween = row.algorithm === 'rsbf' && row.memoryBytes === BETWEEN_BYTES;
  return readingsOf(table, row).map((reading) => {
    if (isBetween) return { ...reading, reason: BETWEEN_REASON };
    return isSwapped(table, row, reading) ? { ...reading, reason: SWAPPED_REASON } : reading;
  });
}

export const dutta2012Sections: readonly SectionPlan[] = [
  ...dutta2012Tables.map((table) => tableSection(table, { readings })),
  ...dutta2012Figures.map((figure) => figureSection(figure)),
];
