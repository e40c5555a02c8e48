// Durations in text form.

const millisecondsPerUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a duration with a unit, such as 500ms, 30s, 5m, 1.5h or 1d. Undefined if it is not a duration. */
export function parseMilliseconds(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text);
  return match ? Number(match[1]) * (millisecondsPerUnit[match[2] as string] as number) : undefined;
}

/** Seconds in the largest unit that they are a whole number of: 3600 as 1h, 30 as 30s. */
export function formatDuration(seconds: number): string {
  const milliseconds = seconds * 1000;
  const units = Object.entries(millisecondsPerUnit).reverse();
  const [unit, length] = units.find(([, unitLength]) => milliseconds % unitLength === 0) ?? ['ms', 1];
  return `${milliseconds / length}${unit}`;
}
