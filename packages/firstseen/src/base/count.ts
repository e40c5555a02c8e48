// Counts and shares in text form.

/** 1234567 as 1,234,567. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `1 record`, `2,000 records`: a count and its noun, which is given in the singular. */
export function formatCounted(count: number, noun: string): string {
  return `${formatCount(count)} ${count === 1 ? noun : `${noun}s`}`;
}

/** A share in percent, with two significant digits. */
export function formatPercent(rate: number): string {
  return `${Number((100 * rate).toPrecision(2))} %`;
}
