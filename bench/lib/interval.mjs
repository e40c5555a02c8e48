// What ratios of several rounds say: their median, and the interval in which the true one is.

import { median } from '../../tools/support/median.mjs';

/** The most probability that the interval does not contain the median of all rounds that there could be. */
const MAX_ERROR = 0.01;
/** A difference below it is not told, even if it is certain: programs differ by as much for where their code is in memory. */
const MIN_CHANGE = 0.02;

/** The probability that at most `most` of `count` rounds are on one side of the median. */
function tailOf(most, count) {
  let term = 0.5 ** count;
  let sum = 0;
  for (let i = 0; i <= most; i++) {
    sum += term;
    term *= (count - i) / (i + 1);
  }
  return sum;
}

/**
 * The median of ratios with its interval of confidence, which follows from the order of the values alone (as in the sign
 * test): it holds for any distribution, and an outlier does not widen it. With fewer than 8 rounds there is none.
 * @param {readonly number[]} ratios
 * @returns {{ratio: number, low: number, high: number}}
 */
export function intervalOf(ratios) {
  const sorted = [...ratios].sort((a, b) => a - b);
  let left = 0;
  while (2 * tailOf(left, sorted.length) <= MAX_ERROR) left++;
  if (left === 0) return { ratio: median(sorted), low: 0, high: Number.POSITIVE_INFINITY };
  return { ratio: median(sorted), low: sorted[left - 1], high: sorted[sorted.length - left] };
}

/** The word for a ratio of processor time or memory: `more` or `less` where it is clearly so, otherwise nothing. */
export function changeOf({ ratio, low, high }) {
  if (low > 1 && ratio >= 1 + MIN_CHANGE) return 'more';
  if (high < 1 && ratio <= 1 - MIN_CHANGE) return 'less';
  return '';
}
