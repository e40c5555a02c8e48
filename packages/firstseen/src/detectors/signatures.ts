// Shared by SQF and DSQF (dutta-2013, section 3.1): the p bits of a fingerprint, its remainder of r bits, and the signature of
// the remainder that is kept.

import { invalidOption, optionName, phrase } from '../base/errors.js';
import { fingerprintForms } from '../fingerprint/fingerprint.js';
import {
  SIGNATURE_ADDRESS_PARAMETER,
  SIGNATURE_MIXED,
  SIGNATURE_PLAIN,
  SIGNATURE_REMAINDER_BITS_PARAMETER,
  SIGNATURE_SELECTED_BITS_PARAMETER,
  SIGNATURE_TAKEN_BITS_PARAMETER,
} from '../kernel/abi.js';
import type { KernelParameter } from '../kernel/parameter.js';
import {
  type FamilyParameter,
  type ParameterRequest,
  parameterOption,
  wholeParameter,
  wordParameter,
} from './contract.js';

const addressChoices = ['mixed', 'plain'] as const;

/** Bits of a fingerprint. */
export const MAX_BITS = 64;
const MAX_REMAINDER_BITS = 32;
/** With at most this many a signature has at most 32 bits. */
const MAX_REDUCED_BITS = 27;

export interface Signatures {
  r: number;
  /** r'. */
  reducedBits: number;
  /** Omega: the r' selected bits of the remainder, as a mask. */
  Omega: number;
  address: string;
  /** Bits of a signature, r' + log r. */
  signatureBits: number;
  /** Probability of the likeliest signature, if all remainders are equally likely. */
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
    description: "bits of the remainder, the lowest of the p bits (2 to 32); by default 2 r'",
  },
  {
    letter: "r'",
    name: 'reducedBits',
    description:
      'bits of the remainder that are kept (1 to 27, fewer than r); by default half of r, or from the target rate',
  },
  {
    letter: 'Omega',
    name: 'selectedBits',
    description:
      "which bits are kept: a mask of the remainder, or their numbers separated by commas, 0 for the lowest; by default the r' highest",
  },
  {
    letter: 'address',
    name: 'address',
    description:
      'mixed: the p bits are those of a hash of fingerprint and seed; plain: they are the lowest of the fingerprint, as in the paper; plain is the default for fingerprints without a seed',
    words: addressChoices,
  },
  { letter: 'q', name: 'quotientBits', description: 'bits of the quotient, p - r', derived: true },
];

function onesOf(mask: number): number {
  let ones = 0;
  for (let left = mask; left > 0; left = Math.floor(left / 2)) ones += left % 2;
  return ones;
}

/** Returns Omega as given, as a mask. */
function givenSelection(request: ParameterRequest): number | undefined {
  const value = request.given.Omega;
  if (value === undefined) return undefined;
  const mask = typeof value === 'number' ? value : maskOfList(value);
  if (Number.isInteger(mask) && mask > 0 && mask < 2 ** MAX_REMAINDER_BITS) return mask;
  const numbers = `different numbers of bits from 0 to ${MAX_REMAINDER_BITS - 1} separated by commas, such as 1,3`;
  throw invalidOption({
    option: parameterOption(request, 'Omega'),
    given: value,
    expected: `a mask from 1 to 2^${MAX_REMAINDER_BITS} - 1, or ${numbers}`,
  });
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

/** Returns the chance of the likeliest signature: half of the bits that are not kept are ones, C(h, h/2) of 2^h ways. */
function likeliestSignature(r: number, reducedBits: number): number {
  const hidden = r - reducedBits;
  return binomial(hidden, Math.floor(hidden / 2)) / 2 ** r;
}

function signaturesOf(request: ParameterRequest, reducedBits: number | undefined, otherwise: number): Signatures {
  const selection = givenSelection(request);
  const selectedBits = reducedBits ?? (selection === undefined ? undefined : onesOf(selection));
  const r = wholeParameter(request, 'r', { least: 2, most: MAX_REMAINDER_BITS }, () => {
    const highest = selection === undefined ? 0 : Math.floor(Math.log2(selection)) + 1;
    return Math.min(MAX_REMAINDER_BITS, Math.max(2 * (selectedBits ?? otherwise), highest));
  });
  // "r' should be set to r/2" (dutta-2013, section 6.1).
  const most = Math.min(MAX_REDUCED_BITS, r - 1);
  const count = wholeParameter(request, "r'", { least: 1, most }, () => selectedBits ?? Math.floor(r / 2));
  const Omega = selection ?? 2 ** r - 2 ** (r - count);
  if (Omega >= 2 ** r || onesOf(Omega) !== count) {
    throw invalidOption({
      option: parameterOption(request, 'Omega'),
      given: request.given.Omega,
      expected: `a selection of r' = ${count} of the r = ${r} bits of the remainder`,
      remedy: "change it, r or r'",
    });
  }
  const { isSeeded, isKeyed } = fingerprintForms[request.fingerprint];
  const isHashed = isSeeded || isKeyed;
  const address = wordParameter(request, 'address', isHashed ? addressChoices : [...addressChoices].reverse());
  const signatureBits = count + Math.ceil(Math.log2(r));
  return { r, reducedBits: count, Omega, address, signatureBits, likeliest: likeliestSignature(r, count) };
}

/**
 * r, r' and Omega as given. If none is given: the shortest signature with r = 2 r' for which `rateOf` meets the target. Without
 * a target: that of `fallback`, which is a target or a number of reduced bits.
 * @throws FirstseenError E_PARAMETER for contradictions, and for a target that cannot be met.
 */
export function resolveSignatures(
  request: ParameterRequest,
  fallback: { fpr: number } | { reducedBits: number },
  rateOf: (signatures: Signatures) => number,
): Signatures {
  const { given: parameters, fpr } = request;
  const range = { least: 1, most: MAX_REDUCED_BITS };
  const reducedBits = parameters["r'"] === undefined ? undefined : wholeParameter(request, "r'", range, () => 1);
  const isOpen = parameters.r === undefined && reducedBits === undefined && parameters.Omega === undefined;
  if (!isOpen) return signaturesOf(request, reducedBits, 1);
  if (fpr === undefined && 'reducedBits' in fallback) return signaturesOf(request, undefined, fallback.reducedBits);
  const target = fpr ?? ('fpr' in fallback ? fallback.fpr : 1);
  let rate = 1;
  for (let count = 1; 2 * count <= MAX_REMAINDER_BITS; count++) {
    const signatures = signaturesOf(request, undefined, count);
    rate = rateOf(signatures);
    if (rate <= target) return signatures;
  }
  throw invalidOption({
    option: 'fpr',
    given: target,
    expected: `at least ${rate.toExponential(1)}, which signatures of ${MAX_REMAINDER_BITS}-bit remainders reach here`,
    remedy: phrase`give a higher rate, a smaller ${optionName('parameters.k')} or a larger ${optionName("parameters.r'")}`,
  });
}

/** Returns the kernel's parameters of signatures. */
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
