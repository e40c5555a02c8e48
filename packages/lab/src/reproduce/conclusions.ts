// Conclusions from the rows: which detector to choose, and which results of the papers hold.

import { formatCounted } from 'firstseen/internal';
import type { ReportRow, ReportSection } from '../contract.js';
import { isIndependent } from './independent.js';
import { isBelow } from './noise.js';
import { PLANE_PAPER, planes } from './planes.js';
import { memoryText } from './text.js';
import { MAX_RELATIVE } from './verdict.js';

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

/** The rows of tables, which print rates, over the streams of the papers. */
function printed(sections: readonly ReportSection[]): ReportRow[] {
  return sections
    .filter((section) => !isIndependent(section))
    .flatMap(({ rows }) => rows)
    .filter(({ published }) => published.fpr !== undefined || published.fnr !== undefined);
}

function countConclusion(sections: readonly ReportSection[]): string[] {
  const rows = printed(sections);
  const ofPapers = sections.filter((section) => section.paper !== PLANE_PAPER && !isIndependent(section));
  const claims = ofPapers.flatMap((section) => section.rows).length - rows.length;
  if (rows.length === 0) return [];
  return [
    `Of ${formatCounted(rows.length, 'row')} with printed rates, where each interpretation counts as a row, ${countOf(rows, 'reproduced')} are reproduced, ${countOf(rows, 'differs')} differ and ${countOf(rows, 'not reproducible')} are not reproducible${claims > 0 ? `; ${claims} more rows compare statements about figures with measurements` : ''}.`,
  ];
}

/** Tells if a row is measured at the report's scale. Results at full scale are shown beside it. */
function isPlain({ id }: ReportRow): boolean {
  return !id.endsWith('/full');
}

/** The name of a printed row: the id without its interpretation. */
function printedId({ id }: ReportRow): string {
  const [table = '', name = '', ...rest] = id.split('/');
  return [table.replace(/-independent$/, ''), name.split('-')[0], ...rest].join('/');
}

/** The papers whose uniform streams are compared with independent draws, and the tables of each. */
const UNIFORM_TABLES = /^(?:bera-\d|dutta2012-\d)$/;

/** A printed row counts as reproduced if one of its interpretations is. */
function reproducedIn(rows: Rows): { reproduced: number; of: number } {
  const groups = new Map<string, boolean>();
  for (const row of rows) {
    const id = printedId(row);
    groups.set(id, (groups.get(id) ?? false) || row.verdict.kind === 'reproduced');
  }
  return { reproduced: [...groups.values()].filter(Boolean).length, of: groups.size };
}

/** Returns the conclusion on how the streams were made, and how much of the tables that explains. */
function streamConclusion(sections: readonly ReportSection[]): string[] {
  const shuffledRows = sections.filter(({ id }) => UNIFORM_TABLES.test(id)).flatMap(({ rows }) => rows.filter(isPlain));
  const ids = new Set(shuffledRows.map(printedId));
  const independent = sections
    .filter(isIndependent)
    .flatMap(({ rows }) => rows.filter((row) => isPlain(row) && ids.has(printedId(row))));
  if (!shuffledRows.some(isMeasured) || !independent.some(isMeasured)) return [];
  const [onShuffled, onIndependent] = [reproducedIn(shuffledRows), reproducedIn(independent)];
  const share = Math.round((100 * onShuffled.reproduced) / onShuffled.of);
  return [
    `The uniform streams of bera-2012, dutta-2012 and dutta-2013 were made like this: each of D = dN elements once, N - D more drawn uniformly from them, all shuffled. The papers only say "uniform random". On this stream, ${onShuffled.reproduced} of the ${onShuffled.of} rows that bera-2012 and dutta-2012 print are reproduced (${share} %); on independent draws with the same share of distinct elements, ${onIndependent.reproduced} are.`,
    ...missesConclusion(shuffledRows, independent),
  ];
}

/**
 * Returns the conclusion on how much fewer duplicates are missed on independent draws than on the streams of the
 * papers.
 */
function missesConclusion(shuffledRows: Rows, independent: Rows): string[] {
  const ratios = independent.flatMap((row) => {
    const twin = shuffledRows.find(({ id }) => id === plainId(row));
    const [fnr, twinFnr] = [row.measured.fnr, twin?.measured.fnr];
    return fnr && twinFnr && isBelow(fnr, twinFnr) ? [1 - fnr.estimate / twinFnr.estimate] : [];
  });
  if (ratios.length === 0) return [];
  const orders = ordersOf(shuffledRows).map((order, i) => order === ordersOf(independent)[i]);
  return [
    `What this means for readers of these papers: every element occurs at least once, so repeats are a little farther apart than in independent draws, and a detector that forgets misses more of them. On independent draws the FNRs of ${ratios.length} rows are lower, by up to ${percentages([Math.max(...ratios)])}; the FPRs are the same. The order of the detectors by FNR and by FPR is the same on both streams in ${orders.filter(Boolean).length} of ${orders.length} comparisons. A stream with frequent keys or near repeats is something else: there, neither the rates nor the order need to hold.`,
  ];
}

