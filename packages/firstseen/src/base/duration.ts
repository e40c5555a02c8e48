// Durations in text form.

import { parseMeasures } from './number.js';

const millisecondsPerUnit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type DurationUnit = keyof typeof millisecondsPerUnit;

/** The words for a unit besides its symbol, in the singular. */
const words: Readonly<Record<DurationUnit, readonly string[]>> = {
  ms: ['msec', 'millisecond'],
  s: ['sec', 'second'],
  m: ['min', 'minute'],
  h: ['hr', 'hour'],
  d: ['day'],
};

const millisecondsByName: ReadonlyMap<string, number> = new Map(
  (Object.entries(millisecondsPerUnit) as [DurationUnit, number][]).flatMap(([unit, length]) =>
    [unit, ...words[unit], ...words[unit].map((word) => `${word}s`)].map((name) => [name, length] as const),
  ),
);

/**
 * Milliseconds of a duration with a unit, such as 500ms, 30s, 5m, 5min, 1.5h, 1h30m or 1d. Undefined if it is not a duration.
 * Units are lowercase, because M means a million.
 */
export function parseMilliseconds(text: string): number | undefined {
  const parts = parseMeasures(text)?.map(({ value, unit }) => value * (millisecondsByName.get(unit) ?? Number.NaN));
  const sum = parts?.reduce((total, part) => total + part, 0);
  return sum === undefined || !Number.isFinite(sum) ? undefined : sum;
}

/** Seconds in the largest unit that they are a whole number of: 3600 as 1h, 30 as 30s. */
export function formatDuration(seconds: number): string {
  const milliseconds = seconds * 1000;
  const units = Object.entries(millisecondsPerUnit).reverse();
  const [unit, length] = units.find(([, unitLength]) => milliseconds % unitLength === 0) ?? ['ms', 1];
  return `${milliseconds / length}${unit}`;
}
