// The section of a published table: a row for each interpretation of each printed row.

import type { Rates, RowVerdict } from '../contract.js';
import { LOWER_HALF_NAME } from '../measure/lowerhalf.js';
import type { PublishedRow, PublishedStream, PublishedTable } from '../published/contract.js';
import type { RowSpec, SectionSpec } from './contract.js';
import type { Outcome } from './outcome.js';
import { rsbfReadings, usedParameters } from './parameters.js';
import { tablePlots } from './tableplots.js';
import { memoryText } from './text.js';
import type { Trial } from './trial.js';
import { notReproducible, verdictOf } from './verdict.js';

/** One interpretation of a printed row: as written, or as its numbers seem to have been produced. */
export interface Reading {
  /** Used in the row's id and label; empty for the plain reading. */
  name: string;
  label: string;
  trial: Trial;
  unstated: string;
  /** The reason for a difference, if there is one. */
  reason?: string;
  /** The reason why it cannot count as reproduced. */
  caveat?: string;
}

/** 31 random bits cannot address 2^32 cells. */
const WIDE_CELLS = 2 ** 32;
const LOWER_HALF_REASON =
  'the printed rates are those of victims from the lower half of the 2^32 cells, as with 31 random bits: see the next row';
const WIDE_FILTER_REASON =
  'with k = 1 the filter has 2^32 bits; as for SBF, the printed rates are those of victims from its lower half';
const AS_WRITTEN_REASON =
  'the printed rates are those of the rule "table", not of the pseudo-code: see the previous rows';
const EVICTS_NOTHING =
  "with r = 2, r' = 1 and k = 4 a row holds all its signatures, so nothing is evicted and no repeat is missed; no tried p, r, r' and k gives the printed rates";
const HASHED_REASON =
  "with r = 2, r' = 1 and k = 4 the filter is a bitmap, which hashed keys fill; the printed rates require identifiers without gaps";

function plainReading({ paper, stream }: PublishedTable, row: PublishedRow): Reading {
  const { parameters, unstated } = usedParameters(paper, row.algorithm, row.parameters);
  const { algorithm, memoryBytes } = row;
  return {
    name: '',
    label: algorithm,
    trial: { stream, identity: 'hashed', algorithm, memoryBytes, parameters },
    unstated,
  };
}

function stableReadings(plain: Reading): Reading[] {
  if (plain.trial.memoryBytes * 8 !== WIDE_CELLS) return [plain];
  const lowerHalf: Reading = {
    ...plain,
    name: 'lower-half',
    label: 'sbf, victims in the lower half',
    trial: { ...plain.trial, algorithm: LOWER_HALF_NAME, parameters: {} },
    unstated: 'Max=1 K=2 P=4, adjacent victims among the lower half of the cells',
  };
  return [{ ...plain, reason: LOWER_HALF_REASON }, lowerHalf];
}

const reservoirLabels: Readonly<Record<string, string>> = {
  'as-written': 'rsbf, the pseudo-code',
  k3: 'rsbf, k of eq. 5.27',
};
const K2_REASON = 'small memories match k = 3 and large ones k = 2: see the next row';
const K3_REASON = 'small memories match k = 3 and large ones k = 2: see the previous row';

function reservoirReadings({ paper }: PublishedTable, plain: Reading): Reading[] {
  const variants = Object.entries(rsbfReadings[paper] ?? {});
  const hasFilterCounts = variants.length > 1;
  const readings = variants.map(([name, parameters]) => ({
    ...plain,
    name,
    label: reservoirLabels[name] as string,
    trial: { ...plain.trial, parameters },
    unstated: name === 'k3' ? 'variant=table' : '',
    reason: name === 'k3' ? K3_REASON : AS_WRITTEN_REASON,
  }));
  return [hasFilterCounts ? { ...plain, reason: K2_REASON } : plain, ...readings];
}

/** A structure that evicts nothing misses nothing. Identifiers do not reproduce rows that print more than this. */
const MAX_MISSES_PERCENT = 1;

function quotientReadings(plain: Reading, { fnrPercent = 0 }: PublishedRow): Reading[] {
  const identifiers: Reading = {
    ...plain,
    name: 'identifiers',
    label: 'sqf, identifiers',
    trial: { ...plain.trial, identity: 'identifier' },
    unstated: "identifiers numbered without gaps, in random order; Rabin's fingerprint of a small number is the number",
    reason: EVICTS_NOTHING,
  };
  const reason = fnrPercent > MAX_MISSES_PERCENT ? EVICTS_NOTHING : HASHED_REASON;
  return [identifiers, { ...plain, name: 'hashed', label: 'sqf, hashed keys', reason }];
}

/** The readings of a row, by what is known about the algorithm's published rates. */
export function readingsOf(table: PublishedTable, row: PublishedRow): Reading[] {
  const plain = plainReading(table, row);
  if (row.algorithm === 'sbf') return stableReadings(plain);
  if (row.algorithm === 'rsbf') return reservoirReadings(table, plain);
  if (row.algorithm === 'sqf') return quotientReadings(plain, row);
  const isWide = plain.trial.memoryBytes * 8 === WIDE_CELLS && plain.trial.parameters.k === 1;
  return [isWide ? { ...plain, reason: WIDE_FILTER_REASON } : plain];
}