/** The id of the same row over the stream of the paper. */
function plainId({ id }: ReportRow): string {
  return id.replace('-independent', '');
}

/** Returns the order of the five detectors by each rate, for each memory of the tables that compare them. */
function ordersOf(rows: Rows): string[] {
  const comparedRows = rows.filter(
    (row) => COMPARING_TABLE.test(plainId(row)) && !/-(?:as-written|lower-half)\//.test(row.id),
  );
  const settings = new Set(comparedRows.map((row) => plainId(row).replace(/\/.*\//, '/')));
  return [...settings].flatMap((setting) => {
    const rowsOfSetting = comparedRows.filter((row) => plainId(row).replace(/\/.*\//, '/') === setting);
    return (['fpr', 'fnr'] as const).map((rate) =>
      rowsOfSetting
        .toSorted((a, b) => (a.measured[rate]?.estimate ?? 0) - (b.measured[rate]?.estimate ?? 0))
        .map((row) => row.id.split('/')[1])
        .join(),
    );
  });
}

/** Tables that compare the five detectors of bera-2012 in the same memory. */
const COMPARING_TABLE = /^bera-[4-9]\//;

function sumOf({ measured }: ReportRow): number {
  return (measured.fpr?.estimate ?? 1) + (measured.fnr?.estimate ?? 1);
}

const NAMED_FAMILIES = 3;

/** The families with the fewest errors, with the planner's parameters, for each stream. */
function planeConclusion(sections: readonly ReportSection[]): string[] {
  const texts = planes.flatMap(({ id, memoryBytes, title }) => {
    const rows = sections.find((section) => section.id === id)?.rows ?? [];
    const plannedRows = rows.filter((row) => row.id.endsWith('/planned') && isMeasured(row));
    const ranking = plannedRows
      .toSorted((a, b) => sumOf(a) - sumOf(b))
      .slice(0, NAMED_FAMILIES)
      .map((row) => `${row.labels[0]} (${percentages([sumOf(row)])})`);
    return ranking.length === 0 ? [] : [`in ${memoryText(memoryBytes)} over ${title}: ${ranking.join(', ')}`];
  });
  if (texts.length === 0) return [];
  return [
    `Which family makes the fewest errors depends on the gaps between repeats. The families with the lowest FPR + FNR, with parameters from firstseen plan, are ${texts.join('; ')}.`,
  ];
}

/** Rows whose id has this name as its second part, such as `sbf-lower-half`. */
function named(rows: Rows, name: string): ReportRow[] {
  return rows.filter(({ id }) => id.split('/')[1] === name);
}

/** The detector with the fewest errors in each setting, for tables that compare several of them in the same memory. */
function bestConclusion(sections: readonly ReportSection[]): string[] {
  const wins = new Map<string, number>();
  let settings = 0;
  for (const { id, rows } of sections) {
    if (!COMPARING_TABLE.test(`${id}/`)) continue;
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
    `Among the five detectors of bera-2012, in the same memory over uniform draws, the lowest FPR + FNR is that of ${list.join(' and ')} of ${settings} settings.`,
  ];
}

function stableConclusion(rows: Rows): string[] {
  const lower = named(rows, 'sbf-lower-half').filter(isMeasured);
  const ratios = lower.flatMap(({ id, published }) => {
    const plain = rows.find((row) => row.id === id.replace('/sbf-lower-half/', '/sbf/'));
    const plainFnr = plain?.measured.fnr?.estimate;
    return plainFnr !== undefined && published.fnr ? [plainFnr / published.fnr - 1] : [];
  });
  if (ratios.length === 0) return [];
  return [
    `A Stable Bloom Filter of 512 MB misses ${percentages(ratios)} more duplicates than the papers print. The printed rates are reproduced if victims are only drawn from the lower half of its 2^32 cells, as with 31 random bits (${countOf(lower, 'reproduced')} of ${lower.length} rows reproduced). So the algorithm makes more errors than its tables show.`,
  ];
}

function reservoirConclusion(rows: Rows): string[] {
  const [written, table] = [named(rows, 'rsbf-as-written').filter(isMeasured), named(rows, 'rsbf').filter(isMeasured)];
  if (written.length === 0 || table.length === 0) return [];
  return [
    `The pseudo-code of RSBF reproduces the printed rates in ${countOf(written, 'reproduced')} of ${written.length} rows. The rule that inserts every element and clears one random bit in each filter reproduces them in ${countOf(table, 'reproduced')} of ${table.length}.`,
  ];
}

/** Counts the rates of table 2 of deng-2006 that agree with the printed ones, as text. */
function agreement(rows: Rows, rate: 'fpr' | 'fnr'): string {
  const rounding = rate === 'fpr' ? 0.0005 : 0.005;
  const pairs = rows.flatMap(({ published, measured }) => {
    const [printedRate, measuredRate] = [published[rate], measured[rate]?.estimate];
    return printedRate === undefined || measuredRate === undefined ? [] : [{ printedRate, measuredRate }];
  });
  const near = pairs.filter(
    ({ printedRate, measuredRate }) => Math.abs(measuredRate - printedRate) <= rounding + MAX_RELATIVE * printedRate,
  );
  return `${near.length} of ${pairs.length}`;
}

/** Returns the conclusion from a stream with the gaps of one column of a table on its other columns. */
function crawlConclusion(sections: readonly ReportSection[]): string[] {
  const rows = sections.find(({ id }) => id === 'deng-2')?.rows.filter(isPlain) ?? [];
  const [stable, buffering, bloom] = [named(rows, 'sbf'), named(rows, 'fpbuffer'), named(rows, 'bloom')];
  if (!stable.some(isMeasured)) return [];
  return [
    `The columns of table 2 of deng-2006 agree with each other: on streams with the gaps that its column for buffering implies, the FNRs of SBF agree with the printed ones in ${agreement(stable, 'fnr')} rows, and those of FPBuffering in ${agreement(buffering, 'fnr')}. The FPRs of SBF agree in ${agreement(stable, 'fpr')} rows, those of Bloom filters in ${agreement(bloom, 'fpr')}: in large memory the printed ones are far higher. The FPR of a Bloom filter depends on the number of distinct elements alone, so the experiment had false positives of another origin, such as a short hash.`,
  ];
}

/** Returns the rows that claim almost no errors for SQF, on hashed keys. */
function quotientConclusion(rows: Rows): string[] {
  const isClaimedNearZero = ({ published }: ReportRow) =>
    (published.fpr ?? 1) < 0.0001 && (published.fnr ?? 1) < 0.0001;
  const claimedRows = rows.filter((row) => isClaimedNearZero(row) && isMeasured(row));
  const hashedRates = named(claimedRows, 'sqf-hashed').flatMap(({ measured }) => measured.fpr?.estimate ?? []);
  const identifiers = named(claimedRows, 'sqf-identifiers');
  if (hashedRates.length === 0) return [];
  return [
    `SQF with r = 2, r' = 1 and k = 4 makes almost no errors only on identifiers without gaps, for which it is a bitmap (${countOf(identifiers, 'reproduced')} of ${identifiers.length} such rows reproduced). On hashed keys its FPR is ${percentages(hashedRates)}, where the paper prints less than 0.01 %.`,
  ];
}

/** The error of the planner's predictions, over rows with enough errors. */
function modelConclusion(rows: Rows): string[] {
  const MIN_RATE = 0.001;
  const errors = rows.flatMap(({ measured, predicted }) =>
    (['fpr', 'fnr'] as const).flatMap((rate) => {
      const [measuredRate, expected] = [measured[rate]?.estimate ?? 0, predicted[rate]];
      return expected !== undefined && measuredRate >= MIN_RATE ? [Math.abs(expected / measuredRate - 1)] : [];
    }),
  );
  if (errors.length === 0) return [];
  const sortedErrors = errors.toSorted((a, b) => a - b);
  const at = (share: number) =>
    `${Number((100 * (sortedErrors[Math.floor(share * (sortedErrors.length - 1))] as number)).toPrecision(2))} %`;
  return [
    `On the streams of the papers, the rates that firstseen plan predicts are within ${at(0.5)} of the measured rates in half of ${errors.length} comparisons, and within ${at(0.9)} in nine tenths of them.`,
  ];
}

/** Conclusions for readers who want to choose a detector. */
export function reportConclusions(sections: readonly ReportSection[]): string[] {
  const rows = printed(sections);
  return [
    ...planeConclusion(sections),
    ...bestConclusion(sections),
    ...quotientConclusion(rows),
    ...modelConclusion(rows),
  ];
}

/** Remarks for readers of the papers. */
export function remarksOf(sections: readonly ReportSection[]): string[] {
  const rows = printed(sections);
  return [
    ...streamConclusion(sections),
    ...countConclusion(sections),
    ...stableConclusion(rows),
    ...reservoirConclusion(rows),
    ...crawlConclusion(sections),
  ];
}
