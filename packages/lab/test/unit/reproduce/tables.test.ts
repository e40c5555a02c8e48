// The reason that a row gives for a difference matches the numbers of the row.

import { expect, test } from 'vitest';
import type { SectionSpec } from '../../../src/reproduce/contract.js';
import { dutta2012Sections } from '../../../src/reproduce/dutta2012.js';
import { dutta2013Sections } from '../../../src/reproduce/dutta2013.js';
import { outcomeWith } from './support.js';

const sections: readonly SectionSpec[] = [...dutta2012Sections, ...dutta2013Sections];

/** The text of a row whose measured rates differ from the printed ones. */
function reasonOf(id: string): string {
  const row = sections.flatMap(({ rows }) => rows).find((one) => one.id === id);
  return row?.judge([outcomeWith(99, 99)], {}).text ?? 'no such row';
}

test.each([
  ['dutta2012-4/sbf/32KB', 'exchanged in this line'],
  ['dutta2012-4/rsbf-k3/32KB', 'exchanged in this line'],
  ['dutta2012-4/rsbf/32KB', 'small memories match k = 3'],
  ['dutta2012-4/rsbf/8MB', 'no k from 1 to 4 gives both rates'],
  ['dutta2012-4/rsbf-k3/8MB', 'no k from 1 to 4 gives both rates'],
  ['dutta2012-4/rsbf-as-written/8MB', 'not of the pseudo-code'],
  ['dutta2012-5/rsbf/8MB', 'a misprint of 16.262 %'],
  ['dutta2012-5/rsbf-k3/8MB', 'small memories match k = 3'],
  ['dutta2012-2/sbf/512KB', 'a zero too many'],
  ['dutta2012-2/sbf/8KB', 'FPR 99 % instead of 8.09 %'],
  ['sqf-2-100M/rsbf/64MB', 'gives both rates'],
  ['sqf-3-1B/sbf/1MB', 'no exponent gives the printed rates'],
  ['dutta2012-4/rsbf/128MB', 'small memories match k = 3'],
  // The first row prints almost no false negatives, the others many, which no bitmap has.
  ['sqf-2-1B/sqf-hashed/64MB', 'the printed rates require identifiers without gaps'],
  ['sqf-2-1B/sqf-hashed/32MB', "no tried p, r, r' and k gives the printed rates"],
  ['sqf-2-1B/sqf-identifiers/32MB', "no tried p, r, r' and k gives the printed rates"],
])('%s: %s', (id, reason) => {
  expect(reasonOf(id)).toContain(reason);
});
