// Searches for the place where a condition that holds ends to hold.

/** A number at which the condition holds, and a greater one at which it does not. */
type Between = readonly [low: number, high: number];

/** Halves the interval in which a condition ends to hold this number of times. */
export function bisect([from, to]: Between, steps: number, holds: (value: number) => boolean): Between {
  let [low, high] = [from, to];
  for (let step = 0; step < steps; step++) {
    const middle = (low + high) / 2;
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return [low, high];
}

/** The last whole number in an interval of whole numbers at which a condition holds. */
export function lastWhole([from, to]: Between, holds: (value: number) => boolean): number {
  let [low, high] = [from, to];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}
