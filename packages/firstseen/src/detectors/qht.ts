import { FirstseenError } from '../errors.js';
import {
  LINE_BYTES,
  QHT_BUCKETS_PARAMETER,
  QHT_EVICTION_PARAMETER,
  QHT_FIFO,
  QHT_LRU,
  QHT_RANDOM,
  QHT_SLOT_BITS_PARAMETER,
  QHT_SLOTS_PARAMETER,
} from '../kernel/abi.js';
import { type Family, type ParameterRequest, wholeParameter, wordParameter } from './contract.js';

/** The kernel's numbers are the places in this list. */
const evictions = ['lru', 'fifo', 'random'] as const;
const evictionNumbers = { lru: QHT_LRU, fifo: QHT_FIFO, random: QHT_RANDOM } as const;

/** Target rate when none is given. */
const DEFAULT_FPR = 1e-6;
const MOST_SLOT_BITS = 32;
/** A slot of the blocked layout has at least one whole byte. */
const LEAST_BLOCKED_BITS = 8;
const LEAST_CLASSIC_BITS = 2;
/** Slots that a bucket of the classic layout may have. */
const classicSlots = [1, 2, 4, 8, 16] as const;
const DEFAULT_CLASSIC_SLOTS = 16;

/** Rate of false positives when all k slots of a bucket are in use: each holds any of 2^s - 1 values. */
export function saturatedRate(s: number, k: number): number {
  return -Math.expm1(k * Math.log1p(-1 / (2 ** s - 1)));
}

/** Slots of s bits, 8 or more, that a line holds when the whole bytes and each bit that is left lie as planes. */
export function slotsOfLine(s: number): number {
  const bytes = Math.floor(s / 8);
  const bits = s % 8;
  let slots = Math.floor((LINE_BYTES * 8) / s);
  while (bytes * slots + bits * Math.ceil(slots / 8) > LINE_BYTES) slots--;
  return slots;
}

interface Widths {
  least: number;
  /** k of a width. */
  slotsOf: (s: number) => number;
}

/** The smallest s that meets the target, then the widest of those with as many slots, as those bits cost nothing. */
function bitsForRate(fpr: number, { least, slotsOf }: Widths): number {
  let s = least;
  while (s <= MOST_SLOT_BITS && saturatedRate(s, slotsOf(s)) > fpr) s++;
  if (s > MOST_SLOT_BITS) {
    const best = saturatedRate(MOST_SLOT_BITS, slotsOf(MOST_SLOT_BITS));
    throw new FirstseenError(
      'E_PARAMETER',
      `fpr is ${fpr}, but buckets of ${slotsOf(MOST_SLOT_BITS)} slots of ${MOST_SLOT_BITS} bits bound it by ${best.toPrecision(2)} at best; ` +
        'give a higher rate, or take an exact set',
    );
  }
  return s;
}

function widenedForNothing(s: number): number {
  return s < MOST_SLOT_BITS && slotsOfLine(s + 1) === slotsOfLine(s) ? widenedForNothing(s + 1) : s;
}

function resolveBlocked(request: ParameterRequest): { s: number; k: number } {
  const widths = { least: LEAST_BLOCKED_BITS, slotsOf: slotsOfLine };
  const s = wholeParameter(request, 's', { least: widths.least, most: MOST_SLOT_BITS }, () =>
    widenedForNothing(bitsForRate(request.fpr ?? DEFAULT_FPR, widths)),
  );
  const k = slotsOfLine(s);
  if (request.given.k !== undefined && request.given.k !== k) {
    throw new FirstseenError(
      'E_PARAMETER',
      `parameter k is ${request.given.k}, but must be ${k}, which a line holds of slots of ${s} bits; leave it out, or take layout classic`,
    );
  }
  return { s, k };
}

function resolveClassic(request: ParameterRequest): { s: number; k: number } {
  const k = request.given.k ?? DEFAULT_CLASSIC_SLOTS;
  if (typeof k !== 'number' || !classicSlots.some((choice) => choice === k)) {
    throw new FirstseenError(
      'E_PARAMETER',
      `parameter k is ${k}, but must be one of ${classicSlots.join(', ')} in layout classic`,
    );
  }
  const widths = { least: LEAST_CLASSIC_BITS, slotsOf: () => k };
  const s = wholeParameter(request, 's', { least: widths.least, most: MOST_SLOT_BITS }, () =>
    bitsForRate(request.fpr ?? DEFAULT_FPR, widths),
  );
  return { s, k };
}

/** N. */
function bucketCount({ memoryBytes, layout }: ParameterRequest, bucketBits: number): number {
  return layout === 'blocked'
    ? Math.floor(memoryBytes / LINE_BYTES)
    : Math.floor((Math.floor(memoryBytes / 8) * 64) / bucketBits);
}

export const qht: Family = {
  name: 'qht',
  id: 12,
  title: 'Quotient Hash Table',
  source: 'geraud-2019; eviction lru is ours',
  rule: 'An element is a fingerprint of s bits in one of the k slots of its bucket, a hit if a slot holds it; with eviction `lru` a hit becomes the newest of its bucket and a miss pushes out the oldest, with `fifo` every element is entered and pushes out the oldest, with `random` a miss takes an empty slot or else any.',
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  falsePositives: {
    kind: 'bounded',
    bound: '1 - (1 - 1 / (2^s - 1))^k, about k / (2^s - 1), at every moment',
    source: 'k slots, each equal to a new fingerprint with probability 1 / (2^s - 1)',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'a bucket of k slots forgets its oldest element when others need the room; grows with the elements between',
  },
  parameters: [
    {
      letter: 's',
      name: 'slotBits',
      description: 'bits of a slot (8 to 32, or 2 to 32 in classic); by the target rate, 0.000001 when none is given',
    },
    {
      letter: 'k',
      name: 'slotCount',
      description: 'slots of a bucket: 1, 2, 4, 8 or 16 in classic; as many as a line holds in blocked',
    },
    { letter: 'eviction', name: 'eviction', description: 'what a full bucket forgets', words: evictions },
    { letter: 'N', name: 'bucketCount', description: 'buckets', derived: true },
    { letter: 'FPR', name: 'saturatedRate', description: 'the bound on the rate of false positives', derived: true },
  ],
  resolve(request) {
    const { s, k } = request.layout === 'blocked' ? resolveBlocked(request) : resolveClassic(request);
    const eviction = wordParameter(request, 'eviction', evictions);
    const N = bucketCount(request, k * s);
    return {
      values: { s, k, eviction, N, FPR: saturatedRate(s, k) },
      kernel: [
        [QHT_SLOT_BITS_PARAMETER, s],
        [QHT_SLOTS_PARAMETER, k],
        [QHT_BUCKETS_PARAMETER, N],
        [QHT_EVICTION_PARAMETER, evictionNumbers[eviction]],
      ],
    };
  },
};
