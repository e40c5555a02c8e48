const STEPS = 100;

/** Where a rising function reaches a value between two bounds, to the last digits; the upper bound if it does not. */
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
