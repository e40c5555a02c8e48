// Polynomials over GF(2) as BigInts: bit i is the coefficient of t^i.

/** The modulus of the Rabin fingerprint, leading term included. */
export const rabinPolynomial = (1n << 64n) | 0x243f6a8885a30907n;

export function degree(polynomial: bigint): number {
  return polynomial.toString(2).length - 1;
}

export function remainder(dividend: bigint, divisor: bigint): bigint {
  let rest = dividend;
  while (rest !== 0n && degree(rest) >= degree(divisor)) rest ^= divisor << BigInt(degree(rest) - degree(divisor));
  return rest;
}

export function gcd(left: bigint, right: bigint): bigint {
  return right === 0n ? left : gcd(right, remainder(left, right));
}

/** polynomial^2 mod modulus: squaring spreads the coefficients, because cross terms cancel over GF(2). */
export function squareModulo(polynomial: bigint, modulus: bigint): bigint {
  let square = 0n;
  for (let i = 0; i <= degree(polynomial); i++) {
    if ((polynomial >> BigInt(i)) & 1n) square |= 1n << BigInt(2 * i);
  }
  return remainder(square, modulus);
}

/** Rabin's test for a degree that is a power of two: t^(2^degree) = t, and t^(2^(degree/2)) - t shares no factor. */
export function isIrreducible(polynomial: bigint): boolean {
  let power = 2n;
  let halfway = power;
  for (let i = 1; i <= degree(polynomial); i++) {
    power = squareModulo(power, polynomial);
    if (i === degree(polynomial) / 2) halfway = power;
  }
  return power === 2n && gcd(polynomial, halfway ^ 2n) === 1n;
}

/** The remainder of a byte string, with a 1 prepended to it, bit by bit. */
export function referenceRabin(bytes: Uint8Array): bigint {
  let message = 1n;
  for (const byte of bytes) message = (message << 8n) | BigInt(byte);
  return remainder(message, rabinPolynomial);
}
