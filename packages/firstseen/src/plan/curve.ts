// Values between points.

/** The last index whose value is at most `value`, in rising values that extend beyond it. */
export function indexBelow(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= value) low = middle;
    else high = middle;
  }
  return low;
}

/** The straight lines between points with rising x, from the first to the last. */
export function pointsCurve(x: Float64Array, y: Float64Array): (at: number) => number {
  return (at) => {
    const i = indexBelow(x, at);
    const share = (at - (x[i] as number)) / ((x[i + 1] as number) - (x[i] as number));
    return (y[i] as number) + share * ((y[i + 1] as number) - (y[i] as number));
  };
}
