// What SQF and DSQF share (dutta-2013, section 3.1): the p bits of a fingerprint, its remainder of r bits, and the signature
// that is kept of it.

import { FirstseenError } from '../errors.js';
import { fingerprintKinds } from '../fingerprint/fingerprint.js';
import {
  SIGNATURE_ADDRESS_PARAMETER,
  SIGNATURE_MIXED,
  SIGNATURE_PLAIN,
  SIGNATURE_REMAINDER_BITS_PARAMETER,
  SIGNATURE_SELECTED_BITS_PARAMETER,
  SIGNATURE_TAKEN_BITS_PARAMETER,
} from '../kernel/abi.js';
import type { KernelParameter } from '../kernel/parameter.js';
import { type FamilyParameter, type ParameterRequest, wholeParameter, wordParameter } from './contract.js';

const addressChoices = ['mixed', 'plain'] as const;

/** Bits of a fingerprint. */
export const MOST_BITS = 64;
const MOST_REMAINDER_BITS = 32;
/** With these a signature has 32 bits at most. */
const MOST_REDUCED_BITS = 27;

export interface Signatures {
  r: number;
  /** r'. */
  reducedBits: number;
  /** Omega: the r' selected bits of the remainder, as a mask. */
  Omega: number;
  address: string;
  /** Bits of a signature, r' + log r. */
  signatureBits: number;
  /** Probability of the likeliest signature, when all remainders are as likely. */
  likeliest: number;
}

export const signatureParameters: readonly FamilyParameter[] = [
  {
    letter: 'p',
    name: 'fingerprintBits',
    description: 'bits of the fingerprint that are used; by default as many as the memory has rows for',
  },
  {
    letter: 'r',
    name: 'remainderBits',
    description: "bits of the remainder, the low ones of the p (2 to 32); 2 r' if not given",
  },
  {
    letter: "r'",
    name: 'reducedBits',
    description: 'bits of the remainder that are kept (1 to 27, fewer than r); half of r, or from the target rate',
  },
  {
    letter: 'Omega',
    name: 'selectedBits',
    description:
      "which bits are kept: a mask of the remainder, or their numbers from 0, the lowest, with commas between; the r' highest if not given",
  },
  {
    letter: 'address',
    name: 'address',
    description:
      'the p bits are those of a hash of fingerprint and seed, or, as in the paper, the lowest of the fingerprint, the default where the seed does not change the fingerprint',
    words: addressChoices,
  },
  { letter: 'q', name: 'quotientBits', description: 'bits of the quotient, p - r', derived: true },
];

function onesOf(mask: number): number {
  let ones = 0;
  for (let left = mask; left > 0; left = Math.floor(left / 2)) ones += left % 2;
  return ones;
}

/** Omega as given, as a mask. */
function givenSelection({ given }: ParameterRequest): number | undefined {
  const value = given.Omega;
  if (value === undefined) return undefined;
  const mask = typeof value === 'number' ? value : maskOfList(value);
  if (Number.isInteger(mask) && mask > 0 && mask < 2 ** MOST_REMAINDER_BITS) return mask;
  throw new FirstseenError(
    'E_PARAMETER',
    `parameter Omega is ${value}, but must be a mask from 1 to 2^${MOST_REMAINDER_BITS} - 1, or different numbers of bits from 0 to ${MOST_REMAINDER_BITS - 1} with commas between, such as 1,3`,
  );
}

function maskOfList(list: string): number {
  const bits = /^\d+(,\d+)+$/.test(list) ? list.split(',').map(Number) : [];
  return new Set(bits).size === bits.length ? bits.reduce((mask, bit) => mask + 2 ** bit, 0) : Number.NaN;
}

function binomial(n: number, k: number): number {
  let ways = 1;
  for (let i = 1; i <= k; i++) ways = (ways * (n - k + i)) / i;
  return ways;
}

/** The bits that are not kept tell only how many of them are ones, most often half: C(h, h/2) of 2^h ways. */
function likeliestSignature(r: number, reducedBits: number): number {
  const hidden = r - reducedBits;
  return binomial(hidden, Math.floor(hidden / 2)) / 2 ** r;
}

