import { invalidOption, optionName, phrase } from '../base/errors.js';
import {
  POCKET_AGE_BITS,
  POCKET_BYTES,
  POCKET_ENTRY_AGE_PARAMETER,
  POCKET_GENERATION_SHARE_PARAMETER,
  POCKET_GROUP_BYTES,
  POCKET_LENGTH_REGISTER,
  POCKET_MAX_SLOTS,
  POCKET_QUOTIENTS_PARAMETER,
  POCKET_REMAINDER_BITS_PARAMETER,
  POCKET_SECOND_QUOTIENTS_PARAMETER,
  POCKET_SLOTS_PARAMETER,
  POCKET_STAMPS_REGISTER,
} from '../kernel/abi.js';
import type { KernelParameter } from '../kernel/parameter.js';
import { DEFAULT_TARGET_FPR } from '../options/detector.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type FamilyParameter,
  type Guarantee,
  type ParameterRequest,
  parameterOption,
  rateParameter,
  wholeParameter,
} from './contract.js';

const MIN_REMAINDER_BITS = 8;
const MAX_REMAINDER_BITS = 24;
/** Bits of a quotient and a remainder together: a hash has no more for them. */
const VALUE_BITS = 32;
/** The kernel compares 16 slots at once. */
const MIN_SLOTS = 16;
/** With older new entries, nearly all would be in their second pocket or leave at once, and the bound would not hold. */
const MAX_ENTRY_AGE = 4;
/** The bits of an entry at a rate, 1 + Q / k - log2(Q / k) and what does not depend on Q, are fewest at Q / k = 1 / ln 2. */
const QUOTIENTS_PER_SLOT = 1 / Math.LN2;
/** Part of the quotients that entries in their second pocket have. */
const SECOND_QUOTIENT_SHARE = 0.3;
/**
 * The largest part of the entries that is in their second pocket. The measured part is up to 0.45 with 16 slots and 0.40 with 47,
 * if most elements are from a set of 0.7 times as many elements as there are slots that recurs in the same order. It is 0.37 and
 * 0.30 if all elements are new.
 */
const MAX_SECOND_SHARE = 0.5;
/** Part of the capacity that the first generations stamp. The kernel adjusts it. */
const FIRST_GENERATION_SHARE = 0.195;

/** One for entries in their first pocket, and one for those in their second. */
const MIN_QUOTIENTS = 2;

export interface PocketShape {
  /** r. */
  r: number;
  /** k. */
  k: number;
}

/** Q: as many quotients as the header of a pocket has room for, and a value of 32 bits; less than the least if it has no room. */
function quotientsOf({ r, k }: PocketShape): number {
  const planesBytes = Math.floor(r / 8) * k + Math.ceil((((r % 8) + POCKET_AGE_BITS) * k) / 8);
  return Math.min(8 * (POCKET_BYTES - planesBytes) - k, 2 ** (VALUE_BITS - r));
}

function secondQuotientsOf(quotients: number): number {
  return Math.max(1, Math.round(SECOND_QUOTIENT_SHARE * quotients));
}

/** The largest part of the entries that is in their second pocket, for k slots. */
type SecondShare = (slots: number) => number;

/** The rate at which an element that was not seen equals an entry of its two full pockets. */
function boundOf(shape: PocketShape, secondShare: SecondShare): number {
  const quotients = quotientsOf(shape);
  const second = secondQuotientsOf(quotients);
  const share = secondShare(shape.k);
  const shares = (1 - share) / (quotients - second) + share / second;
  return (shape.k * shares) / 2 ** shape.r;
}

function numbersFrom(least: number, most: number): number[] {
  return Array.from({ length: most - least + 1 }, (_, i) => least + i);
}

/** All shapes of pockets, those with more slots first. */
function shapes(remainderBits: readonly number[]): PocketShape[] {
  return numbersFrom(MIN_SLOTS, POCKET_MAX_SLOTS)
    .reverse()
    .flatMap((k) => remainderBits.map((r) => ({ r, k })))
    .filter((shape) => quotientsOf(shape) >= MIN_QUOTIENTS);
}

