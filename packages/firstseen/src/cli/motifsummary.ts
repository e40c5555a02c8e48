// The summary of a run of `firstseen motifs`.

import { formatCount, formatCounted } from '../base/count.js';
import { formatBytes } from '../base/memory.js';
import type { MotifRunStats } from '../jobs/motifs/run.js';
import { snakeCase } from './json.js';
import { runRow } from './summary.js';
import { alignRows } from './text.js';

type Row = readonly [string, string];

/** Hexadecimal digits of a centre that fit on a line. */
const CENTRE_DIGITS = 32;

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))} %`;
}

function setRows({ sizes, centres, errors }: MotifRunStats): Row[] {
  return sizes.map((size, set) => {
    const centre = centres[set] as string;
    const shown = centre.length > CENTRE_DIGITS ? `${centre.slice(0, CENTRE_DIGITS)}...` : centre;
    const found = errors?.perSet.find((row) => row.set === set);
    const label = found?.label ?? 'no label';
    const rates = found ? `  ${label}, FPR ${percent(found.fpr)}, FNR ${percent(found.fnr)}` : '';
    return [`set ${set}`, `${formatCounted(size, 'record')}, centre ${shown}${rates}`];
  });
}

function errorRows({ errors }: MotifRunStats): Row[] {
  if (errors === null) return [];
  const unmatchedLabels = errors.perSet.filter(({ set }) => set === null);
  return [
    ...unmatchedLabels.map(
      ({ label, records, fnr }): Row => [
        `no set`,
        `${formatCounted(records, 'record')} of ${label}, FNR ${percent(fnr)}`,
      ],
    ),
    ['false positives', percent(errors.fpr)],
    ['false negatives', percent(errors.fnr)],
  ];
}

/** The summary as text, one fact per line. */
export function motifStatsText(stats: MotifRunStats): string {
  const { settings } = stats;
  const rows: Row[] = [
    ['records', formatCount(stats.records)],
    ['recognized', formatCount(stats.recognized)],
    ['left out', formatCount(stats.leftOut)],
    ['repeats', `${formatCount(stats.repeats)} exact ones within batches`],
    ...setRows(stats),
    ...errorRows(stats),
    ['parameters', `k=${settings.hashes} l'=${settings.addressBits} r=${settings.sets} t=${settings.threshold}`],
    ['opening', `${settings.opening}, seed ${settings.seed}`],
    ['memory', formatBytes(stats.memoryBytes)],
    ['threads', formatCount(stats.threads)],
    ['seconds', stats.seconds.toFixed(3)],
    ['records/s', formatCount(stats.recordsPerSecond)],
    ...runRow(stats),
  ];
  return alignRows(rows).join('\n');
}

/** The summary as data, with names in the style of the command's JSON. */
export function motifStatsData({ settings, errors, sizes, centres, ...stats }: MotifRunStats): object {
  const { recordBytes, hashes, addressBits, sets, threshold, opening, batchRecords, seed } = settings;
  return snakeCase({
    ...stats,
    sets: sizes.map((records, set) => ({ set, records, centre: centres[set] })),
    errors: errors && {
      fpr: errors.fpr,
      fnr: errors.fnr,
      perSet: errors.perSet.map(({ falsePositives, falseNegatives, ...row }) => ({
        ...row,
        falsePositives,
        falseNegatives,
      })),
    },
    parameters: {
      record_bytes: recordBytes,
      k: hashes,
      l_prime: addressBits,
      r: sets,
      t: threshold,
      opening,
      batch_records: batchRecords,
    },
    seed: String(seed),
  });
}
