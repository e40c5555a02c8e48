// The legend of a plot: one entry for each name, and one for each role that a name plays besides its own.

import type { Plot, PlotSeries } from '../contract.js';

export interface LegendEntry {
  name: string;
  /** Drawn as this series; one of a role alone is in the colour of the text. */
  series: Pick<PlotSeries, 'kind' | 'role'>;
  /** The name by which the look is found; absent for a role. */
  lookName?: string;
}

export interface PlacedEntry {
  entry: LegendEntry;
  left: number;
  row: number;
}

export const ENTRY_MARK_WIDTH = 24;
const ENTRY_GAP = 14;
/** Of the sans-serif fonts that systems have, for words. */
const CHARACTER_WIDTHS_OF_FONT = 0.56;

/** Estimated, as there is no font where a plot is drawn. */
export function textWidth(text: string, fontSize: number): number {
  return text.length * fontSize * CHARACTER_WIDTHS_OF_FONT;
}

/** Entries for the series whose names stand at no mark of their own. */
export function legendEntries({ series }: Plot, labelled: ReadonlySet<string>): LegendEntry[] {
  const firsts = [...new Map(series.toReversed().map((one) => [one.name, one])).values()].toReversed();
  const names = firsts
    .filter(({ name }) => !labelled.has(name))
    .map((one): LegendEntry => ({ name: one.name, series: one, lookName: one.name }));
  return [...names, ...roleEntries(series)];
}

/** A role has an entry if some name has other series beside the one in that role. */
function roleEntries(series: readonly PlotSeries[]): LegendEntry[] {
  const shared = series.filter((one) => series.some((other) => other.name === one.name && other.role !== one.role));
  const roles = new Map(shared.filter(({ role }) => role !== undefined).map((one) => [one.role as string, one]));
  return [...roles].map(([role, one]) => ({ name: role, series: one }));
}

/** Entries side by side, in as many rows as they take. */
export function placeEntries(entries: readonly LegendEntry[], width: number, fontSize: number): PlacedEntry[] {
  let left = 0;
  let row = 0;
  return entries.map((entry) => {
    const entryWidth = ENTRY_MARK_WIDTH + textWidth(entry.name, fontSize);
    if (left > 0 && left + entryWidth > width) {
      left = 0;
      row++;
    }
    const placed = { entry, left, row };
    left += entryWidth + ENTRY_GAP;
    return placed;
  });
}
