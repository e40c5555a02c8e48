// The legend of a plot: one entry for each name, and one for each role that some name has in addition to its measured series.

import type { Plot, PlotSeries } from '../contract.js';

export interface LegendEntry {
  name: string;
  /** The series whose marks the entry shows. An entry for a role has the colour of the text. */
  series: Pick<PlotSeries, 'kind' | 'role'>;
  /** The name whose look the entry has; absent for a role. */
  lookName?: string;
}

export interface PlacedEntry {
  entry: LegendEntry;
  left: number;
  row: number;
}

export const ENTRY_MARK_WIDTH = 24;
const ENTRY_GAP = 14;
/** Mean width of a letter divided by the font size, for the usual sans-serif fonts. */
const CHARACTER_WIDTHS_OF_FONT = 0.56;

/** The estimated width in pixels. It is an estimate because plots are drawn without a font. */
export function textWidth(text: string, fontSize: number): number {
  return text.length * fontSize * CHARACTER_WIDTHS_OF_FONT;
}

/** Returns the entries for the series that have no label in the plot, and for roles. */
export function legendEntries({ series }: Plot, labelled: ReadonlySet<string>): LegendEntry[] {
  const firsts = [...new Map(series.toReversed().map((one) => [one.name, one])).values()].toReversed();
  const names = firsts
    .filter(({ name }) => !labelled.has(name))
    .map((one): LegendEntry => ({ name: one.name, series: one, lookName: one.name }));
  return [...names, ...roleEntries(series)];
}

/** A role has an entry if some name has other series than the one in that role. */
function roleEntries(series: readonly PlotSeries[]): LegendEntry[] {
  const shared = series.filter((one) => series.some((other) => other.name === one.name && other.role !== one.role));
  const roles = new Map(shared.filter(({ role }) => role !== undefined).map((one) => [one.role as string, one]));
  return [...roles].map(([role, one]) => ({ name: role, series: one }));
}

/** Arranges the entries side by side in as many rows as they need. */
export function placeEntries(entries: readonly LegendEntry[], width: number, fontSize: number): PlacedEntry[] {
  let leftPixels = 0;
  let row = 0;
  return entries.map((entry) => {
    const entryWidth = ENTRY_MARK_WIDTH + textWidth(entry.name, fontSize);
    if (leftPixels > 0 && leftPixels + entryWidth > width) {
      leftPixels = 0;
      row++;
    }
    const placedEntry = { entry, left: leftPixels, row };
    leftPixels += entryWidth + ENTRY_GAP;
    return placedEntry;
  });
}