function publishedRates({ fprPercent, fnrPercent }: PublishedRow): Partial<Rates> {
  return {
    ...(fprPercent === undefined ? {} : { fpr: fprPercent / 100 }),
    ...(fnrPercent === undefined ? {} : { fnr: fnrPercent / 100 }),
  };
}

/** The distinct elements and the duplicates of a published stream, over which its rates were counted. */
function countedIn({ lengthElements, distinctShare }: PublishedStream): Partial<Rates> {
  if (distinctShare === undefined) return {};
  return { fpr: distinctShare * lengthElements, fnr: (1 - distinctShare) * lengthElements };
}

function judgeOf(table: PublishedTable, row: PublishedRow, { reason, caveat }: Reading): RowSpec['judge'] {
  const printedRates = publishedRates(row);
  const rounding = { fpr: table.rounding.fprPercent / 100, fnr: table.rounding.fnrPercent / 100 };
  const countedElements = countedIn(table.stream);
  return ([outcome]: readonly Outcome[]): RowVerdict => {
    const { fpr, fnr } = outcome as Outcome;
    const measuredRates = { ...(fpr ? { fpr } : {}), ...(fnr ? { fnr } : {}) };
    const verdict = verdictOf({
      ...{ published: printedRates, measured: measuredRates, rounding, countedElements },
      ...(reason === undefined ? {} : { reason }),
    });
    return caveat === undefined ? verdict : notReproducible(`${caveat}: ${verdict.text}`);
  };
}

/** The options that distinguish the rows of one table, other than algorithm and memory. */
export interface TableOptions {
  readings?: (table: PublishedTable, row: PublishedRow) => Reading[];
  /** Shown before the memory in labels and columns, such as the stream in a table of several streams. */
  group?: string;
  notes?: readonly string[];
}

function tableColumns(table: PublishedTable, { group }: TableOptions): string[] {
  const hasTimes = table.rows.some(({ queryMicroseconds }) => queryMicroseconds !== undefined);
  return [...(group === undefined ? [] : ['stream']), 'memory', 'algorithm', ...(hasTimes ? ['µs, printed'] : [])];
}

/** Rows that differ only in k have k in their labels. */
function sweepText(table: PublishedTable, { parameters }: PublishedRow): string {
  const counts = new Set(table.rows.map((row) => row.parameters?.k));
  return counts.size > 1 && parameters?.k !== undefined && table.rows.every((row) => row.parameters?.k !== undefined)
    ? ` k=${parameters.k}`
    : '';
}

function tableRows(table: PublishedTable, options: TableOptions = {}): RowSpec[] {
  const readings = options.readings ?? readingsOf;
  const hasTimes = tableColumns(table, options).length > (options.group === undefined ? 2 : 3);
  return table.rows.flatMap((row) =>
    readings(table, row).map((reading): RowSpec => {
      const memory = memoryText(row.memoryBytes);
      const sweep = sweepText(table, row);
      const name = [row.algorithm, ...(reading.name === '' ? [] : [reading.name])].join('-');
      return {
        id: [table.id, name, memory, ...(sweep === '' ? [] : [sweep.trim()])].join('/'),
        labels: [
          ...(options.group === undefined ? [] : [options.group]),
          memory,
          `${reading.label}${sweep}`,
          ...(hasTimes ? [String(row.queryMicroseconds ?? '')] : []),
        ],
        published: publishedRates(row),
        trials: [reading.trial],
        judge: judgeOf(table, row, reading),
        ...(reading.unstated === '' ? {} : { unstated: reading.unstated }),
      };
    }),
  );
}

export function tableSection(table: PublishedTable, options: TableOptions = {}): SectionSpec {
  const rows = tableRows(table, options);
  const columns = tableColumns(table, options);
  return {
    id: table.id,
    paper: table.paper,
    title: `${table.number}: ${table.title}`,
    notes: options.notes ?? [],
    columns,
    rows,
    trials: [],
    plots: tablePlots(table.id, `${table.number} of ${table.paper}`, { columns, rows }),
  };
}

/** Several streams of one printed table, distinguished by the titles of their parts. */
export function groupedSection(
  { id, title, notes }: Pick<SectionSpec, 'id' | 'title' | 'notes'>,
  tables: readonly PublishedTable[],
  readings: NonNullable<TableOptions['readings']>,
): SectionSpec {
  const [first] = tables as [PublishedTable];
  const columns = tableColumns(first, { group: first.title });
  const rows = tables.flatMap((table) => tableRows(table, { readings, group: table.title }));
  return {
    id,
    paper: first.paper,
    title,
    notes,
    columns,
    rows,
    trials: [],
    plots: tablePlots(id, `${first.number} of ${first.paper}`, { columns, rows }),
  };
}