/** The shape with the most slots that meets the target. @throws FirstseenError E_PARAMETER when none does. */
function shapeForRate(fpr: number, remainderBits: readonly number[], secondShare: SecondShare): PocketShape {
  const all = shapes(remainderBits);
  const bound = (shape: PocketShape) => boundOf(shape, secondShare);
  const most = all.find((shape) => bound(shape) <= fpr);
  if (most)
    return all.filter(({ k }) => k === most.k).reduce((best, next) => (bound(next) < bound(best) ? next : best));
  const least = Math.min(...all.map(bound));
  throw invalidOption({
    option: 'fpr',
    given: fpr,
    expected: `at least ${least.toPrecision(2)}, the bound for pockets with remainders of at most ${Math.max(...remainderBits)} bits`,
    remedy: phrase`give a higher rate, or choose ${optionName('algorithm')} exact`,
  });
}

/** The shape with the given width of remainders and the fewest bits for each entry. */
function leanShape(r: number, all = shapes([r])): PocketShape {
  const [leanest] = all.filter((shape) => quotientsOf(shape) >= QUOTIENTS_PER_SLOT * shape.k);
  if (!leanest) throw new Error(`no pocket has remainders of ${r} bits`);
  return leanest;
}

/**
 * Returns the shape of each width with the fewest bits for an entry, and those with somewhat more slots.
 * @param hasFewQuotients also, with the shortest remainders, all shapes with more slots: no others take fewer bits
 */
export function shapesWorthTrying(hasFewQuotients: boolean): PocketShape[] {
  return numbersFrom(MIN_REMAINDER_BITS, MAX_REMAINDER_BITS).flatMap((r) => {
    const all = shapes([r]);
    const { k } = leanShape(r, all);
    const isAny = hasFewQuotients && r === MIN_REMAINDER_BITS;
    return all.filter((shape) => shape.k >= k && (isAny || quotientsOf(shape) >= shape.k));
  });
}

function shapeOf(request: ParameterRequest, secondShare: SecondShare): PocketShape {
  const { given: parameters, fpr } = request;
  const forRate = (rate: number, widths = numbersFrom(MIN_REMAINDER_BITS, MAX_REMAINDER_BITS)) =>
    shapeForRate(rate, widths, secondShare);
  const r =
    parameters.r === undefined
      ? undefined
      : wholeParameter(request, 'r', { least: MIN_REMAINDER_BITS, most: MAX_REMAINDER_BITS }, () => 0);
  if (parameters.k !== undefined) return givenShape(request, r ?? forRate(fpr ?? DEFAULT_TARGET_FPR).r);
  if (r !== undefined) return fpr === undefined ? leanShape(r) : forRate(fpr, [r]);
  return forRate(fpr ?? DEFAULT_TARGET_FPR);
}

/** @throws FirstseenError E_PARAMETER when this number of slots does not fit. */
function givenShape(request: ParameterRequest, r: number): PocketShape {
  const k = wholeParameter(request, 'k', { least: MIN_SLOTS, most: POCKET_MAX_SLOTS }, () => POCKET_MAX_SLOTS);
  // A pocket with fewer slots has more quotients.
  if (quotientsOf({ r, k }) >= MIN_QUOTIENTS) return { r, k };
  const most = Math.max(...shapes([r]).map((shape) => shape.k));
  throw invalidOption({
    option: parameterOption(request, 'k'),
    given: k,
    expected: phrase`from ${MIN_SLOTS} to ${most} with remainders of ${r} bits`,
    remedy:
      request.given.r === undefined
        ? phrase`give fewer, or shorter remainders with ${optionName('parameters.r')}`
        : 'give fewer, or shorter remainders',
  });
}

