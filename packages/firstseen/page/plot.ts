// A plot of numbers over time, with a legend that tells the numbers and a table in its place.

import './locale.js';
import UPlot from 'uplot';
import type { Measure, SpanName } from '../src/serve/http/watch/messages.js';
import { element, setText } from './dom.js';
import { clock, UNKNOWN } from './format.js';
import type { Points } from './points.js';

export interface Line {
  label: string;
  /** The custom property of the style that has its color. */
  color: string;
  /** The numbers of the line at all times; null where there is none. */
  values(points: Points): (number | null)[];
  isDashed?: boolean;
  isFilled?: boolean;
}

export interface PlotOptions {
  title: string;
  lines: readonly Line[];
  format(value: number): string;
  /** The axis reaches at least this number. */
  least: number;
}

/** What the axis of counts reaches at least, so that its marks are whole numbers. */
export const MIN_COUNT = 10;
/** Rows of the table of a plot. More would not be read. */
const TABLE_ROWS = 30;
const HEIGHT = 190;
const AXIS_WIDTH = 64;
/** The words before the time of a point, which tell its numbers. */
const momentTexts: Readonly<Record<SpanName, string>> = {
  recent: 'in the second before',
  day: 'means of the 5 minutes before',
};
/** How far an axis reaches beyond the highest number. */
const HEADROOM = 1.1;
const MILLISECONDS = 1000;
const MINUTE_SECONDS = 60;

/** A line of a measure. */
export function lineOf(measure: Measure, rest: Omit<Line, 'values'>): Line {
  return { ...rest, values: ({ values }) => values[measure] };
}

