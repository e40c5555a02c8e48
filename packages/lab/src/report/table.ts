// The tables and lists of a report, shared by HTML and Markdown.

import { percent } from 'firstseen/internal';
import type { Rates, Report, ReportRow, ReportSection, VerdictKind } from '../contract.js';
import { measuredText } from './numbers.js';

export interface Cell {
  text: string;
  /** The confidence interval of a measured rate. */
  range?: string;
}

export interface Column {
  /** The common heading of neighbouring columns. */
  group: string;
  head: string;
  isNumber: boolean;
  cellOf: (row: ReportRow) => Cell;
}

export const VERDICT_KINDS: readonly VerdictKind[] = ['reproduced', 'differs', 'not reproducible'];

const RATE_NAMES = { fpr: 'FPR %', fnr: 'FNR %' } as const;
const NOTHING: Cell = { text: '' };

/** The columns before the verdict: the labels, and each rate that at least one row has. */
export function reportColumns({ columns, rows }: ReportSection): Column[] {
  const labels = columns.map(
    (head, c): Column => ({ group: '', head, isNumber: false, cellOf: ({ labels }) => ({ text: labels[c] ?? '' }) }),
  );
  const rates = (['fpr', 'fnr'] as const).flatMap(rateColumns);
  const speed: Column = { group: '', head: 'M elements/s', isNumber: true, cellOf: speedCell };
  const isFilled = ({ cellOf }: Column) => rows.some((row) => cellOf(row).text !== '');
  return [...labels, ...[...rates, speed].filter(isFilled)];
}

function rateColumns(rate: keyof Rates): Column[] {
  const share = (value: number | undefined): Cell => (value === undefined ? NOTHING : { text: percent(value) });
  const cells: [string, Column['cellOf']][] = [
    ['published', ({ published }) => share(published[rate])],
    ['measured', ({ measured }) => measuredCell(measured[rate])],
    ['predicted', ({ predicted }) => share(predicted[rate])],
    ['limit', ({ limit }) => share(limit[rate])],
  ];
  return cells.map(([head, cellOf]) => ({ group: RATE_NAMES[rate], head, isNumber: true, cellOf }));
}

function measuredCell(interval: ReportRow['measured']['fpr']): Cell {
  if (interval === undefined) return NOTHING;
  const { estimate, range } = measuredText(interval);
  return { text: estimate, ...(range === undefined ? {} : { range }) };
}

function speedCell({ elementsPerSecond }: ReportRow): Cell {
  return elementsPerSecond === undefined ? NOTHING : { text: (elementsPerSecond / 1e6).toFixed(1) };
}

export function verdictText({ kind, text }: ReportRow['verdict']): string {
  return text === '' ? kind : `${kind}: ${text}`;
}

/** The number of rows of a section with each verdict. */
export interface SectionVerdicts {
  section: ReportSection;
  counts: Record<VerdictKind, number>;
}

export function verdictsOf({ sections }: Pick<Report, 'sections'>): SectionVerdicts[] {
  return sections
    .filter(({ paper }) => paper !== undefined)
    .map((section) => {
      const count = (kind: VerdictKind) => section.rows.filter(({ verdict }) => verdict.kind === kind).length;
      const counts = Object.fromEntries(VERDICT_KINDS.map((kind) => [kind, count(kind)]));
      return { section, counts: counts as Record<VerdictKind, number> };
    });
}

/** A list of sentences with a heading. */
export interface TextList {
  head: string;
  texts: readonly string[];
}

/** The lists between the verdicts and the sections. */
export function listsOf({ conclusions, remarks, reading }: Report): TextList[] {
  return [
    { head: 'Findings', texts: conclusions },
    { head: 'About the papers', texts: remarks },
    { head: 'How to read it', texts: reading },
  ].filter(({ texts }) => texts.length > 0);
}

/** Groups neighbouring sections of one paper, or of none. */
export function byPaper(sections: readonly ReportSection[]): { paper?: string; sections: ReportSection[] }[] {
  const groups: { paper?: string; sections: ReportSection[] }[] = [];
  for (const section of sections) {
    const last = groups.at(-1);
    if (last && last.paper === section.paper) last.sections.push(section);
    else groups.push({ ...(section.paper === undefined ? {} : { paper: section.paper }), sections: [section] });
  }
  return groups;
}
