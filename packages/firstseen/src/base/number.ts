// Numbers as people write them. Every flag and every option that takes a size, a duration, a count or a rate as text is read
// here: `64MiB`, `30m`, `1e6`, `1_000_000`, `1,000,000`, `2.5M`, `0.1%`.

/** Digits, in groups separated by single underscores or, without a leading zero, in threes separated by commas. */
const DIGITS = String.raw`(?:[1-9]\d{0,2}(?:,\d{3})+|\d+(?:_\d+)*)`;
const NUMBER = String.raw`(?:${DIGITS}(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?`;
const MEASURE = new RegExp(String.raw`^([+-]?${NUMBER})\s*([a-z%]*)$`, 'i');
const MEASURES = new RegExp(String.raw`(${NUMBER})\s*([a-z]+)\s*`, 'giy');

/** A number and what follows it. */
export interface Measure {
  value: number;
  /** The letters after the number, or `%`; empty for a plain number. */
  unit: string;
}

function withoutSeparators(digits: string): number {
  return Number(digits.replace(/[_,]/g, ''));
}

/** The number and the unit of a text; undefined if it is not a number with or without a unit. */
export function parseMeasure(text: string): Measure | undefined {
  const [, digits, unit] = MEASURE.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : { value: withoutSeparators(digits), unit: unit as string };
}

/** The numbers and units of a text such as `1h30m`; undefined if anything else is in it. */
export function parseMeasures(text: string): Measure[] | undefined {
  const trimmed = text.trim();
  const found = [...trimmed.matchAll(MEASURES)];
  const length = found.reduce((sum, [whole]) => sum + whole.length, 0);
  if (found.length === 0 || length !== trimmed.length) return undefined;
  return found.map(([, digits, unit]) => ({ value: withoutSeparators(digits as string), unit: unit as string }));
}

const multiples: Readonly<Record<string, number>> = { '': 1, '%': 0.01, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/** A number such as `1e6`, `1_000_000`, `1,000,000`, `1M` or `0.1%`; k, M, G and T are powers of 1000. Undefined otherwise. */
export function parseDecimal(text: string): number | undefined {
  const measure = parseMeasure(text);
  const multiple = measure && multiples[measure.unit.toLowerCase()];
  if (measure === undefined || multiple === undefined) return undefined;
  // A quotient by 100 is the double next to the decimal number; a product with 0.01 may not be.
  if (multiple < 1) return measure.value / 100;
  const number = measure.value * multiple;
  return Number.isFinite(number) ? number : undefined;
}
