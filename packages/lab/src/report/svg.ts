// Draws a plot as SVG with Observable Plot in a document of xmldom, without a browser. Equal plots give equal bytes.

import * as ObservablePlot from '@observablehq/plot';
import { DOMImplementation, type Document, type Element, XMLSerializer } from '@xmldom/xmldom';
import type { Plot } from '../contract.js';
import { type Axis, axisOf, axisText, onAxis } from './axis.js';
import { type LabelSpace, labelPoints, type PointLabel } from './labels.js';
import { legendEntries, type PlacedEntry, placeEntries } from './legend.js';
import { type Looks, looksOf, PLAIN_LOOK } from './looks.js';
import { legendMarks, type Mark, type PlacedSeries, seriesMarks } from './marks.js';
import { tickText } from './numbers.js';

const SVG = 'http://www.w3.org/2000/svg';
const WIDTH = 480;
const FONT_SIZE = 14;
const LEGEND_ROW_HEIGHT = 20;
/** The height of the area between the axes. */
const FRAME_HEIGHT = 250;
const MARGIN = { top: 34, right: 20, bottom: 48, left: 58 };
const LABEL_OFFSET = MARGIN.bottom - 8;
/** A linear axis with a range below the first, or at least the second, has short ticks such as 5e-4 and 20K. */
const SHORT_BELOW = 0.01;
const SHORT_FROM = 10_000;

/** Black on white or the reverse, by the reader's colour scheme. Viewers without media queries show black on white. */
const STYLE =
  '.plot{color:#1b1f24;background:#fff}' + '@media(prefers-color-scheme:dark){.plot{color:#e6e8eb;background:#14171a}}';

/** An SVG file. `looks` keeps the looks of names the same across the plots of a report. */
export function plotSvg(plot: Plot, looks: Looks = looksOf([plot])): string {
  const points = plot.series.flatMap((series) => series.points);
  const axes = {
    x: axisOf(
      points.map(({ x }) => x),
      plot.x,
    ),
    y: axisOf(
      points.map(({ y }) => y),
      plot.y,
    ),
  };
  const placedSeries = placeSeries(plot, looks, axes);
  const labels = labelPoints(placedSeries, labelSpace(axes));
  const entries = legendEntries(plot, new Set(labels.map(({ name }) => name)));
  const legend = placeEntries(entries, WIDTH - MARGIN.right, FONT_SIZE);
  const marks = [
    ...axisMarks(axes, plot),
    ...placedSeries.flatMap(seriesMarks),
    ...labelMarks(labels),
    ...marksOfLegend(legend, looks),
  ];
  return serialized(plot, drawn(plot, axes, marks, legend));
}

/** Limits are drawn first, behind the other series. */
function placeSeries(plot: Plot, looks: Looks, { x, y }: { x: Axis; y: Axis }): PlacedSeries[] {
  const placed = plot.series.map((series) => ({
    series,
    look: looks(series.name),
    points: series.points.map((point) => ({ x: onAxis(point.x, x), y: onAxis(point.y, y) })),
  }));
  const isLimit = ({ series }: PlacedSeries) => series.role === 'limit';
  return [...placed.filter(isLimit), ...placed.filter((one) => !isLimit(one))];
}

function labelSpace({ x, y }: { x: Axis; y: Axis }): LabelSpace {
  const frame = { left: MARGIN.left, right: WIDTH, top: MARGIN.top, bottom: MARGIN.top + FRAME_HEIGHT };
  const pixels = (axis: Axis, range: [number, number]) =>
    ObservablePlot.scale({ x: { ...scaleOptions(axis), range } }).apply as (value: number) => number;
  return {
    toX: pixels(x, [frame.left, WIDTH - MARGIN.right]),
    toY: pixels(y, [frame.bottom, frame.top]),
    frame,
    fontSize: FONT_SIZE,
  };
}

/** One mark for each label, because Plot takes offsets only for a whole mark. */
function labelMarks(labels: readonly PointLabel[]): Mark[] {
  return labels.map(({ name, x, y, dx, dy, textAnchor }) =>
    ObservablePlot.text([{ x, y }], { x: 'x', y: 'y', text: () => name, dx, dy, textAnchor }),
  );
}

