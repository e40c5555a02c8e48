// What SQF and DSQF make of a fingerprint (dutta-2013, section 3.1): a quotient, which names a row, and a signature of the
// remainder, which is all that a row keeps of an element.

import { FAMILY_PARAMETER, parameter } from './memory';
import { addressHash, seedRandom } from './random';

/** Slots of the parameters that say what is made of a fingerprint; those of the family follow. */
export const SIGNATURE_REMAINDER_BITS_PARAMETER: u32 = FAMILY_PARAMETER;
export const SIGNATURE_SELECTED_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const SIGNATURE_TAKEN_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const SIGNATURE_ADDRESS_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const SIGNATURE_FAMILY_PARAMETER: u32 = FAMILY_PARAMETER + 4;

/** Whether a fingerprint is mixed before its bits are taken. */
export const SIGNATURE_MIXED: u32 = 0;
export const SIGNATURE_PLAIN: u32 = 1;

/** r, bits of the remainder. */
let remainderBits: u64 = 0;
/** Omega, as a mask over the bits of the remainder. */
let selectedBits: u64 = 0;
/** The p bits of a fingerprint that are taken. */
let takenMask: u64 = 0;
let isMixed: bool = true;

/** Bits of a signature for the count of ones, log r rounded up, and all in all, r' more. */
export let onesBits: u32 = 0;
export let signatureBits: u32 = 0;

export function configureSignatures(): void {
  seedRandom();
  remainderBits = <u64>parameter(SIGNATURE_REMAINDER_BITS_PARAMETER);
  selectedBits = <u64>parameter(SIGNATURE_SELECTED_BITS_PARAMETER);
  takenMask = ~(<u64>0) >> (64 - <u64>parameter(SIGNATURE_TAKEN_BITS_PARAMETER));
  isMixed = parameter(SIGNATURE_ADDRESS_PARAMETER) == <f64>SIGNATURE_MIXED;
  onesBits = 32 - <u32>clz(<u32>remainderBits - 1);
  signatureBits = onesBits + <u32>popcnt(selectedBits);
}

/** The p bits that an element is known by. */
export function takenBits(fingerprint: u64): u64 {
  return (isMixed ? addressHash(fingerprint, 0) : fingerprint) & takenMask;
}

export function quotientOf(taken: u64): u64 {
  return taken >> remainderBits;
}

/** The selected bits of a remainder, moved together; run by run, of which there mostly is one. */
function reducedRemainder(remainder: u64): u64 {
  let reduced: u64 = 0;
  let at: u64 = 0;
  for (let left = selectedBits; left != 0; ) {
    const from = ctz(left);
    const length = ctz(~(left >> from));
    const run = ((<u64>1) << length) - 1;
    reduced |= ((remainder >> from) & run) << at;
    at += length;
    left &= ~(run << from);
  }
  return reduced;
}

/**
 * The reduced remainder, and behind it the number of ones in the remainder. That number can be r, one more than log r bits
 * hold where r is a power of two: it is kept modulo 2^log r, which takes r ones for none. Nothing is lost, as the reduced
 * remainder is all ones in the one case and all zeros in the other.
 */
export function signatureOf(taken: u64): u32 {
  const remainder = taken & (((<u64>1) << remainderBits) - 1);
  const ones = <u32>popcnt(remainder) & ((1 << onesBits) - 1);
  return ((<u32>reducedRemainder(remainder)) << onesBits) | ones;
}
