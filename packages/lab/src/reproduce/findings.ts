// What the rows say to somebody who has to choose a detector, and of the papers, worked out from them.

import { formatCounted } from 'firstseen/internal';
import type { ReportRow, ReportSection } from '../contract.js';
import { PLANE_PAPER, planes } from './planes.js';
import { memoryText } from './text.js';

type Rows = readonly ReportRow[];

const isMeasured = ({ measured }: ReportRow) => measured.fpr !== undefined && measured.fnr !== undefined;

function percentages(values: readonly number[]): string {
  const text = (value: number) => `${Number((100 * value).toPrecision(2))} %`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return text(least) === text(most) ? text(least) : `${text(least)} to ${text(most)}`;
}

function countOf(rows: Rows, kind: ReportRow['verdict']['kind']): number {
  return rows.filter(({ verdict }) => verdict.kind === kind).length;
}

/** Rows of tables: those that print rates. */
function printed(sections: readonly ReportSection[]): ReportRow[] {
  return sections
    .flatMap(({ rows }) => rows)
    .filter(({ published }) => published.fpr !== undefined || published.fnr !== undefined);
}

function countFinding(sections: readonly ReportSection[]): string[] {
  const rows = printed(sections);
  const ofPapers = sections.filter(({ paper }) => paper !== PLANE_PAPER);
  const claims = ofPapers.flatMap((section) => section.rows).length - rows.length;
  if (rows.length === 0) return [];
  return [
    `Of ${formatCounted(rows.length, 'row')} with printed rates, each reading of one counted, ${countOf(rows, 'reproduced')} are reproduced, ${countOf(rows, 'differs')} differ and ${countOf(rows, 'not reproducible')} cannot be repeated${claims > 0 ? `; ${claims} more rows hold sentences about figures against measurements` : ''}.`,
  ];
}

function sumOf({ measured }: ReportRow): number {
  return (measured.fpr?.estimate ?? 1) + (measured.fnr?.estimate ?? 1);
}

const NAMED_FAMILIES = 3;

/** The families of fewest errors with the planner's parameters, stream by stream. */
function planeFinding(sections: readonly ReportSection[]): string[] {
  const texts = planes.flatMap(({ id, memoryBytes, title }) => {
    const rows = sections.find((section) => section.id === id)?.rows ?? [];
    const planned = rows.filter((row) => row.id.endsWith('/planned') && isMeasured(row));
    const ranking = planned
      .toSorted((a, b) => sumOf(a) - sumOf(b))
      .slice(0, NAMED_FAMILIES)
      .map((row) => `${row.labels[0]} (${percentages([sumOf(row)])})`);
    return ranking.length === 0 ? [] : [`in ${memoryText(memoryBytes)} over ${title}: ${ranking.join(', ')}`];
  });
  if (texts.length === 0) return [];
  return [
    `Which family errs least depends on how far apart repeats are. By FPR + FNR, with parameters from firstseen plan, ${texts.join('; ')}.`,
  ];
}

/** Rows whose id has a name as its second part, such as `sbf-lower-half`. */
function named(rows: Rows, name: string): ReportRow[] {
  return rows.filter(({ id }) => id.split('/')[1] === name);
}

/** The detector of fewest errors in each setting of the tables that compare several in one memory. */
function bestFinding(sections: readonly ReportSection[]): string[] {
  const wins = new Map<string, number>();
  let settings = 0;
  for (const { id, rows } of sections) {
    if (!/^bera-[4-9]$/.test(id)) continue;
    const plain = rows.filter(
      (row) => isMeasured(row) && row.id.split('/').length === 3 && !row.id.includes('-as-written'),
    );
    for (const memory of new Set(plain.map(({ labels }) => labels[0]))) {
      const best = plain.filter(({ labels }) => labels[0] === memory).toSorted((a, b) => sumOf(a) - sumOf(b))[0];
      if (!best) continue;
      settings++;
      wins.set(best.labels[1] as string, (wins.get(best.labels[1] as string) ?? 0) + 1);
    }
  }
  if (settings === 0) return [];
  const list = [...wins].toSorted(([, a], [, b]) => b - a).map(([name, count]) => `${name} in ${count}`);
  return [
    `Among the five detectors of bera-2012, over uniform draws and in one memory, the least FPR + FNR is that of ${list.join(' and ')} of ${settings} settings.`,
  ];
}