function colorOf(property: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

const darkness = matchMedia('(prefers-color-scheme: dark)');

export class Plot {
  readonly root: HTMLElement;
  readonly #options: PlotOptions;
  readonly #canvas = element('div', { class: 'canvas', 'aria-hidden': 'true' });
  readonly #values: HTMLElement[];
  /** The time of the numbers of the legend: a mean of minutes differs from the last second, which tiles tell. */
  readonly #moment = element('li', { class: 'moment' });
  #span: SpanName = 'recent';
  readonly #table = element('tbody');
  readonly #details: HTMLDetailsElement;
  readonly #stop = new AbortController();
  readonly #observer: ResizeObserver;
  #plot: UPlot | undefined;
  #points: Points | undefined;

  constructor(options: PlotOptions) {
    this.#options = options;
    const { title, lines } = options;
    this.#values = lines.map(() => element('span', { class: 'value' }, UNKNOWN));
    const legend = element(
      'ul',
      { class: 'legend', 'aria-label': `${title}: latest` },
      ...lines.map(({ label, color, isDashed }, i) =>
        element(
          'li',
          {},
          element('span', { class: `swatch ${color.slice(2)}${isDashed ? ' dashed' : ''}` }),
          `${label} `,
          this.#values[i] as HTMLElement,
        ),
      ),
      this.#moment,
    );
    const heads = ['Time', ...lines.map(({ label }) => label)].map((text) => element('th', { scope: 'col' }, text));
    const table = element(
      'table',
      { class: 'points' },
      element('caption', { class: 'unseen' }, title),
      element('thead', {}, element('tr', {}, ...heads)),
      this.#table,
    );
    const place = element(
      'div',
      { class: 'scrolled', tabindex: '0', role: 'group', 'aria-label': `${title}, table` },
      table,
    );
    this.#details = element('details', {}, element('summary', {}, 'Table'), place);
    this.#details.addEventListener('toggle', () => this.#showTable());
    this.root = element(
      'section',
      { class: 'card plot', 'aria-label': title },
      element('h2', {}, title),
      legend,
      this.#canvas,
      this.#details,
    );
    this.#observer = new ResizeObserver(() => this.#plot?.setSize(this.#size()));
    this.#observer.observe(this.#canvas);
    darkness.addEventListener('change', () => this.#draw(), { signal: this.#stop.signal });
  }

  show(points: Points, span: SpanName): void {
    this.#points = points;
    this.#span = span;
    this.#canvas.dataset.span = span;
    if (this.#plot) this.#plot.setData(this.#data());
    else this.#draw();
    if (this.#plot?.cursor.idx === null || this.#plot?.cursor.idx === undefined) this.#tell(undefined);
    this.#showTable();
  }

  close(): void {
    this.#stop.abort();
    this.#observer.disconnect();
    this.#plot?.destroy();
  }

  #data(): UPlot.AlignedData {
    const points = this.#points as Points;
    const times = points.times.map((time) => time / MILLISECONDS);
    return [times, ...this.#options.lines.map((line) => line.values(points))] as UPlot.AlignedData;
  }

  #size(): { width: number; height: number } {
    return { width: Math.max(120, this.#canvas.clientWidth), height: HEIGHT };
  }

  /** Draws all again, with the colors that the style has now. */
  #draw(): void {
    if (this.#points === undefined) return;
    this.#plot?.destroy();
    this.#plot = new UPlot({ ...this.#size(), ...this.#looks() }, this.#data(), this.#canvas);
  }

  #looks(): Omit<UPlot.Options, 'width' | 'height'> {
    const { lines, format, least } = this.#options;
    const [text, grid] = [colorOf('--muted'), colorOf('--grid')];
    const axis = {
      stroke: text,
      grid: { stroke: grid, width: 1 },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    return {
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      padding: [8, 8, 0, 0],
      scales: { y: { range: (_plot, _lowest, highest) => [0, Math.max(least, (highest ?? 0) * HEADROOM)] } },
      axes: [
        {
          ...axis,
          size: 28,
          space: 72,
          values: (_plot, times, _axis, _space, step) => times.map((time) => timeText(time, step)),
        },
        { ...axis, size: AXIS_WIDTH, values: (_plot, values) => values.map((value) => format(value)) },
      ],
      series: [
        {},
        ...lines.map(({ label, color, isDashed, isFilled }) => ({
          label,
          stroke: colorOf(color),
          width: 2,
          points: { show: false },
          ...(isDashed ? { dash: [6, 5] } : {}),
          ...(isFilled ? { fill: `${colorOf(color)}22` } : {}),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => this.#tell(cursor.idx ?? undefined)] },
    };
  }

  /** Tells the numbers at a point in the legend: the latest ones by default. */
  #tell(index: number | undefined): void {
    const points = this.#points;
    if (points === undefined) return;
    const time = index === undefined ? points.times.at(-1) : points.times[index];
    setText(this.#moment, time === undefined ? '' : `${momentTexts[this.#span]} ${clock(time)}`);
    this.#options.lines.forEach((line, i) => {
      const values = line.values(points);
      const value = index === undefined ? values.at(-1) : values[index];
      setText(
        this.#values[i] as HTMLElement,
        value === null || value === undefined ? UNKNOWN : this.#options.format(value),
      );
    });
  }

  /** Fills the table while it is open: every so many points, the latest first. */
  #showTable(): void {
    const points = this.#points;
    if (!this.#details.open || points === undefined) return;
    const { lines, format } = this.#options;
    const columns = lines.map((line) => line.values(points));
    const last = points.times.length - 1;
    const step = Math.max(1, Math.ceil(points.times.length / TABLE_ROWS));
    const rows: HTMLTableRowElement[] = [];
    for (let i = last; i >= 0; i -= step) {
      const cells = columns.map((values) => element('td', {}, textOf(values[i], format)));
      rows.push(element('tr', {}, element('th', { scope: 'row' }, clock(points.times[i] as number)), ...cells));
    }
    this.#table.replaceChildren(...rows);
  }
}

/** A time of the axis, with seconds if its marks are less than a minute apart. */
function timeText(seconds: number, step: number): string {
  return clock(seconds * MILLISECONDS).slice(0, step < MINUTE_SECONDS ? 8 : 5);
}

function textOf(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? UNKNOWN : format(value);
}

/** Records that were not reported duplicate. */
export function distinctOf({ values: { records, duplicates } }: Points): (number | null)[] {
  return records.map((value, i) => (value === null ? null : value - (duplicates[i] ?? 0)));
}
