// The plane of errors: both rates of each structure, their trails, and the limit, on axes of powers of ten with a place for 0.

import { type Box, FONT_PIXELS, looks, names, Surface } from './canvas.js';
import { spread } from './chart.js';
import { type Course, ratesOf } from './course.js';
import { rateText } from './format.js';
import { contenders, type LimitPoint } from './messages.js';

export interface PlaneData {
  course: Course;
  limit: readonly LimitPoint[];
  /** The memory of each structure, in words. */
  memory: string;
  hasTrails: boolean;
}

const DECADES = 6;
const MARGINS: Box = { left: 58, top: 28, right: 14, bottom: 40 };
/** The part of an axis that is for rates of 0. */
const ZERO_PIXELS = 36;
const HATCH_PIXELS = 8;
const LABEL_PIXELS = 84;
const TRAIL_OPACITY = 0.55;

/** The place of a rate between the ends of an axis, of which the first is for 0. */
export function placeOf(rate: number, from: number, to: number): number {
  const sign = Math.sign(to - from);
  if (rate <= 0) return from + (sign * ZERO_PIXELS) / 2;
  const share = Math.min(1, Math.max(0, 1 + Math.log10(rate) / DECADES));
  const start = from + sign * ZERO_PIXELS;
  return start + share * (to - start);
}

export class Plane {
  readonly #surface: Surface;
  #data: PlaneData | undefined;

  constructor(canvas: HTMLCanvasElement, onChange: () => void) {
    this.#surface = new Surface(canvas, onChange);
  }

  show(data: PlaneData): void {
    this.#data = data;
    const { latest } = data.course;
    const texts = latest
      ? contenders.map((name) => {
          const { fpr, fnr } = ratesOf(latest, name);
          return `${names[name]}: ${rateText(fpr)} of the new records lost, ${rateText(fnr)} of the repeats passed`;
        })
      : ['nothing yet'];
    this.#surface.describe(`Rates of false positives and false negatives. ${texts.join('. ')}.`);
  }

  draw(): void {
    const [surface, data] = [this.#surface, this.#data];
    surface.clear();
    const box = surface.within(MARGINS);
    if (data) this.#drawLimit(box, data);
    this.#drawAxes(box);
    if (data) this.#drawStructures(box, data);
  }

  #drawAxes(box: Box): void {
    const surface = this.#surface;
    const step = surface.width < 480 ? 3 : 2;
    for (let decade = -DECADES; decade <= 0; decade += step) {
      const [x, y] = [placeOf(10 ** decade, box.left, box.right), placeOf(10 ** decade, box.bottom, box.top)];
      surface.thinLine([x, box.top], [x, box.bottom]);
      surface.thinLine([box.left, y], [box.right, y]);
      const text = rateText(10 ** decade);
      surface.text(
        text,
        decade === -DECADES ? x - 8 : x,
        box.bottom + 12,
        decade === 0 ? 'right' : decade === -DECADES ? 'left' : 'center',
      );
      surface.text(text, box.left - 6, y, 'right');
    }
    surface.text('0', placeOf(0, box.left, box.right), box.bottom + 12, 'center');
    surface.text('0', box.left - 6, placeOf(0, box.bottom, box.top), 'right');
    surface.text('new records lost', box.right, box.bottom + 30, 'right', '--text');
    surface.text('repeats passed', 4, 8, 'left', '--text');
  }

  /** Hatches what no structure reaches: everything left of the limit and below it. */
  #drawLimit(box: Box, { limit, memory }: PlaneData): void {
    const [first] = limit;
    if (first === undefined) return;
    const surface = this.#surface;
    const { context } = surface;
    // Where the limit is 0, it says nothing.
    const end = limit.findIndex(({ fnr }) => fnr <= 10 ** -DECADES);
    const points = (end === -1 ? limit : limit.slice(0, end + 1)).map(
      ({ fpr, fnr }) => [placeOf(fpr, box.left, box.right), placeOf(fnr, box.bottom, box.top)] as const,
    );
    const [start] = points as [readonly [number, number]];
    const outline = [[box.left, start[1]] as const, ...points];
    const [lastX] = outline.at(-1) as readonly [number, number];
    context.save();
    context.beginPath();
    for (const [x, y] of [...outline, [lastX, box.bottom] as const, [box.left, box.bottom] as const])
      context.lineTo(x, y);
    context.clip();
    for (let x = box.left - box.bottom; x < lastX; x += HATCH_PIXELS) {
      surface.thinLine([x, box.bottom], [x + box.bottom, 0], '--hatch');
    }
    context.restore();
    surface.line(outline, looks.limit);
    if (lastX - box.left > LABEL_PIXELS)
      surface.rimmed(`impossible in ${memory}`, box.left + 8, box.bottom - FONT_PIXELS - 30);
  }

  #drawStructures(box: Box, { course, hasTrails }: PlaneData): void {
    const surface = this.#surface;
    const { latest } = course;
    if (latest === undefined) return;
    const pointOf = (rates: { fpr: number; fnr: number }) =>
      [placeOf(rates.fpr, box.left, box.right), placeOf(rates.fnr, box.bottom, box.top)] as const;
    const ends = contenders.map((name) => pointOf(ratesOf(latest, name)));
    if (hasTrails) {
      surface.context.globalAlpha = TRAIL_OPACITY;
      for (const name of contenders)
        surface.line(
          course.points.map((point) => pointOf(ratesOf(point, name))),
          looks[name],
        );
      surface.context.globalAlpha = 1;
    }
    const labels = spread(
      ends.map(([, y]) => y),
      FONT_PIXELS + 4,
      box.bottom - FONT_PIXELS,
    );
    contenders.forEach((name, i) => {
      const [x, y] = ends[i] as readonly [number, number];
      const isRight = x + LABEL_PIXELS + 10 > box.right;
      surface.mark(name, x, y);
      surface.rimmed(
        names[name],
        isRight ? x - 10 : x + 10,
        labels[i] as number,
        isRight ? 'right' : 'left',
        looks[name].color,
      );
    });
  }
}
