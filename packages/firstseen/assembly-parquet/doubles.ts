// Floating-point numbers with the fewest digits that are read back as the same number, as JavaScript writes them: by the algorithm of
// Giulietti, "The Schubfach way to render doubles" (2020).

import { end, makeRoom, putByte, putBytes, putDigits, setEnd } from './output';

/** The powers of ten that the algorithm needs, each as the upper 128 bits of its binary digits, rounded up. */
export const MIN_POWER: i32 = -292;
export const POWER_COUNT: u32 = 617;
const powers: usize = heap.alloc((<usize>POWER_COUNT) << 4);

/** The address of the powers, which the host computes. */
export function powersAddress(): usize {
  return powers;
}

/** The digits of a number of 32 bits, which the host finds when there are more than six: at an address, and their number. */
declare function floatText(value: f64, at: usize): u32;

let digits: u64 = 0;
let exponent: i32 = 0;

/** The upper 64 bits of a product. */
function highProduct(one: u64, other: u64): u64 {
  const oneLow = one & 0xffffffff;
  const oneHigh = one >> 32;
  const otherLow = other & 0xffffffff;
  const otherHigh = other >> 32;
  const low = oneLow * otherLow;
  const cross = oneHigh * otherLow + (low >> 32);
  const middle = oneLow * otherHigh + (cross & 0xffffffff);
  return oneHigh * otherHigh + (cross >> 32) + (middle >> 32);
}

/** The upper 64 bits of a product with a power, whose last bit tells if bits are lost. */
function rounded(high: u64, low: u64, factor: u64): u64 {
  const carried = highProduct(low, factor);
  const part = high * factor + carried;
  const upper = highProduct(high, factor) + u64(part < carried);
  return upper | u64(part > 1);
}

/** Finds the digits of a positive finite number. */
function findDigits(value: f64): void {
  const bits = reinterpret<u64>(value);
  const fraction = bits & 0xfffffffffffff;
  const biased = <i32>(bits >> 52);
  const significand = biased != 0 ? fraction | ((<u64>1) << 52) : fraction;
  const power = biased != 0 ? biased - 1075 : -1074;
  const isClose = fraction == 0 && biased > 1;
  const isOdd = significand & 1;
  const scale = (power * 1262611 - (isClose ? 524031 : 0)) >> 22;
  const shift = <u64>(power + ((-scale * 1741647) >> 19) + 1);
  const at = powers + ((<usize>(-scale - MIN_POWER)) << 4);
  const high = load<u64>(at);
  const low = load<u64>(at, 8);
  const lower = rounded(high, low, (4 * significand - 2 + u64(isClose)) << shift) + isOdd;
  const middle = rounded(high, low, (4 * significand) << shift);
  const upper = rounded(high, low, (4 * significand + 2) << shift) - isOdd;
  const whole = middle >> 2;
  exponent = scale;
  if (whole >= 10) {
    const tens = whole / 10;
    const isBelow = lower <= 40 * tens;
    const isAbove = 40 * tens + 40 <= upper;
    if (isBelow != isAbove) {
      digits = tens + u64(isAbove);
      exponent = scale + 1;
      return;
    }
  }
  const isBelow = lower <= 4 * whole;
  const isAbove = 4 * whole + 4 <= upper;
  if (isBelow != isAbove) digits = whole + u64(isAbove);
  else {
    const half = 4 * whole + 2;
    digits = whole + u64(middle > half || (middle == half && (whole & 1) != 0));
  }
}

/** The most of a whole number, and of a number times a power of ten, that is exact. */
const MAX_EXACT: f64 = 9007199254740992;

/** Finds the digits of a number that has few, most of them after its point. */
function findFewDigits(value: f64, most: f64): bool {
  let scaled = value;
  let power: f64 = 1;
  for (let places = 0; places <= 6; places++) {
    if (scaled >= most) return false;
    const whole = nearest(scaled);
    // Both are exact, so the quotient is the number that is nearest to these digits.
    if (whole / power == value) {
      digits = <u64>whole;
      exponent = -places;
      return true;
    }
    power *= 10;
    scaled = value * power;
  }
  return false;
}