function marksOfLegend(legend: readonly PlacedEntry[], looks: Looks): Mark[] {
  const at = { left: 8 - MARGIN.left, down: MARGIN.bottom + LEGEND_ROW_HEIGHT / 2, rowHeight: LEGEND_ROW_HEIGHT };
  return legend.flatMap((placed) => {
    const { lookName } = placed.entry;
    return legendMarks(placed, lookName === undefined ? PLAIN_LOOK : looks(lookName), at);
  });
}

function drawn(plot: Plot, axes: { x: Axis; y: Axis }, marks: Mark[], legend: readonly PlacedEntry[]): Element {
  const legendRows = Math.max(0, ...legend.map(({ row }) => row + 1));
  const marginBottom = MARGIN.bottom + legendRows * LEGEND_ROW_HEIGHT + 4;
  const document = new DOMImplementation().createDocument(null, 'plot');
  return ObservablePlot.plot({
    // Plot uses a document only to create elements with attributes and text.
    document: document as unknown as globalThis.Document,
    className: 'plot',
    width: WIDTH,
    height: MARGIN.top + FRAME_HEIGHT + marginBottom,
    marginTop: MARGIN.top,
    marginRight: MARGIN.right,
    marginBottom,
    marginLeft: MARGIN.left,
    x: { ...scaleOptions(axes.x), label: plot.x.label, labelOffset: LABEL_OFFSET },
    y: { ...scaleOptions(axes.y), label: plot.y.label },
    marks,
  }) as unknown as Element;
}

function scaleOptions({ scale, domain, ticks }: Axis): ObservablePlot.ScaleOptions {
  if (ticks !== undefined) return { type: scale, domain, axis: null };
  const reach = Math.max(...domain.map(Math.abs));
  const isShort = reach < SHORT_BELOW || reach >= SHORT_FROM;
  return { type: scale, domain, nice: true, grid: true, ...(isShort ? { tickFormat: tickText } : {}) };
}

/** The ticks of a log axis have explicit texts, because Plot would leave out those of 6 to 9 in each decade. */
function axisMarks({ x, y }: { x: Axis; y: Axis }, plot: Plot): Mark[] {
  const textOf = (axis: Axis) => (value: number) => axisText(value, axis);
  return [
    ...(x.ticks === undefined
      ? []
      : [
          ObservablePlot.gridX(x.ticks),
          ObservablePlot.axisX(x.ticks, { text: textOf(x), label: plot.x.label, labelOffset: LABEL_OFFSET }),
        ]),
    ...(y.ticks === undefined
      ? []
      : [ObservablePlot.gridY(y.ticks), ObservablePlot.axisY(y.ticks, { text: textOf(y), label: plot.y.label })]),
  ];
}

/** The text of the SVG, with a description for readers who cannot see it. */
function serialized(plot: Plot, svg: Element): string {
  for (const child of [...svg.childNodes]) if (child.nodeName === 'style') svg.removeChild(child);
  const document = svg.ownerDocument as Document;
  const texts = { title: plot.title, desc: description(plot), style: STYLE };
  for (const [name, text] of Object.entries(texts).toReversed()) {
    const element = document.createElementNS(SVG, name);
    element.appendChild(document.createTextNode(text));
    svg.insertBefore(element, svg.firstChild);
  }
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', plot.title);
  svg.setAttribute('font-size', String(FONT_SIZE));
  roundNumbers(svg);
  return new XMLSerializer().serializeToString(svg);
}

function description({ x, y, series }: Plot): string {
  const names = series.map(({ name, role }) => (role === undefined || role === name ? name : `${name} (${role})`));
  return `${y.label} against ${x.label}. Shown: ${names.join(', ')}.`;
}

/** Rounds to a hundredth of a pixel. Smaller differences are not visible, and may differ between machines. */
function roundNumbers(element: Element): void {
  for (const attribute of element.attributes) {
    const { name, value } = attribute;
    if (/^(d|transform|x|y|x1|x2|y1|y2|r|cx|cy)$/.test(name)) {
      element.setAttribute(
        name,
        value.replace(/-?\d+\.\d{3,}(e-?\d+)?/g, (number) => String(Number(Number(number).toFixed(2)))),
      );
    }
  }
  for (const child of element.childNodes) if (child.nodeType === 1) roundNumbers(child as Element);
}
