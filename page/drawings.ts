// The drawings of the page, from the course of a trial.

import { looks, names } from './canvas.js';
import { Chart } from './chart.js';
import { byId } from './controls.js';
import { type Course, ratesOf } from './course.js';
import { bytesText, countText, rateText } from './format.js';
import { contenders, type LimitPoint } from './messages.js';
import { Plane } from './plane.js';

/** The least ends of the axes of rates. */
const LEAST_RATE = 0.01;
const LEAST_WITNESS_RATE = 1e-5;
const PAST_OUTLIERS = 4;

export interface Drawn {
  course: Course;
  limit: readonly LimitPoint[];
  memoryBytes: number;
  hasTrails: boolean;
}

export class Drawings {
  readonly #plane: Plane;
  readonly #memory: Chart;
  readonly #recent: Chart;
  readonly #witness: Chart;

  constructor(onChange: () => void) {
    const canvas = (id: string) => byId<HTMLCanvasElement>(id);
    this.#plane = new Plane(canvas('plane'), onChange);
    this.#memory = new Chart(canvas('memory'), onChange);
    this.#recent = new Chart(canvas('recent'), onChange);
    this.#witness = new Chart(canvas('witness'), onChange);
  }

  show({ course, limit, memoryBytes, hasTrails }: Drawn): void {
    const { points, latest } = course;
    this.#plane.show({ course, limit, memory: bytesText(memoryBytes), hasTrails });
    if (latest === undefined) return;
    const records = points.map((point) => point.records);
    const sizes = points.map(() => memoryBytes);
    this.#memory.show({
      records,
      series: [
        { name: 'exact set', look: looks.exact, values: points.map((point) => point.exactBytes) },
        { name: 'the three', look: looks.detector, values: sizes },
      ],
      least: 2 * memoryBytes,
      isBytes: true,
      format: bytesText,
      description: `Memory: the exact set has ${bytesText(latest.exactBytes)}, each of the three structures ${bytesText(memoryBytes)}.`,
    });
    const recent = course.recent();
    this.#recent.show({
      records,
      series: contenders.map((name) => ({ name: names[name], look: looks[name], values: recent[name] })),
      least: LEAST_RATE,
      most: 1,
      format: rateText,
      description: `Wrong answers among the latest records: ${contenders.map((name) => `${names[name]} ${rateText(recent[name].at(-1) ?? 0)}`).join(', ')}.`,
    });
    this.#showWitness(course, records);
  }

  draw(): void {
    for (const drawing of [this.#plane, this.#memory, this.#recent, this.#witness]) drawing.draw();
  }

  /** The repeats that pass, which most families have more of than new records that are lost. */
  #showWitness({ points }: Course, records: readonly number[]): void {
    const truth = points.map((point) => ratesOf(point, 'detector').fnr);
    const estimates = points.map(({ witness }) => witness.falseNegativeRate);
    const { low, high } = estimates.at(-1) ?? { low: 0, high: 1 };
    // The first intervals, from few repeats, may be as wide as the axis.
    const most = PAST_OUTLIERS * Math.max(LEAST_WITNESS_RATE, ...truth);
    this.#witness.show({
      records,
      series: [{ name: 'the truth', look: looks.exact, values: truth }],
      band: {
        name: 'witness',
        color: looks.detector.color,
        low: estimates.map((estimate) => Math.min(most, estimate.low)),
        high: estimates.map((estimate) => Math.min(most, estimate.high)),
      },
      least: LEAST_WITNESS_RATE,
      most: 1,
      format: rateText,
      description: `Repeats passed: ${rateText(truth.at(-1) ?? 0)}; the witness says ${rateText(low)} to ${rateText(high)} after ${countText(records.at(-1) ?? 0)} records.`,
    });
  }
}