/** Writes the digits as JavaScript does, but a whole number beyond the exact ones with a fraction. */
function putNumber(value: f64): void {
  while (digits % 10 == 0) {
    digits /= 10;
    exponent++;
  }
  makeRoom(32);
  const from = end;
  putDigits(digits, 1);
  const count = <i32>(end - from);
  const point = count + exponent;
  if (exponent >= 0 && point <= 21) {
    for (let i = 0; i < exponent; i++) putByte(0x30);
    if (value > MAX_EXACT) {
      putByte(0x2e);
      putByte(0x30);
    }
  } else if (point > 0 && point <= 21) {
    memory.copy(from + point + 1, from + point, count - point);
    store<u8>(from + point, 0x2e);
    setEnd(end + 1);
  } else if (point > -6 && point <= 0) {
    const zeros = -point;
    memory.copy(from + 2 + zeros, from, count);
    memory.fill(from, 0x30, 2 + zeros);
    store<u8>(from + 1, 0x2e);
    setEnd(end + 2 + zeros);
  } else {
    if (count > 1) {
      memory.copy(from + 2, from + 1, count - 1);
      store<u8>(from + 1, 0x2e);
      setEnd(end + 1);
    }
    putByte(0x65);
    putByte(point > 0 ? 0x2b : 0x2d);
    putDigits(<u64>(point > 0 ? point - 1 : 1 - point), 1);
  }
}

const NAN: StaticArray<u8> = [0x22, 0x4e, 0x61, 0x4e, 0x22];
/** `"-Infinity"`. */
const INFINITY: StaticArray<u8> = [0x22, 0x2d, 0x49, 0x6e, 0x66, 0x69, 0x6e, 0x69, 0x74, 0x79, 0x22];

/** Writes what is not a finite number, and zero and signs; tells if nothing is left to write. */
function putOdd(value: f64): bool {
  if (value != value) {
    putBytes(changetype<usize>(NAN), 5);
    return true;
  }
  makeRoom(48);
  if (value == 0) {
    putByte(0x30);
    return true;
  }
  if (abs(value) == Infinity) {
    putByte(0x22);
    if (value < 0) putByte(0x2d);
    putBytes(changetype<usize>(INFINITY) + 2, 9);
    return true;
  }
  if (value < 0) putByte(0x2d);
  return false;
}

/** Writes a number of 64 bits. */
export function putDouble(value: f64): void {
  if (putOdd(value)) return;
  const size = abs(value);
  // Digits of fifteen places or fewer are those of one number only.
  if (!findFewDigits(size, 1e15)) findDigits(size);
  putNumber(size);
}

/** Writes a number of 32 bits. */
export function putFloat(value: f32): void {
  if (putOdd(value)) return;
  const size = abs(value);
  if (isFewOfFloat(size)) putNumber(size);
  else setEnd(end + floatText(size, end));
}

/** Finds the digits of a number of 32 bits that has six or fewer, most of them after its point. */
function isFewOfFloat(size: f32): bool {
  let power: f64 = 1;
  for (let places = 0; places <= 6; places++) {
    const whole = nearest(<f64>size * power);
    if (whole >= 1e6) return false;
    if (<f32>(whole / power) == size) {
      digits = <u64>whole;
      exponent = -places;
      return true;
    }
    power *= 10;
  }
  return false;
}

/** Writes a number of 16 bits. */
export function putHalf(bits: u32): void {
  const power = <i32>((bits >> 10) & 0x1f);
  const fraction = <f64>(bits & 0x3ff) / 1024;
  const sign: f64 = bits >> 15 != 0 ? -1 : 1;
  if (power == 0x1f) putDouble(fraction != 0 ? NaN : sign * Infinity);
  else if (power == 0) putDouble(sign * fraction * 0.00006103515625);
  else putDouble(sign * (1 + fraction) * powerOfTwo(power - 15));
}

function powerOfTwo(power: i32): f64 {
  return reinterpret<f64>((<u64>(power + 1023)) << 52);
}
