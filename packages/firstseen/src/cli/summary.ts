// The summary of a run, for --stats.

import { formatCount, formatCounted } from '../count.js';
import type { RunStats, WitnessRates } from '../dedup/options.js';
import type { DocumentStats } from '../documents/options.js';
import { formatBytes } from '../memory.js';
import { alignRows, formatFingerprint, formatParameters, formatRate, formatValue } from './text.js';

export const statsFormats = ['text', 'json'] as const;
export type StatsFormat = (typeof statsFormats)[number];

type Row = readonly [string, string];

function share(count: number, total: number): string {
  return total === 0 ? '' : ` (${((100 * count) / total).toFixed(2)} %)`;
}

/** Rows for records that were not looked up in the detector. Counts of 0 have no row. */
function exceptionRows(stats: RunStats): Row[] {
  const rows: [string, number][] = [
    ['without key', stats.missing_key],
    ['invalid', stats.invalid],
    ['too long', stats.too_long],
    ['passed unchecked', stats.passed],
    ['dropped', stats.dropped],
  ];
  return rows.filter(([, count]) => count > 0).map(([label, count]) => [label, formatCount(count)]);
}

/** How a run started and ended, if not at the beginning and the end of its inputs. */
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

/** The rates of the witness. Gaps without missed duplicates have no row. */
export function witnessRows(witness: WitnessRates | null): Row[] {
  if (witness === null) return [];
  const missed = witness.by_gap.filter(({ false_negatives }) => false_negatives > 0);
  const followed = formatCounted(witness.elements, 'element');
  return [
    ['false positives', formatRate(witness.false_positive_rate)],
    ['false negatives', formatRate(witness.false_negative_rate)],
    ...missed.map((gap): Row => {
      const gaps = [gap.gap_from_elements, gap.gap_to_elements].map(formatCount).join(' to ');
      return ['  at gap', `${gaps}: ${formatRate(gap)}`];
    }),
    ['witness', witness.fraction === 1 ? `all ${followed}` : `${followed}, 1 in ${formatCount(1 / witness.fraction)}`],
  ];
}

function bytesText(bytes: number): string {
  return bytes < 1024 ? formatCounted(bytes, 'byte') : `${formatCounted(bytes, 'byte')} (${formatBytes(bytes)})`;
}

/** How documents were compared, for records that are documents. */
function nearRows(stats: RunStats | DocumentStats): Row[] {
  if (!('near' in stats)) return [];
  const { lsh, similarity, shingle, bands, rows_per_band, agreeing, sets, sets_opened, documents, text_bytes } =
    stats.near;
  const shingles = shingle === null ? '' : `, shingles of ${shingle}`;
  return [
    [
      'near',
      `${lsh} from ${similarity}${shingles}, ${agreeing} of ${formatCounted(bands, 'band')} of ${formatCounted(rows_per_band, 'row')}`,
    ],
    ...(sets > 0 ? [['sets', `${formatCount(sets_opened)} opened of ${formatCount(sets)}`] as const] : []),
    ['documents', `${formatCount(documents)} over all runs`],
    ['text', bytesText(text_bytes)],
  ];
}

/** The summary as text, one fact per line. */
function summaryText(stats: RunStats | DocumentStats): string {
  const rows: Row[] = [
    ['records', formatCount(stats.records)],
    ['distinct', `${formatCount(stats.distinct)}${share(stats.distinct, stats.records)}`],
    ['duplicates', `${formatCount(stats.duplicates)}${share(stats.duplicates, stats.records)}`],
    ...exceptionRows(stats),
    ...nearRows(stats),
    ...witnessRows(stats.witness),
    ['bytes in', bytesText(stats.bytes_in)],
    ['bytes out', bytesText(stats.bytes_out)],
    ['seconds', stats.seconds.toFixed(3)],
    ['records/s', formatCount(stats.records_per_second)],
    ['algorithm', `${stats.algorithm} (${stats.layout}) ${formatParameters(stats.parameters)}`],
    ['fingerprint', formatFingerprint(stats)],
    ['memory', formatBytes(stats.memory_bytes)],
    ['state', bytesText(stats.state_bytes)],
    ['load', formatValue(stats.load)],
    ['observed', `${formatCounted(stats.observed, 'element')} over all runs`],
    ...runRow(stats),
  ];
  return alignRows(rows).join('\n');
}

export function formatStats(stats: RunStats | DocumentStats, format: StatsFormat): string {
  return format === 'json' ? JSON.stringify(stats) : summaryText(stats);
}
