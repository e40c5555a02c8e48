// dutta-2013: tables 1 to 3 and figures 3 to 5, SQF on identifiers and on hashed keys.

import type { PublishedRow, PublishedTable } from '../published/contract.js';
import { dutta2013Tables } from '../published/dutta2013.js';
import { dutta2013Figures } from '../published/dutta2013figures.js';
import type { SectionPlan } from './contract.js';
import { figureSection } from './figures.js';
import { groupedSection, type Reading, readingsOf } from './tables.js';
import { ZIPF_UNIVERSE_RATIO } from './trial.js';

const NOTES: Readonly<Record<string, readonly string[]>> = {
  '1': ['R1 is BMS-POS and R2 is BMS-WebView-2, of the KDD Cup 2000. The elements are the numbers in the files.'],
  '2': ['Identifiers are numbered without gaps, in the order of their first occurrence.'],
  '3': [
    `The paper states neither the exponent nor the universe of its Zipf streams. Here the universe has ${ZIPF_UNIVERSE_RATIO} times as many elements as the stream, the exponent follows from the share of distinct elements, and elements are numbered by rank. Scaling changes the rates of these streams slightly.`,
  ],
};
const TITLES = { '1': 'clickstreams', '2': 'uniform draws', '3': 'Zipf streams' } as const;
const ZIPF_REASON = 'the paper does not state its Zipf distribution';
const CLICKS_REASON = 'the paper does not state the parameters of SBF and RSBF';

function readings(table: PublishedTable, row: PublishedRow): Reading[] {
  const isZipf = table.stream.kind === 'zipf';
  const isClicks = table.stream.kind === 'clickstream';
  return readingsOf(table, row).map((reading) => {
    if (isZipf) return { ...reading, reason: ZIPF_REASON };
    if (isClicks && row.algorithm !== 'sqf') return { ...reading, reason: CLICKS_REASON };
    return reading;
  });
}

export const dutta2013Sections: readonly SectionPlan[] = [
  ...(['1', '2', '3'] as const).map((number) =>
    groupedSection(
      {
        id: `sqf-${number}`,
        title: `Table ${number}: SQF, SBF and RSBF on ${TITLES[number]}`,
        notes: NOTES[number] ?? [],
      },
      dutta2013Tables.filter((table) => table.number === `Table ${number}`),
      readings,
    ),
  ),
  ...dutta2013Figures.map((figure) => figureSection(figure)),
];
