// Numbers of 32 bits with the fewest digits.

/** Numbers of 32 bits that are smaller have fewer than six digits. */
const MIN_NORMAL_FLOAT = 2 ** -126;
/** Whole numbers up to this are exact as doubles. */
const MAX_EXACT = 2 ** 53;

function double(number: number): string {
  const text = String(number);
  return /[.e]/.test(text) || number <= MAX_EXACT ? text : `${text}.0`;
}

/** The fewest digits that are read back as the same positive number of 32 bits. */
export function shortestFloat(number: number): string {
  for (let digits = number < MIN_NORMAL_FLOAT ? 1 : 6; digits < 9; digits++) {
    const rounded = Number(number.toPrecision(digits));
    if (Math.fround(rounded) === number) return double(rounded);
  }
  return double(Number(number.toPrecision(9)));
}
