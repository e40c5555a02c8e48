// Numbers as the tables and the axes of a report show them.

import { percent } from 'firstseen/internal';
import type { Interval } from '../contract.js';

const MIN_DIGITS = 3;
const MAX_DIGITS = 5;

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });

/** The significant digits of an estimate, by the width of its interval, and at least three. */
function digitsOf({ estimate, low, high }: Interval): number {
  const width = high - low;
  if (estimate <= 0 || width <= 0) return MIN_DIGITS;
  const digits = Math.ceil(Math.log10(estimate / width)) + 1;
  return Math.min(MAX_DIGITS, Math.max(MIN_DIGITS, digits));
}

/** A measured share in percent, and its interval if it has one. */
export function measuredText(interval: Interval): { estimate: string; range?: string } {
  const digits = digitsOf(interval);
  const estimate = percent(interval.estimate, digits);
  if (interval.low === interval.high) return { estimate };
  return { estimate, range: `${percent(interval.low, digits)}–${percent(interval.high, digits)}` };
}

/** The text of a value on an axis: 2,000,000 is `2M`, and small values have a power of ten. */
export function tickText(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return compact.format(value);
  if (size < 0.001 && size > 0) return String(value.toExponential(1)).replace('.0e', 'e');
  return String(Number(value.toPrecision(3)));
}
