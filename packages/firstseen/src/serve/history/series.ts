// Numbers over time in fixed memory: the last minutes second by second, and the last day in means of five minutes.

import { type Measure, type Moment, measures, type Span, type SpanName, type SpanPoints, spans } from './points.js';

/** The latest numbers of each measure, in rings. */
class Rings {
  readonly #points: number;
  readonly #values: Float32Array;

  constructor({ points }: Span) {
    this.#points = points;
    this.#values = new Float32Array(points * measures.length).fill(Number.NaN);
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  /** @param index the number of the point since the first one of all series */
  put(index: number, moment: Moment): void {
    const at = index % this.#points;
    measures.forEach((measure, i) => {
      this.#values[i * this.#points + at] = moment[measure];
    });
  }

  /** The last points before an index. */
  before(index: number, count: number): SpanPoints {
    const of = (i: number) =>
      Array.from({ length: count }, (_, point) => {
        const at = (index - count + point) % this.#points;
        return this.#values[i * this.#points + at] as number;
      });
    return Object.fromEntries(measures.map((measure, i) => [measure, of(i)])) as Record<Measure, number[]>;
  }
}

/** Means of what was put since the last one was taken. */
class Means {
  readonly #sums = new Float64Array(measures.length);
  readonly #counts = new Uint32Array(measures.length);

  put(moment: Moment): void {
    measures.forEach((measure, i) => {
      const value = moment[measure];
      if (Number.isNaN(value)) return;
      this.#sums[i] = (this.#sums[i] as number) + value;
      this.#counts[i] = (this.#counts[i] as number) + 1;
    });
  }

  take(): Moment {
    const entries = measures.map((measure, i) => [measure, (this.#sums[i] as number) / (this.#counts[i] as number)]);
    this.#sums.fill(0);
    this.#counts.fill(0);
    return Object.fromEntries(entries);
  }
}

const UNKNOWN: Moment = {
  records: Number.NaN,
  duplicates: Number.NaN,
  falsePositives: Number.NaN,
  falseNegatives: Number.NaN,
  fullness: Number.NaN,
  pending: Number.NaN,
};

/** The measures of one detector, or of all together, over time. */
export class Series {
  readonly #rings = { recent: new Rings(spans.recent), day: new Rings(spans.day) };
  readonly #means = new Means();
  latest: Moment = UNKNOWN;

  get bytes(): number {
    return this.#rings.recent.bytes + this.#rings.day.bytes;
  }

  /** @param second the number of the second since the first one of all series */
  put(second: number, moment: Moment): void {
    this.latest = moment;
    this.#rings.recent.put(second, moment);
    this.#means.put(moment);
    const { seconds } = spans.day;
    if (second % seconds === seconds - 1) this.#rings.day.put(Math.floor(second / seconds), this.#means.take());
  }

  /** The last points before a second. */
  latestPoints(second: number, counts: Readonly<Record<SpanName, number>>): Readonly<Record<SpanName, SpanPoints>> {
    const { recent, day } = this.#rings;
    return {
      recent: recent.before(second, counts.recent),
      day: day.before(Math.floor(second / spans.day.seconds), counts.day),
    };
  }
}