/** The parameters of every family of pockets. */
export const shapeParameters: readonly FamilyParameter[] = [
  {
    letter: 'r',
    name: 'remainderBits',
    description: 'bits of a remainder (8 to 24); by default from the target rate, or from 0.000001',
  },
  { letter: 'k', name: 'slotCount', description: 'slots of a pocket; by default as many as fit' },
];
export const shapeResults: readonly FamilyParameter[] = [
  { letter: 'Q', name: 'quotientCount', description: 'quotients of a pocket', derived: true },
  { letter: 'Q2', name: 'secondQuotientCount', description: 'those of entries in their second pocket', derived: true },
  { letter: 'FPR', name: 'falsePositiveRate', description: 'the bound on the rate of false positives', derived: true },
];

/** The shape of pockets that a request leads to: its parameters as they are shown, and as the kernel gets them. */
export function resolveShape(request: ParameterRequest, secondShare: SecondShare) {
  const shape = shapeOf(request, secondShare);
  const Q = quotientsOf(shape);
  const Q2 = secondQuotientsOf(Q);
  const kernel: KernelParameter[] = [
    [POCKET_SLOTS_PARAMETER, shape.k],
    [POCKET_QUOTIENTS_PARAMETER, Q],
    [POCKET_SECOND_QUOTIENTS_PARAMETER, Q2],
    [POCKET_REMAINDER_BITS_PARAMETER, shape.r],
  ];
  return { shape, results: { Q, Q2, FPR: boundOf(shape, secondShare) }, kernel };
}

/** Returns the bytes of the pockets that fit. */
export function pocketsBytes(memoryBytes: number): number {
  return Math.floor(memoryBytes / POCKET_BYTES) * POCKET_BYTES;
}

/** The guarantee of a family of pockets whose largest share of entries in their second pocket is `most`. */
export function falsePositivesWith(most: string): Guarantee {
  return {
    kind: 'bounded',
    bound: `k ((1 - S) / (Q - Q2) + S / Q2) / 2^r, S the largest share of entries in their second pocket: ${most}`,
    source:
      'each entry equals one of 2^r (Q - Q2) values of an element in its first pocket, or one of 2^r Q2 in its second',
  };
}

export const pocketDescription: FamilyDescription = {
  title: 'Pockets with generations',
  source: 'ours; pockets as in the prefix filter, arXiv 2203.17139',
  rule: 'An element is an entry, a quotient and a remainder, in one of two pockets of 128 bytes. A hit is stamped with the current generation. A miss enters the first pocket, or the second if the first is full, or replaces an entry of the oldest generation in either.',
  falsePositives: /* @__PURE__ */ falsePositivesWith('1/2'),
  falseNegatives: {
    kind: 'data-dependent',
    why: 'full pockets forget their oldest entries, so the rate grows with the elements between',
  },
};

export const pocket: DetectorFamily = {
  name: 'pocket',
  id: 15,
  layouts: ['blocked'],
  layout: 'blocked',
  withWindow: 'pocketwindow',
  groupBytes: POCKET_GROUP_BYTES,
  sumSlots: [POCKET_STAMPS_REGISTER, POCKET_LENGTH_REGISTER],
  hasGenerations: true,
  parameters: [
    ...shapeParameters,
    {
      letter: 'j',
      name: 'entryAge',
      description: 'generations by which a new entry is older than one that was found again (0 to 4)',
    },
    {
      letter: 'g',
      name: 'generationShare',
      description: 'part of all slots that the first generations stamp; later ones adjust themselves',
    },
    ...shapeResults,
  ],
  resolve(request) {
    const { shape, results, kernel } = resolveShape(request, () => MAX_SECOND_SHARE);
    const j = wholeParameter(request, 'j', { least: 0, most: MAX_ENTRY_AGE }, () => 0);
    const g = rateParameter(request, 'g', FIRST_GENERATION_SHARE);
    return {
      values: { ...shape, j, g, ...results },
      kernel: [...kernel, [POCKET_GENERATION_SHARE_PARAMETER, g], [POCKET_ENTRY_AGE_PARAMETER, j]],
      cellsBytes: pocketsBytes(request.memoryBytes),
    };
  },
};
