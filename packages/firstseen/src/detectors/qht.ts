import { invalidOption, optionName, phrase } from '../base/errors.js';
import {
  CACHE_LINE_BYTES,
  QHT_BUCKETS_PARAMETER,
  QHT_ENTRY_DEPTH_PARAMETER,
  QHT_EVICTION_PARAMETER,
  QHT_FIFO,
  QHT_FULL_SLOT_BITS,
  QHT_LRU,
  QHT_MAX_SLOT_BITS,
  QHT_MIN_CACHE_LINE_SLOT_BITS,
  QHT_RANDOM,
  QHT_SLOT_BITS_PARAMETER,
  QHT_SLOTS_PARAMETER,
} from '../kernel/abi.js';
import { DEFAULT_TARGET_FPR } from '../options/detector.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type ParameterRequest,
  parameterOption,
  wholeParameter,
  wordParameter,
} from './contract.js';

/** The kernel's number of an eviction is its index. */
const evictions = ['lru', 'fifo', 'random'] as const;
const evictionNumbers = { lru: QHT_LRU, fifo: QHT_FIFO, random: QHT_RANDOM } as const;

const MIN_CLASSIC_BITS = 2;
/** Possible numbers of slots of a bucket in the classic layout. */
const classicSlots = [1, 2, 4, 8, 16, 32, 64] as const;
const DEFAULT_CLASSIC_SLOTS = 16;

/** The rate of false positives when all k slots of a bucket are in use and each holds one of 2^s - 1 values. */
export function saturatedRate(s: number, k: number): number {
  return -Math.expm1(k * Math.log1p(-1 / (2 ** s - 1)));
}

/** Slots of s bits, s at least 8, that fit in a cache line of one plane of bytes per whole byte and one of bits per remaining bit. */
function slotsOfWholePlanes(s: number): number {
  const bytes = Math.floor(s / 8);
  const bits = s % 8;
  let slots = Math.floor((CACHE_LINE_BYTES * 8) / s);
  while (bytes * slots + bits * Math.ceil(slots / 8) > CACHE_LINE_BYTES) slots--;
  return slots;
}

/** Slots of s bits, s at least 8, that fit in a cache line. The bit planes have whole bytes, except with one width. */
export function slotsOfCacheLine(s: number): number {
  return s === QHT_FULL_SLOT_BITS ? Math.floor((CACHE_LINE_BYTES * 8) / s) : slotsOfWholePlanes(s);
}

/**
 * The rate of full buckets. The values of a bucket differ, so that k of them match more often than k independent ones would: at 5 %,
 * by a fortieth.
 */
export function fullRate(s: number, k: number): number {
  return k / (2 ** s - 1);
}

interface Widths {
  least: number;
  /** k for a width. */
  slotsOf: (s: number) => number;
}

/** The smallest s that meets the target. @throws FirstseenError E_PARAMETER when none does. */
function bitsForRate(fpr: number, { least, slotsOf }: Widths): number {
  let s = least;
  while (s <= QHT_MAX_SLOT_BITS && fullRate(s, slotsOf(s)) > fpr) s++;
  if (s > QHT_MAX_SLOT_BITS) {
    const best = saturatedRate(QHT_MAX_SLOT_BITS, slotsOf(QHT_MAX_SLOT_BITS));
    const slots = `buckets of ${slotsOf(QHT_MAX_SLOT_BITS)} slots of ${QHT_MAX_SLOT_BITS} bits`;
    throw invalidOption({
      option: 'fpr',
      given: fpr,
      expected: `at least ${best.toPrecision(2)}, the bound for ${slots}`,
      remedy: phrase`give a higher rate, or choose ${optionName('algorithm')} exact`,
    });
  }
  return s;
}

/** The widest slots that do not lower the number in a cache line: the additional bits cost nothing. */
function widenedForFree(s: number): number {
  return s < QHT_MAX_SLOT_BITS && slotsOfCacheLine(s + 1) === slotsOfCacheLine(s) ? widenedForFree(s + 1) : s;
}

/** The width that meets the target, with as many slots as meet it. */
function cacheLineForRate(fpr: number): { s: number; k: number } {
  const widths = { least: QHT_MIN_CACHE_LINE_SLOT_BITS, slotsOf: slotsOfWholePlanes };
  const s = widenedForFree(bitsForRate(fpr, widths));
  const most = slotsOfCacheLine(s);
  return { s, k: fullRate(s, most) <= fpr ? most : slotsOfWholePlanes(s) };
}

