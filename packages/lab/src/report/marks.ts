// The marks of a series in the plot and in the legend.

import * as ObservablePlot from '@observablehq/plot';
import type { PlotSeries } from '../contract.js';
import { ENTRY_MARK_WIDTH, type PlacedEntry } from './legend.js';
import type { Look } from './looks.js';
import { tickText } from './numbers.js';

export type Mark = ObservablePlot.Markish;

/** A series with its points as they are drawn: zero is at its mark on a log axis. */
export interface PlacedSeries {
  series: PlotSeries;
  look: Look;
  points: { x: number; y: number }[];
}

/** The line and symbol of a series, in the terms of Plot. */
interface Strokes {
  line?: { stroke: string; strokeWidth: number; strokeDasharray?: string };
  dot?: { symbol: ObservablePlot.SymbolType; fill: string; stroke: string; strokeWidth: number; r: number };
}

/** The most symbols on a line. They distinguish it from other lines of the same colour. */
const SYMBOLS_OF_LINE = 7;
const DOT_RADIUS = 4;
const SMALL_DOT_RADIUS = 2.5;
/** The radius for published values, whose circle is visible around the measured one. */
const OUTER_DOT_RADIUS = 6.5;
const DASHES = '6 4';

function strokesOf({ kind, role }: Pick<PlotSeries, 'kind' | 'role'>, { colour: stroke, symbol }: Look): Strokes {
  const isLine = kind === 'line';
  const filledDot = { symbol, fill: stroke, stroke: 'none', strokeWidth: 0, r: DOT_RADIUS };
  const open = { ...filledDot, fill: 'none', stroke, strokeWidth: 1.5 };
  switch (role) {
    case 'limit':
      return isLine
        ? { line: { stroke, strokeWidth: 1.5, strokeDasharray: DASHES } }
        : { dot: { ...open, symbol: 'asterisk' } };
    case 'guide':
      return isLine ? { line: { stroke, strokeWidth: 1 } } : { dot: { ...open, symbol: 'times' } };
    case 'predicted':
      return isLine
        ? { line: { stroke, strokeWidth: 1 }, dot: { ...filledDot, r: SMALL_DOT_RADIUS } }
        : { dot: { ...open, symbol: 'times' } };
    case 'published':
      return isLine ? { line: { stroke, strokeWidth: 0.75 }, dot: { ...open, r: OUTER_DOT_RADIUS } } : { dot: open };
    default:
      return isLine ? { line: { stroke, strokeWidth: 2 }, dot: filledDot } : { dot: filledDot };
  }
}

/** Returns at most `most` points, evenly spaced. `shift` selects the first, so that symbols of close lines stay apart. */
function some<T>(points: readonly T[], most: number, shift: number): T[] {
  const stride = Math.ceil(points.length / most);
  return points.filter((_, p) => p % stride === shift % stride);
}

/** `place` is the index of the series in its plot. */
export function seriesMarks({ series, look, points }: PlacedSeries, place: number): Mark[] {
  const { line, dot } = strokesOf(series, look);
  const at = { x: 'x', y: 'y' };
  if (line === undefined) return [ObservablePlot.dot(titled(series, points), { ...at, ...dot, title: 'title' })];
  const symbols = some(points, series.role === 'published' ? points.length : SYMBOLS_OF_LINE, place);
  return [
    ObservablePlot.line(points, { ...at, ...line }),
    ...(dot === undefined ? [] : [ObservablePlot.dot(symbols, { ...at, ...dot })]),
  ];
}

/** Adds the text that a browser shows over a point: the values themselves, not those at which they are drawn. */
function titled({ name, role, points: values }: PlotSeries, points: PlacedSeries['points']) {
  const head = role === undefined || role === name ? name : `${name}, ${role}`;
  return points.map((point, p) => {
    const { x, y } = values[p] as { x: number; y: number };
    return { ...point, title: `${head}: ${tickText(x)}, ${tickText(y)}` };
  });
}

/** The marks of a legend entry. `left` and `down` are the legend's start, from the lower left corner of the frame. */
export function legendMarks(
  { entry, left: entryLeft, row }: PlacedEntry,
  look: Look,
  at: { left: number; down: number; rowHeight: number },
): Mark[] {
  const { line, dot } = strokesOf(entry.series, look);
  const dy = at.down + row * at.rowHeight;
  const dx = at.left + entryLeft;
  const anchor = { frameAnchor: 'bottom-left', dy } as const;
  const length = ENTRY_MARK_WIDTH - 4;
  return [
    ...(line === undefined
      ? []
      : [ObservablePlot.vector([0], { ...anchor, ...line, dx, length, rotate: 90, anchor: 'start', shape: straight })]),
    ...(dot === undefined ? [] : [ObservablePlot.dot([0], { ...anchor, ...dot, dx: dx + length / 2 })]),
    ObservablePlot.text([entry.name], {
      ...anchor,
      dx: dx + ENTRY_MARK_WIDTH,
      textAnchor: 'start',
      lineAnchor: 'middle',
    }),
  ];
}

const straight: ObservablePlot.VectorShapeImplementation = {
  draw(context, length) {
    context.moveTo(0, 0);
    context.lineTo(0, -length);
  },
};