function signaturesOf(request: ParameterRequest, reducedBits: number | undefined, otherwise: number): Signatures {
  const selection = givenSelection(request);
  const kept = reducedBits ?? (selection === undefined ? undefined : onesOf(selection));
  const r = wholeParameter(request, 'r', { least: 2, most: MOST_REMAINDER_BITS }, () => {
    const highest = selection === undefined ? 0 : Math.floor(Math.log2(selection)) + 1;
    return Math.min(MOST_REMAINDER_BITS, Math.max(2 * (kept ?? otherwise), highest));
  });
  // "r' should be set to r/2" (dutta-2013, section 6.1).
  const most = Math.min(MOST_REDUCED_BITS, r - 1);
  const count = wholeParameter(request, "r'", { least: 1, most }, () => kept ?? Math.floor(r / 2));
  const Omega = selection ?? 2 ** r - 2 ** (r - count);
  if (Omega >= 2 ** r || onesOf(Omega) !== count) {
    throw new FirstseenError(
      'E_PARAMETER',
      `parameter Omega is ${request.given.Omega}, but must select r' = ${count} of the r = ${r} bits of the remainder; give r and r' to match`,
    );
  }
  const { isSeeded, isKeyed } = fingerprintKinds[request.fingerprint];
  const isHashed = isSeeded || isKeyed;
  const address = wordParameter(request, 'address', isHashed ? addressChoices : [...addressChoices].reverse());
  const signatureBits = count + Math.ceil(Math.log2(r));
  return { r, reducedBits: count, Omega, address, signatureBits, likeliest: likeliestSignature(r, count) };
}

/**
 * r, r' and Omega as given; if none of them is, the shortest signature with r = 2 r' for which `rateOf` meets the target, or
 * without a target the one of `fallback`, a target or a number of reduced bits.
 * @throws FirstseenError E_PARAMETER for contradictions, and for a target out of reach.
 */
export function resolveSignatures(
  request: ParameterRequest,
  fallback: { fpr: number } | { reducedBits: number },
  rateOf: (signatures: Signatures) => number,
): Signatures {
  const { given, fpr } = request;
  const range = { least: 1, most: MOST_REDUCED_BITS };
  const reducedBits = given["r'"] === undefined ? undefined : wholeParameter(request, "r'", range, () => 1);
  const isOpen = given.r === undefined && reducedBits === undefined && given.Omega === undefined;
  if (!isOpen) return signaturesOf(request, reducedBits, 1);
  if (fpr === undefined && 'reducedBits' in fallback) return signaturesOf(request, undefined, fallback.reducedBits);
  const target = fpr ?? ('fpr' in fallback ? fallback.fpr : 1);
  let rate = 1;
  for (let count = 1; 2 * count <= MOST_REMAINDER_BITS; count++) {
    const signatures = signaturesOf(request, undefined, count);
    rate = rateOf(signatures);
    if (rate <= target) return signatures;
  }
  throw new FirstseenError(
    'E_PARAMETER',
    `fpr is ${target}, but signatures of at most ${MOST_REMAINDER_BITS} bits' remainders reach ${rate.toExponential(1)} here; ask for a higher rate, or give a smaller k or a larger r'`,
  );
}

/** What the kernel takes of signatures. */
export function signatureKernel({ r, Omega, address }: Signatures, p: number): KernelParameter[] {
  return [
    [SIGNATURE_REMAINDER_BITS_PARAMETER, r],
    [SIGNATURE_SELECTED_BITS_PARAMETER, Omega],
    [SIGNATURE_TAKEN_BITS_PARAMETER, p],
    [SIGNATURE_ADDRESS_PARAMETER, address === 'mixed' ? SIGNATURE_MIXED : SIGNATURE_PLAIN],
  ];
}

/** The values of all parameters of signatures. */
export function signatureValues({ r, reducedBits, Omega, address }: Signatures, p: number) {
  return { p, r, "r'": reducedBits, Omega, address, q: p - r };
}
