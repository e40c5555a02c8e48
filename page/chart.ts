// A drawing of lines over the records of a trial, with their names at their ends.

import { type Box, FONT_PIXELS, type Look, Surface } from './canvas.js';
import { shortCount } from './format.js';

export interface Series {
  name: string;
  look: Look;
  values: readonly number[];
}

/** An interval at each point. */
export interface Band {
  name: string;
  color: string;
  low: readonly number[];
  high: readonly number[];
}

export interface ChartData {
  records: readonly number[];
  series: readonly Series[];
  band?: Band;
  /** The axis reaches at least this value, and at most `most`. */
  least: number;
  most?: number;
  /** True if the values are sizes, whose steps are powers of two. */
  isBytes?: boolean;
  format(value: number): string;
  /** Tells what is drawn to those who do not see it. */
  description: string;
}

const MARGINS: Box = { left: 62, top: 10, right: 92, bottom: 24 };
const GRID_LINES = 4;
const LABEL_DISTANCE = FONT_PIXELS + 3;
const HEADROOM = 1.08;
const BAND_OPACITY = 0.22;

/** The least of 1, 2, 2.5 and 5 times a power of ten that is not below a value. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 2.5, 5].find((step) => step * power >= value * (1 - 1e-9)) ?? 10) as number) * power;
}

/** Moves labels apart that would be on one another, in their order from the top. */
export function spread(tops: readonly number[], distance: number, bottom: number): number[] {
  const order = tops.map((_, i) => i).sort((a, b) => (tops[a] as number) - (tops[b] as number));
  const moved = [...tops];
  let last = Number.NEGATIVE_INFINITY;
  for (const i of order) {
    last = Math.max(moved[i] as number, last + distance);
    moved[i] = last;
  }
  let next = bottom;
  for (const i of order.reverse()) {
    next = Math.min(moved[i] as number, next);
    moved[i] = next;
    next -= distance;
  }
  return moved;
}

function stepAbove(value: number, isBytes = false): number {
  return isBytes ? 2 ** Math.ceil(Math.log2(value)) : niceAbove(value);
}

export class Chart {
  readonly #surface: Surface;
  #data: ChartData | undefined;

  constructor(canvas: HTMLCanvasElement, onChange: () => void) {
    this.#surface = new Surface(canvas, onChange);
  }

  show(data: ChartData): void {
    this.#data = data;
    this.#surface.describe(data.description);
  }

  draw(): void {
    const [surface, data] = [this.#surface, this.#data];
    surface.clear();
    if (data === undefined) return;
    const box = surface.within(MARGINS);
    const values = [...data.series.map((series) => series.values), data.band?.high ?? []].flat();
    const highest = Math.max(data.least, ...values) * HEADROOM;
    const top = Math.min(
      data.most ?? Number.POSITIVE_INFINITY,
      stepAbove(highest / GRID_LINES, data.isBytes) * GRID_LINES,
    );
    const last = Math.max(1, data.records.at(-1) ?? 1);
    const xOf = (records: number) => box.left + ((box.right - box.left) * records) / last;
    const yOf = (value: number) => box.bottom - ((box.bottom - box.top) * Math.min(value, top)) / top;
    this.#drawAxes(box, data, top, last);
    if (data.band) this.#drawBand(data.band, data.records, xOf, yOf);
    for (const { look, values: ofSeries } of data.series) {
      surface.line(
        ofSeries.map((value, i) => [xOf(data.records[i] as number), yOf(value)]),
        look,
      );
    }
    const ends = data.series.map(({ values: ofSeries }) => yOf(ofSeries.at(-1) ?? 0));
    const labels = spread(ends, LABEL_DISTANCE, box.bottom);
    data.series.forEach(({ name, look }, i) => {
      surface.text(name, box.right + 6, labels[i] as number, 'left', look.color);
    });
  }

  #drawAxes(box: Box, { format }: ChartData, top: number, last: number): void {
    const surface = this.#surface;
    for (let i = 0; i <= GRID_LINES; i++) {
      const y = box.bottom - ((box.bottom - box.top) * i) / GRID_LINES;
      surface.thinLine([box.left, y], [box.right, y]);
      surface.text(format((top * i) / GRID_LINES), box.left - 6, y, 'right');
    }
    const y = box.bottom + 14;
    surface.text('0', box.left, y);
    surface.text(`${shortCount(last)} records`, box.right, y, 'right');
  }

  #drawBand(band: Band, records: readonly number[], xOf: (x: number) => number, yOf: (y: number) => number): void {
    const { context } = this.#surface;
    context.beginPath();
    records.forEach((x, i) => {
      context.lineTo(xOf(x), yOf(band.high[i] as number));
    });
    for (let i = records.length - 1; i >= 0; i--) context.lineTo(xOf(records[i] as number), yOf(band.low[i] as number));
    context.globalAlpha = BAND_OPACITY;
    context.fillStyle = this.#surface.color(band.color);
    context.fill();
    context.globalAlpha = 1;
  }
}
