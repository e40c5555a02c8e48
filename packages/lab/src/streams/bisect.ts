const STEPS = 100;

/** The argument between two bounds at which a rising function reaches a value; the upper bound if it stays below. */
export function bisect(rising: (x: number) => number, value: number, low: number, high: number): number {
  let [below, above] = [low, high];
  for (let step = 0; step < STEPS; step++) {
    const middle = (below + above) / 2;
    if (middle === below || middle === above) break;
    if (rising(middle) < value) below = middle;
    else above = middle;
  }
  return above;
}
