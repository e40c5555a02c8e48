// How often something took how long.

export class Histogram {
  /** The upper limits of the buckets, in ascending order. One without a limit follows. */
  readonly limits: readonly number[];
  /** The number of values in each bucket. */
  readonly counts: number[];
  sum = 0;
  /** The value that was added last; undefined before the first one. */
  latest: number | undefined;

  constructor(limits: readonly number[]) {
    this.limits = limits;
    this.counts = new Array(limits.length + 1).fill(0);
  }

  get count(): number {
    return this.counts.reduce((sum, one) => sum + one, 0);
  }

  /** Adds a value, as often as it came. */
  add(value: number, times = 1): void {
    const found = this.limits.findIndex((limit) => value <= limit);
    const bucket = found === -1 ? this.limits.length : found;
    this.counts[bucket] = (this.counts[bucket] as number) + times;
    this.sum += times * value;
    this.latest = value;
  }
}

/** From a tenth of a millisecond to ten seconds. */
export const secondsLimits: readonly number[] = [1e-4, 1e-3, 1e-2, 1e-1, 1, 10].flatMap((limit) =>
  limit === 10 ? [limit] : [limit, 2.5 * limit, 5 * limit],
);

/** From a microsecond on, which is what a command takes that came with many others. */
export const commandSecondsLimits: readonly number[] = [1e-6, 1e-5, ...secondsLimits];
