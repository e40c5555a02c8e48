// Numbers and sizes as the page writes them.

const numbers = new Intl.NumberFormat('en-US');
const rounded = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });
const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;
const UNIT = 1024;
/** Below this share of a percent, a rate is told by its power of ten. */
const TINY_PERCENT = 0.00005;

export function countText(count: number): string {
  return numbers.format(count);
}

/** A count in three digits, for axes. */
export function shortCount(count: number): string {
  if (count >= 1e6) return `${rounded.format(count / 1e6)}M`;
  return count >= 1e3 ? `${rounded.format(count / 1e3)}k` : rounded.format(count);
}

export function bytesText(bytes: number): string {
  const unit = bytes <= 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / Math.log2(UNIT)));
  return `${rounded.format(bytes / UNIT ** unit)} ${units[unit]}`;
}

/** A rate in percent, with three digits. */
export function rateText(rate: number): string {
  const percent = 100 * rate;
  if (percent > 0 && percent < TINY_PERCENT) return `${percent.toExponential(0)} %`;
  return `${rounded.format(percent)} %`;
}
