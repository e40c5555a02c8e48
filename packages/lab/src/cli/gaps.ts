// Misses by gap in a terminal: a line for each octave of gaps, a column for each detector.

import { formatBytes, formatCount, formatParameters, percent, table } from 'firstseen/internal';
import type { GapCounts, Measurement } from '../contract.js';

function nameOf({ algorithm, layout, memoryBytes, parameters }: Measurement['spec']['detector']): string {
  const given = formatParameters(parameters);
  return [algorithm, layout, ...(given === '' ? [] : [given]), formatBytes(memoryBytes)].join(', ');
}

/** The percentage of missed duplicates with such gaps, over all seeds; empty if there were none. */
function missedText(runs: readonly Measurement[], toElements: number): string {
  const gaps = runs.flatMap(({ byGap }) => byGap.filter((gap) => gap.toElements === toElements));
  const sum = (name: 'duplicates' | 'falseNegatives') => gaps.reduce((total, gap) => total + gap[name], 0);
  return sum('duplicates') === 0 ? '' : percent(sum('falseNegatives') / sum('duplicates'));
}

function rangeText({ fromElements, toElements }: GapCounts): string {
  const least = fromElements + 1;
  return least === toElements ? formatCount(least) : `${formatCount(least)} to ${formatCount(toElements)}`;
}

/** A table of the runs of each detector; empty if nothing was counted by gap. */
export function gapsText(detectors: readonly (readonly Measurement[])[]): string[] {
  const gaps = detectors.flatMap((runs) => runs.flatMap(({ byGap }) => byGap));
  const classes = [...new Map(gaps.map((gap) => [gap.toElements, gap])).values()];
  if (classes.length === 0) return [];
  const heads = detectors.flatMap(([first]) => (first ? [nameOf(first.spec.detector)] : []));
  const rows = classes
    .toSorted((a, b) => a.toElements - b.toElements)
    .map((gap) => [rangeText(gap), ...detectors.map((runs) => missedText(runs, gap.toElements))]);
  return ['', 'missed duplicates by gap, %', '', ...table([['gap', ...heads], ...rows], 1)];
}
