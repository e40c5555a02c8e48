// How SQF and DSQF split a fingerprint (dutta-2013, section 3.1): into a quotient, which selects a row, and a signature
// of the remainder, which is all that a row stores of an element.

import { FAMILY_PARAMETER, parameter } from './memory';
import { addressHash, seedRandom } from './random';

/** Parameter slots that define the split of a fingerprint; those of the family follow. */
export const SIGNATURE_REMAINDER_BITS_PARAMETER: u32 = FAMILY_PARAMETER;
export const SIGNATURE_SELECTED_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const SIGNATURE_TAKEN_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const SIGNATURE_ADDRESS_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const SIGNATURE_FAMILY_PARAMETER: u32 = FAMILY_PARAMETER + 4;

/** The value for fingerprints that are mixed before their bits are taken. */
export const SIGNATURE_MIXED: u32 = 0;
export const SIGNATURE_PLAIN: u32 = 1;

/** r: bits of the remainder. */
let remainderBits: u64 = 0;
/** Omega, as a mask over the bits of the remainder. */
let selectedBits: u64 = 0;
/** A mask of the p bits of a fingerprint that are used. */
let takenMask: u64 = 0;
let isMixed: bool = true;

/** Bits of a signature: ceil(log2 r) for the count of ones, and in total r' more. */
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

/** The p bits that identify an element. */
export function takenBits(fingerprint: u64): u64 {
  return (isMixed ? addressHash(fingerprint, 0) : fingerprint) & takenMask;
}

export function quotientOf(taken: u64): u64 {
  return taken >> remainderBits;
}

/** The selected bits of a remainder, compressed. They are copied run by run; usually there is one run. */
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
 * The reduced remainder, followed by the number of ones in the remainder. If r is a power of two, that number can be r,
 * which does not fit in log2 r bits: it is stored modulo r, so r ones look like none. No information is lost, because
 * the reduced remainder is all ones in the first case and all zeros in the second.
 */
export function signatureOf(taken: u64): u32 {
  const remainder = taken & (((<u64>1) << remainderBits) - 1);
  const ones = <u32>popcnt(remainder) & ((1 << onesBits) - 1);
  return ((<u32>reducedRemainder(remainder)) << onesBits) | ones;
}
