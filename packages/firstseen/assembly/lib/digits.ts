// Decimal digits in a text.

export const ZERO_DIGIT: u32 = 0x30;

export function isDigit(at: u32): bool {
  return <u32>load<u8>(at) - ZERO_DIGIT <= 9;
}

/** The value of `count` digits at `at`, or -1 if one of the bytes is not a digit. */
export function digits(at: u32, count: u32): i32 {
  let value: i32 = 0;
  for (let digit = at; digit < at + count; digit++) {
    if (!isDigit(digit)) return -1;
    value = value * 10 + (<i32>load<u8>(digit) - <i32>ZERO_DIGIT);
  }
  return value;
}

/** One past the digits that begin at `at`. */
export function digitsEnd(at: u32, end: u32): u32 {
  let position = at;
  while (position < end && isDigit(position)) position++;
  return position;
}

/** The fraction whose digits are [start, end), in thousandths, rounded down. */
export function thousandths(start: u32, end: u32): f64 {
  let value: f64 = 0;
  for (let i: u32 = 0; i < 3; i++)
    value = value * 10 + (start + i < end ? <f64>(<u32>load<u8>(start + i) - ZERO_DIGIT) : 0);
  return value;
}
