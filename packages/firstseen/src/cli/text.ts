// Numbers and paragraphs in text form.

import { formatCounted, formatPercent } from '../base/count.js';
import type { RateEstimate } from '../detectors/intervals.js';
import type { PartitionStats, PartitionsStats } from '../detectors/partitions.js';

/** Returns the rows of a label and a text, with the labels padded to one width. */
export function alignRows(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `${label.padEnd(width)}  ${text}`.trimEnd());
}

/** Whole numbers in full, other numbers with six significant digits. */
export function formatValue(value: number | string | boolean): string {
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
}

/** A rate and its confidence interval: `0.012 % (0.008 % to 0.017 %)`. An exact rate has no interval. */
export function formatRate({ estimate, low, high }: RateEstimate): string {
  if (estimate === null) return 'not measured';
  if (low === high) return formatPercent(estimate);
  return `${formatPercent(estimate)} (${formatPercent(low)} to ${formatPercent(high)})`;
}

/** Parameters on one line: `k=2 s=1024`. */
export function formatParameters(parameters: Readonly<Record<string, number | string | boolean>>): string {
  return Object.entries(parameters)
    .map(([letter, value]) => `${letter}=${formatValue(value)}`)
    .join(' ');
}

/** The partitions of a detector, or those of them that it holds, and how evenly they are used. */
export function partitionsRow(partitions: PartitionsStats | undefined): (readonly [string, string])[] {
  if (partitions === undefined) return [];
  const { count, first, held, fullest, emptiest } = partitions;
  const some = held === 1 ? `number ${first} of ${count}` : `${first} to ${first + held - 1} of ${count}`;
  const one = ({ observed, load }: PartitionStats) =>
    `${formatCounted(observed, 'element')} (load ${formatValue(load)})`;
  const used = held === 1 ? one(fullest) : `${one(emptiest)} to ${one(fullest)}`;
  return [['partitions', `${held === count ? count : some}; ${used}`]];
}

/** `xxh64, seed 0`, or `siphash, keyed (secret), seed 0`. */
export function formatFingerprint(settings: { fingerprint: string; keyed: boolean; seed: string }): string {
  const { fingerprint, keyed, seed } = settings;
  return [fingerprint, ...(keyed ? ['keyed (secret)'] : []), `seed ${seed}`].join(', ');
}

/** The lines of a text of words, each at most `width` characters long unless a word is longer. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current];
}
