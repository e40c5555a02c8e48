// The summary of a run, for --stats.

import { formatCount, formatCounted, formatPercent } from '../base/count.js';
import { formatBytes } from '../base/memory.js';
import type { RateEstimate } from '../detectors/intervals.js';
import { exactFamily, exactWindowFamily } from '../detectors/registry.js';
import type { WitnessStats } from '../detectors/witness.js';
import type { DocumentStats } from '../jobs/near/documentoptions.js';
import type { PassageRunStats, PassageStats } from '../jobs/passages/passageoptions.js';
import type { DetectorName } from '../kernel/abi.js';
import { bandText } from '../plan/text.js';
import type { RunStats } from '../run/stats.js';
import { snakeCase } from './json.js';
import { alignRows, formatFingerprint, formatParameters, formatRate, formatValue, partitionsRow } from './text.js';

type Row = readonly [string, string];

export type AnyRunStats = RunStats | DocumentStats | PassageStats;

function share(count: number, total: number): string {
  return total === 0 ? '' : ` (${((100 * count) / total).toFixed(2)} %)`;
}

/** Returns the rows for records that were not looked up in the detector. Counts of 0 have no row. */
function exceptionRows(stats: AnyRunStats): Row[] {
  const rows: [string, number][] = [
    ['without key', stats.missingKey],
    ['empty key', stats.emptyKey],
    ['invalid', stats.invalid],
    ['too long', stats.tooLong],
    ['not compared', stats.notCompared],
    ['passed unchecked', stats.passed],
    ['dropped', stats.dropped],
    ['other shards', stats.skipped],
  ];
  return rows.filter(([, count]) => count > 0).map(([label, count]) => [label, formatCount(count)]);
}

/** Describes the start and the end of a run, if they are not the beginning and the end of its inputs. */
export function runRow({
  resumed = false,
  interrupted,
  error,
}: Pick<RunStats, 'interrupted' | 'error'> & { resumed?: boolean }): Row[] {
  const notes = [
    ...(resumed ? ['continued an earlier run'] : []),
    ...(interrupted ? ['stopped before the end of the input'] : []),
    ...(error === null ? [] : [`failed with ${error}`]),
  ];
  return notes.length > 0 ? [['run', notes.join('; ')]] : [];
}

/** A measured rate, and the elements of which it is a share. */
export interface RateFact {
  name: string;
  rate: RateEstimate;
  count: number;
  /** The name of the counted elements, as it follows a number. */
  of: string;
}

/** Computes the number of elements that a rate is of so many; undefined if it is not known. */
export function recordsOfRate({ rate, count, of }: RateFact): string | undefined {
  if (rate.estimate === null) return undefined;
  const [low, high] = [rate.low, rate.high].map((share) => formatCount(Math.round(share * count)));
  return `${low === high ? low : `${low} to ${high}`} of ${formatCount(count)} ${of}`;
}

/** A rate, and how many elements of so many it is. */
function rateOf(fact: RateFact): string {
  return [formatRate(fact.rate), recordsOfRate(fact)].filter((text) => text !== undefined).join(', ');
}

/** The rates of the witness, each with what it is a share of. */
export function witnessRates(witness: WitnessStats | null, observed: number): RateFact[] {
  if (witness === null) return [];
  const { newElements, repeats, falsePositiveRate, falseNegativeRate, lateDuplicateRate: late } = witness;
  return [
    { name: 'false positives', rate: falsePositiveRate, count: newElements, of: 'new' },
    { name: 'false negatives', rate: falseNegativeRate, count: repeats, of: 'repeats' },
    ...(late === undefined || late.high === 0
      ? []
      : [{ name: 'dropped late', rate: late, count: observed, of: 'elements' }]),
  ];
}

/**
 * The rates of the witness. Gaps without missed duplicates have no row.
 * @param observed the elements of all runs
 */