function stableFinding(rows: Rows): string[] {
  const lower = named(rows, 'sbf-lower-half').filter(isMeasured);
  const ratios = lower.flatMap(({ id, published }) => {
    const plain = rows.find((row) => row.id === id.replace('/sbf-lower-half/', '/sbf/'));
    const measured = plain?.measured.fnr?.estimate;
    return measured !== undefined && published.fnr ? [measured / published.fnr - 1] : [];
  });
  if (ratios.length === 0) return [];
  return [
    `A Stable Bloom Filter of 512 MB misses ${percentages(ratios)} more duplicates than the papers print. The printed rates come out when victims are taken from the lower half of its 2^32 cells alone, as 31 random bits draw them (${countOf(lower, 'reproduced')} of ${lower.length} rows reproduced): its algorithm does worse than its tables.`,
  ];
}

function reservoirFinding(rows: Rows): string[] {
  const [written, table] = [named(rows, 'rsbf-as-written').filter(isMeasured), named(rows, 'rsbf').filter(isMeasured)];
  if (written.length === 0 || table.length === 0) return [];
  return [
    `RSBF by its pseudo-code has the printed rates in ${countOf(written, 'reproduced')} of ${written.length} rows; the rule that enters every element and clears one random bit in each filter has them in ${countOf(table, 'reproduced')} of ${table.length}.`,
  ];
}

/** What SQF is said to do without errors, with keys that are hashed. */
function quotientFinding(rows: Rows): string[] {
  const isClaimedNearZero = ({ published }: ReportRow) =>
    (published.fpr ?? 1) < 0.0001 && (published.fnr ?? 1) < 0.0001;
  const claimed = rows.filter((row) => isClaimedNearZero(row) && isMeasured(row));
  const hashed = named(claimed, 'sqf-hashed').flatMap(({ measured }) => measured.fpr?.estimate ?? []);
  const identifiers = named(claimed, 'sqf-identifiers');
  if (hashed.length === 0) return [];
  return [
    `SQF with r = 2, r' = 1 and k = 4 errs next to never only on identifiers without gaps, for which it is a bitmap (${countOf(identifiers, 'reproduced')} of ${identifiers.length} such rows reproduced). On hashed keys it has ${percentages(hashed)} of false positives where less than 0.01 % is printed.`,
  ];
}

/** How far the planner's model is from what was measured, over rows with enough errors to tell. */
function modelFinding(rows: Rows): string[] {
  const LEAST_RATE = 0.001;
  const errors = rows.flatMap(({ measured, predicted }) =>
    (['fpr', 'fnr'] as const).flatMap((rate) => {
      const [found, expected] = [measured[rate]?.estimate ?? 0, predicted[rate]];
      return expected !== undefined && found >= LEAST_RATE ? [Math.abs(expected / found - 1)] : [];
    }),
  );
  if (errors.length === 0) return [];
  const sorted = errors.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${Number((100 * (sorted[Math.floor(share * (sorted.length - 1))] as number)).toPrecision(2))} %`;
  return [
    `Over the streams of the papers, the rates that firstseen plan predicts are within ${at(0.5)} of the measured ones in half of ${errors.length} comparisons, and within ${at(0.9)} in nine of ten.`,
  ];
}

/** To somebody who has to choose a detector. */
export function findingsOf(sections: readonly ReportSection[]): string[] {
  const rows = printed(sections);
  return [...planeFinding(sections), ...bestFinding(sections), ...quotientFinding(rows), ...modelFinding(rows)];
}

/** To somebody who has the papers at hand. */
export function remarksOf(sections: readonly ReportSection[]): string[] {
  const rows = printed(sections);
  return [...countFinding(sections), ...stableFinding(rows), ...reservoirFinding(rows)];
}