function resolveBlocked(request: ParameterRequest): { s: number; k: number } {
  const { given: parameters, fpr = DEFAULT_TARGET_FPR } = request;
  if (parameters.s === undefined && parameters.k === undefined) return cacheLineForRate(fpr);
  const range = { least: QHT_MIN_CACHE_LINE_SLOT_BITS, most: QHT_MAX_SLOT_BITS };
  const s = wholeParameter(request, 's', range, () => cacheLineForRate(fpr).s);
  const choices = [...new Set([slotsOfCacheLine(s), slotsOfWholePlanes(s)])];
  const k = parameters.k ?? slotsOfCacheLine(s);
  if (typeof k === 'number' && choices.includes(k)) return { s, k };
  throw invalidOption({
    option: parameterOption(request, 'k'),
    given: k,
    expected: `${choices.join(' or ')}, the slots of ${s} bits that fit in a line`,
    remedy: phrase`leave it out, or choose ${optionName('layout')} classic`,
  });
}

function resolveClassic(request: ParameterRequest): { s: number; k: number } {
  const k = request.given.k ?? DEFAULT_CLASSIC_SLOTS;
  if (typeof k !== 'number' || !classicSlots.some((choice) => choice === k)) {
    const expected = phrase`one of ${classicSlots.join(', ')} in ${optionName('layout')} classic`;
    throw invalidOption({ option: parameterOption(request, 'k'), given: k, expected });
  }
  const widths = { least: MIN_CLASSIC_BITS, slotsOf: () => k };
  const s = wholeParameter(request, 's', { least: widths.least, most: QHT_MAX_SLOT_BITS }, () =>
    bitsForRate(request.fpr ?? DEFAULT_TARGET_FPR, widths),
  );
  return { s, k };
}

/** j. @throws FirstseenError E_PARAMETER unless it is a slot, and slot 0 with an eviction other than `lru`. */
function resolveEntryDepth(request: ParameterRequest, { k, eviction }: { k: number; eviction: string }): number {
  const j = wholeParameter(request, 'j', { least: 0, most: k - 1 }, () => 0);
  if (j === 0 || eviction === 'lru') return j;
  throw invalidOption({
    option: parameterOption(request, 'j'),
    given: j,
    expected: `0 with eviction ${eviction}`,
    remedy: 'leave it out, or choose eviction lru',
  });
}

/** Returns N, the number of buckets. */
function bucketCount({ memoryBytes, layout }: ParameterRequest, bucketBits: number): number {
  return layout === 'blocked'
    ? Math.floor(memoryBytes / CACHE_LINE_BYTES)
    : Math.floor((Math.floor(memoryBytes / 8) * 64) / bucketBits);
}

export const qhtDescription: FamilyDescription = {
  title: 'Quotient Hash Table',
  source: 'geraud-2019; eviction lru is ours',
  rule: 'An element is a fingerprint of s bits in one of the k slots of its bucket. It is a hit if a slot holds it. With eviction `lru` a hit becomes the newest of its bucket and a miss enters at depth j in place of the oldest; with `fifo` every element enters and replaces the oldest; with `random` a miss takes an empty slot or else a random one.',
  falsePositives: {
    kind: 'bounded',
    bound: '1 - (1 - 1 / (2^s - 1))^k, about k / (2^s - 1), at every moment',
    source: 'k slots, each equal to a new fingerprint with probability 1 / (2^s - 1)',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'a bucket of k slots forgets its oldest element when another needs its slot, so the rate grows with the elements between',
  },
};

export const qht: DetectorFamily = {
  name: 'qht',
  id: 12,
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  parameters: [
    {
      letter: 's',
      name: 'slotBits',
      description: 'bits of a slot (8 to 32, or 2 to 32 in classic); by default from the target rate, or from 0.000001',
    },
    {
      letter: 'k',
      name: 'slotCount',
      description:
        'slots of a bucket: 1, 2, 4, 8, 16, 32 or 64 in classic; in blocked, as many as fit in a line (42 of 12 bits, or 40 where 42 do not meet the target rate)',
    },
    { letter: 'eviction', name: 'eviction', description: 'which slot of a full bucket is replaced', words: evictions },
    {
      letter: 'j',
      name: 'entryDepth',
      description:
        'with eviction lru, the newer slots of a full bucket that a new element leaves to those that were found again (0 to k - 1); absent if 0',
      optional: true,
    },
    { letter: 'N', name: 'bucketCount', description: 'buckets', derived: true },
    { letter: 'FPR', name: 'saturatedRate', description: 'the bound on the rate of false positives', derived: true },
  ],
  resolve(request) {
    const { s, k } = request.layout === 'blocked' ? resolveBlocked(request) : resolveClassic(request);
    const eviction = wordParameter(request, 'eviction', evictions);
    const j = resolveEntryDepth(request, { k, eviction });
    const N = bucketCount(request, k * s);
    return {
      // Most detectors have no entry depth, so their snapshots name none.
      values: { s, k, eviction, ...(j > 0 ? { j } : {}), N, FPR: saturatedRate(s, k) },
      kernel: [
        [QHT_SLOT_BITS_PARAMETER, s],
        [QHT_SLOTS_PARAMETER, k],
        [QHT_BUCKETS_PARAMETER, N],
        [QHT_EVICTION_PARAMETER, evictionNumbers[eviction]],
        [QHT_ENTRY_DEPTH_PARAMETER, j],
      ],
    };
  },
};