export function witnessRows(witness: WitnessStats | null, observed: number): Row[] {
  if (witness === null) return [];
  const gapsWithMisses = witness.byGap.filter(({ falseNegatives }) => falseNegatives > 0);
  const elements = formatCounted(witness.elements, 'element');
  return [
    ...witnessRates(witness, observed).map((fact): Row => [fact.name, rateOf(fact)]),
    ...gapsWithMisses.map((gap): Row => {
      const gaps = [gap.gapFromElements, gap.gapToElements].map(formatCount).join(' to ');
      return ['  at gap', `${gaps}: ${formatRate(gap)}`];
    }),
    ['witness', witness.fraction === 1 ? `all ${elements}` : `${elements}, 1 in ${formatCount(1 / witness.fraction)}`],
  ];
}

function bytesText(bytes: number): string {
  return bytes < 1024 ? formatCounted(bytes, 'byte') : `${formatCounted(bytes, 'byte')} (${formatBytes(bytes)})`;
}

/** Returns the rows about the entries that were written to disk. */
function spillRows(stats: AnyRunStats): Row[] {
  if (!stats.spill) return [];
  const { passes, partitions, entries, folder, writtenBytes, parts } = stats.spill;
  const split = parts === 1 ? '' : `, settled in up to ${formatCounted(parts, 'part')}`;
  return [
    [
      'spill',
      `read ${passes} times, ${formatCount(entries)} entries in ${formatCounted(partitions, 'partition')}${split}`,
    ],
    ['written to disk', `${bytesText(writtenBytes)} in ${folder}`],
  ];
}

/**
 * Returns the row of the window: the age up to which repeats are certain to be found, and the age from which on they
 * are found only by chance.
 */
function windowRow({ window }: AnyRunStats): Row[] {
  if (window === null) return [];
  if (!('fromDocuments' in window)) return [['window', bandText(window)]];
  const { fromDocuments: fromElements, toDocuments: toElements } = window;
  return [['window', bandText({ fromElements, toElements }, 'document')]];
}

/** Elements that the window had no room for, over all runs. */
export function unstoredRow({ unstored }: Pick<RunStats, 'unstored'>, counted: string): Row[] {
  return unstored === undefined ? [] : [['not stored', formatCounted(unstored, counted)]];
}

/** Generations that left the window early, over all runs. Most windows have none. */
export function shortenedRow({ shortened = 0 }: Pick<RunStats, 'shortened'>): Row[] {
  return shortened === 0 ? [] : [['left early', formatCounted(shortened, 'generation')]];
}

/** Returns the row that tells by how much the detector takes more than it was planned for. */
function overloadRow({ overload }: AnyRunStats): Row[] {
  if (overload === null) return [];
  const { evidence, fpr, targetFpr, sinceElements } = overload;
  const rates = `false positives ${evidence} at ${formatPercent(fpr)}, target ${formatPercent(targetFpr)}`;
  return [['overload', `${rates}; exceeded after ${formatCounted(sinceElements, 'element')}`]];
}

/** Returns the rows about the comparison of documents, for records that are documents. */
function nearRows(stats: AnyRunStats): Row[] {
  if (!('near' in stats)) return [];
  const { lsh, similarity, shingle, bands, rowsPerBand, agreeing, sets, setsOpened, textBytes } = stats.near;
  const { sketchBytes, remembered, blank } = stats.near;
  const shingles = shingle === null ? '' : `, shingles of ${shingle}`;
  return [
    [
      'near',
      `${lsh} from ${similarity}${shingles}, ${agreeing} of ${formatCounted(bands, 'band')} of ${formatCounted(rowsPerBand, 'row')}`,
    ],
    ...(sketchBytes === null
      ? []
      : [
          [
            'verified',
            `by sketches in slots of ${formatCounted(sketchBytes, 'byte')}, among the last ${formatCounted(remembered ?? 0, 'document')}`,
          ] as const,
        ]),
    ...(sets > 0 ? [['sets', `${formatCount(setsOpened)} opened of ${formatCount(sets)}`] as const] : []),
    ['text', `${bytesText(textBytes)}${blank > 0 ? `, ${formatCounted(blank, 'blank document')}` : ''}`],
  ];
}

