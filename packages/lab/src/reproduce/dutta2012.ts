// dutta-2012: tables 2 to 5 and figures 2 to 8. Those on the clickstream require its file.

import { MB, type PublishedRow, type PublishedTable } from '../published/contract.js';
import { dutta2012Figures, dutta2012Tables } from '../published/dutta2012.js';
import type { SectionSpec } from './contract.js';
import { figureSection } from './figures.js';
import { dutta2012Independent } from './independent.js';
import { type Reading, readingsOf, tableSection } from './tables.js';

const SWAPPED_ID = 'dutta2012-4';
const SWAPPED_BYTES = 262144 / 8;
const SWAPPED_REASON = 'the FPRs of SBF and RSBF appear to be exchanged in this line: each is measured for the other';

/** The printed rates of RSBF match k = 2 in larger memories and k = 3 in smaller ones. In between, one line has neither. */
const BETWEEN_ID = 'dutta2012-4';
const BETWEEN_BYTES = 8 * MB;
const BETWEEN_REASON =
  'small memories match k = 3 and large ones k = 2; in between, no k from 1 to 4 gives both rates in 4 to 32 MB: k = 2 has the printed FNR in about 19 MB and the printed FPR in 24 MB';

const COPIED_ID = 'dutta2012-5';
const COPIED_REASON =
  'the printed FPR of 10.262 % has the last digits of the 8.262 % of SBF beside it, and seems to be a misprint of 16.262 %';

/** 29 of 76,000 elements are 0.0382 %, and 2 are the 0.00263 % that are printed for RSBF. */
const ZERO_ID = 'dutta2012-2';
const ZERO_BYTES = 4194304 / 8;
const ZERO_REASON =
  'the printed 0.00382 % of the 76,000 distinct elements is not a whole number of elements; 29 elements are 0.0382 %, so the printed rate seems to have a zero too many';

/** In one line of table 4, the FPRs of SBF and of RSBF with k = 3 are exchanged. */
function isSwapped({ id }: PublishedTable, { algorithm, memoryBytes }: PublishedRow, { name }: Reading): boolean {
  return id === SWAPPED_ID && memoryBytes === SWAPPED_BYTES && name === (algorithm === 'rsbf' ? 'k3' : '');
}

/** The reason for the difference of a printed number, if it is known. */
function reasonOf(table: PublishedTable, row: PublishedRow, reading: Reading): string | undefined {
  const isWritten = reading.name === 'as-written';
  if (isSwapped(table, row, reading)) return SWAPPED_REASON;
  if (row.algorithm === 'sbf') {
    return table.id === ZERO_ID && row.memoryBytes === ZERO_BYTES ? ZERO_REASON : undefined;
  }
  if (row.memoryBytes !== BETWEEN_BYTES || isWritten) return undefined;
  if (table.id === BETWEEN_ID) return BETWEEN_REASON;
  return table.id === COPIED_ID && reading.name === '' ? COPIED_REASON : undefined;
}

function readings(table: PublishedTable, row: PublishedRow): Reading[] {
  return readingsOf(table, row).map((reading) => {
    const reason = reasonOf(table, row, reading);
    return reason === undefined ? reading : { ...reading, reason };
  });
}

export const dutta2012Sections: readonly SectionSpec[] = [
  ...dutta2012Tables.map((table) => tableSection(table, { readings })),
  dutta2012Independent,
  ...dutta2012Figures.map((figure) => figureSection(figure)),
];