/** Returns the number of texts, and of those of which nothing was compared, in words. */
function textsText({ documents, documentsWithSeen, documentsBlank, documentsUncompared }: PassageRunStats): string {
  return [
    formatCount(documents),
    `${formatCount(documentsWithSeen)} with seen passages`,
    ...(documentsBlank > 0 ? [`${formatCount(documentsBlank)} blank`] : []),
    ...(documentsUncompared > 0 ? [`${formatCount(documentsUncompared)} without a passage that is compared`] : []),
  ].join(', ');
}

/** Returns the rows about the passages of texts. */
function passageRows(stats: AnyRunStats): Row[] {
  if (!('passages' in stats)) return [];
  const { by, ngram, passages, seen, characters, seenCharacters, items } = stats.passages;
  return [
    ...(items === null ? [] : [['items', `${formatCount(items.items)}, ${formatCount(items.found)} found`] as const]),
    ['passages', `${formatCount(passages)} by ${by}${ngram === null ? '' : ` of ${formatCounted(ngram, 'word')}`}`],
    ['seen', `${formatCount(seen)}${share(seen, passages)}`],
    ['texts', textsText(stats.passages)],
    [
      'characters',
      `${formatCount(characters)}, ${formatCount(seenCharacters)} seen${share(seenCharacters, characters)}`,
    ],
  ];
}

/** The counts over all runs with a state. Without a state, this run is the only one. */
function allRunsRows({ allRuns }: AnyRunStats): Row[] {
  if (allRuns === null) return [];
  const { records, distinct, duplicates } = allRuns;
  return [
    [
      'all runs',
      `${formatCounted(records, 'record')}, ${formatCount(distinct)} distinct, ${formatCounted(duplicates, 'duplicate')}`,
    ],
  ];
}

/** The families that keep all that they have to, and compare whole fingerprints. */
const exactFamilies: ReadonlySet<DetectorName> = new Set([exactFamily.name, exactWindowFamily.name]);

/** Tells if there are no errors. Documents that are near have errors whatever the family of their table is. */
export function isExactRun(stats: AnyRunStats): boolean {
  return exactFamilies.has(stats.algorithm) && !('near' in stats);
}

function errorRows(stats: AnyRunStats): Row[] {
  const { algorithm, witness, observed } = stats;
  return isExactRun(stats) ? [['errors', `none with ${algorithm}`]] : witnessRows(witness, observed);
}

/** The summary, a label and a text each. */
export function summaryRows(stats: AnyRunStats): Row[] {
  return [
    ['records', formatCount(stats.records)],
    ['distinct', `${formatCount(stats.distinct)}${share(stats.distinct, stats.records)}`],
    ['duplicates', `${formatCount(stats.duplicates)}${share(stats.duplicates, stats.records)}`],
    ...exceptionRows(stats),
    ...nearRows(stats),
    ...passageRows(stats),
    ...errorRows(stats),
    ...overloadRow(stats),
    ['bytes in', bytesText(stats.bytesIn)],
    ['bytes out', bytesText(stats.bytesOut)],
    ...(stats.bytesWaiting > 0
      ? [['bytes waiting', `${bytesText(stats.bytesWaiting)} of an unfinished record`] as const]
      : []),
    ['seconds', stats.seconds.toFixed(3)],
    ['records/s', formatCount(stats.recordsPerSecond)],
    ['algorithm', `${stats.algorithm} (${stats.layout}) ${formatParameters(stats.parameters)}`],
    ...windowRow(stats),
    ...unstoredRow(stats, 'near' in stats ? 'band' : 'element'),
    ...shortenedRow(stats),
    ['fingerprint', formatFingerprint(stats)],
    ['memory', formatBytes(stats.memoryBytes)],
    ['state', bytesText(stats.stateBytes)],
    ['load', formatValue(stats.load)],
    ...partitionsRow(stats.partitions),
    ...spillRows(stats),
    ['observed', `${formatCounted(stats.observed, 'near' in stats ? 'document' : 'element')} over all runs`],
    ...allRunsRows(stats),
    ...runRow(stats),
  ];
}

/** The summary as text, one fact per line. */
export function summaryText(stats: AnyRunStats): string {
  return alignRows(summaryRows(stats)).join('\n');
}

/** The summary as data, with names in the style of the command's JSON. */
export function statsData(stats: AnyRunStats): object {
  return snakeCase(stats);
}
