// The witness of a detector: its memory, its window and its stats (docs/WITNESS.md). The kernel's part, assembly/witness.ts, follows
// the elements of the slice and keeps the sums, from which witnessrates.ts estimates the rates.

import { checkBytes } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import {
  WATCH_ENTRY_WEIGHT,
  WATCH_WEIGHT,
  WINDOW_ADDS,
  WINDOW_ELEMENTS,
  WINDOW_NONE,
  WINDOW_TIME,
  WITNESS_DISTINCT_SUM,
  WITNESS_FALSE_POSITIVES_SUM,
  WITNESS_FORM_OFFSET,
  WITNESS_GAP_SUMS,
  WITNESS_GAPS,
  WITNESS_GROUP_SUMS,
  WITNESS_GROUPS,
  WITNESS_HALVED_DISTINCT_OFFSET,
  WITNESS_HALVED_FALSE_POSITIVES_OFFSET,
  WITNESS_HELD_OFFSET,
  WITNESS_LEVEL_OFFSET,
  WITNESS_SUMS_OFFSET,
  WITNESS_WATCH_COUNT_OFFSET,
  WITNESS_WATCH_FOUND_OFFSET,
  WITNESS_WATCHED_SUMS_OFFSET,
  WITNESS_WINDOW_FORM,
} from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { DEFAULT_WITNESS_BYTES } from '../options/detector.js';
import type { ResolvedParameters } from './contract.js';
import type { RateEstimate } from './intervals.js';
import {
  type Evidence,
  falseNegativeRate,
  falsePositiveRate,
  type GapSums,
  type GroupSums,
  gapRate,
  type KnownTotals,
  lateRate,
  type WatchCounts,
} from './witnessrates.js';

/** The sums take 25,472 bytes. The rest must have room for some hundreds of elements. */
export const MIN_WITNESS_BYTES = 2 ** 15;
const WORD_BYTES = 8;

/** False negatives among the duplicates in a range of gaps. */
export interface GapEstimate extends RateEstimate {
  /** The shortest gap of the range. */
  gapFromElements: number;
  /** The longest gap of the range. */
  gapToElements: number;
  /** Estimated number of duplicates in the stream with such gaps. */
  duplicates: number;
  /** Estimated number of those duplicates that were missed. */
  falseNegatives: number;
}

/** The witness's estimates of the error rates of the stream so far. */
export interface WitnessStats {
  /** Share of all elements that the witness follows now. At 1 the rates are exact. */
  fraction: number;
  /** Number of elements that it follows. */
  elements: number;
  /** False positives as a share of the new elements. */
  falsePositiveRate: RateEstimate;
  /** The rate among the repeats; with a window, without those that were reported distinct after it. */
  falseNegativeRate: RateEstimate;
  /**
   * Repeats that were reported duplicate after the window, as a share of all elements. A detector that forgets exactly passes them. Undefined
   * without a window.
   */
  lateDuplicateRate?: RateEstimate;
  /** Estimated number of elements that were new. */
  newElements: number;
  /** Estimated number of repeats; with a window, without those that were reported distinct after it. */
  repeats: number;
  /** Rates of false negatives by gap, for gaps that occurred. */
  byGap: GapEstimate[];
  /** Bytes of the witness. */
  memoryBytes: number;
}

/** Bytes of the witness in whole words, as snapshots store it; 0 without one. @throws FirstseenError E_PARAMETER or E_MEMORY. */
export function resolveWitnessBytes(witness: boolean | { memory: number | string }): number {
  if (typeof witness === 'boolean') return witness ? DEFAULT_WITNESS_BYTES : 0;
  if (typeof witness !== 'object') {
    throw invalidOption({ option: 'witness', given: witness, expected: 'true, false or { memory }' });
  }
  return Math.floor(checkBytes('witness.memory', witness.memory, MIN_WITNESS_BYTES) / WORD_BYTES) * WORD_BYTES;
}

/** The window by which the witness judges repeats, as the kernel takes it: up to the age at which they are found for certain. */
export function witnessWindow({ band, values, countsAdds = false }: ResolvedParameters): {
  unit: number;
  size: number;
  refreshes: boolean;
} {
  const refreshes = values.refresh === 'yes';
  if (band === undefined) return { unit: WINDOW_NONE, size: 0, refreshes };
  if ('fromMilliseconds' in band) return { unit: WINDOW_TIME, size: band.fromMilliseconds, refreshes };
  return { unit: countsAdds ? WINDOW_ADDS : WINDOW_ELEMENTS, size: band.fromElements, refreshes };
}

type FalsePositiveSums = Pick<GroupSums, 'distinct' | 'falsePositives'>;

/** The repeats of a group, over all gaps. */
type GroupTotals = Pick<GroupSums, 'duplicates' | 'falseNegatives'>;

interface Repeats {
  groups: readonly GroupTotals[];
  /** The gaps that any repeat had. Short runs have few. */
  gaps: ReadonlySet<number>;
}

/** The number of sums in all groups. */
const ALL_SUMS = WITNESS_GROUPS * WITNESS_GROUP_SUMS;

/** The sums of the kernel's witness. */
class Sums {
  readonly #words: BigUint64Array;
  readonly #view: DataView;
  /** The sums of all groups, as numbers. */
  readonly #sums = new Float64Array(ALL_SUMS);

  constructor({ bytes, witnessOffset, witnessBytes }: Kernel) {
    this.#words = new BigUint64Array(bytes.buffer, witnessOffset, witnessBytes / WORD_BYTES);
    this.#view = new DataView(bytes.buffer, witnessOffset);
    // A short run has few sums that are not 0. A number is made of its halves much faster than of a BigInt.
    const halves = new Uint32Array(bytes.buffer, witnessOffset + WITNESS_SUMS_OFFSET, 2 * ALL_SUMS);
    for (let i = 0; i < ALL_SUMS; i++) {
      const low = halves[2 * i] as number;
      const high = halves[2 * i + 1] as number;
      if (low !== 0 || high !== 0) this.#sums[i] = low + high * 2 ** 32;
    }
  }

  #word(offset: number): number {
    return this.#view.getUint32(offset, true) + this.#view.getUint32(offset + 4, true) * 2 ** 32;
  }

  #sum(group: number, index: number): number {
    return this.#sums[group * WITNESS_GROUP_SUMS + index] as number;
  }

  get #form(): bigint {
    return this.#words[WITNESS_FORM_OFFSET / WORD_BYTES] as bigint;
  }

  get level(): number {
    return this.#word(WITNESS_LEVEL_OFFSET);
  }

  /** The share of the space of hashes that the witness follows now. */
  get fraction(): number {
    return 2 ** -this.level;
  }

  get held(): number {
    return this.#word(WITNESS_HELD_OFFSET);
  }

  get hasWindow(): boolean {
    return this.#form === WITNESS_WINDOW_FORM;
  }

  late(group: number): number {
    return this.#word(WITNESS_WATCHED_SUMS_OFFSET + group * WORD_BYTES);
  }

  get watch(): WatchCounts {
    return {
      // With a window, no element is watched.
      misses: this.hasWindow ? 0 : this.#word(WITNESS_WATCH_COUNT_OFFSET),
      found: this.hasWindow ? 0 : this.#word(WITNESS_WATCH_FOUND_OFFSET),
      missWeight: WATCH_WEIGHT,
      entryWeight: WATCH_ENTRY_WEIGHT,
    };
  }

  ofGap(group: number, gap: number): GapSums {
    const pair = WITNESS_GAP_SUMS + 2 * gap;
    return { duplicates: this.#sum(group, pair), falseNegatives: this.#sum(group, pair + 1) };
  }

  /** The repeats of all groups, in one pass over the gaps of each. */
  repeats(): Repeats {
    const groups: GroupTotals[] = [];
    const gaps = new Set<number>();
    for (let group = 0; group < WITNESS_GROUPS; group++) {
      const totals = { duplicates: 0, falseNegatives: 0 };
      const first = group * WITNESS_GROUP_SUMS + WITNESS_GAP_SUMS;
      for (let gap = 0; gap < WITNESS_GAPS; gap++) {
        const duplicates = this.#sums[first + 2 * gap] as number;
        if (duplicates !== 0) gaps.add(gap);
        totals.duplicates += duplicates;
        totals.falseNegatives += this.#sums[first + 2 * gap + 1] as number;
      }
      groups.push(totals);
    }
    return { groups, gaps };
  }

  falsePositivesOfGroup(group: number): FalsePositiveSums {
    return {
      distinct: this.#sum(group, WITNESS_DISTINCT_SUM),
      falsePositives: this.#sum(group, WITNESS_FALSE_POSITIVES_SUM),
    };
  }

  ofGroup(group: number, { groups }: Repeats): GroupSums {
    return {
      ...this.falsePositivesOfGroup(group),
      ...(groups[group] as GroupTotals),
      watched: this.hasWindow ? 0 : this.#word(WITNESS_WATCHED_SUMS_OFFSET + group * WORD_BYTES),
    };
  }

  /**
   * The variance of a sum of elements that count once. An observation with the weight w adds w (w - 1). With weights of 1 to
   * 2^level, that is 2^level - 1 times the sum, less what the weights were smaller at each halving.
   */
  varianceOf(total: number, halvedOffset: number): number {
    return Math.max(0, (2 ** this.level - 1) * total - this.#view.getFloat64(halvedOffset, true));
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function byGroup<T>(ofGroup: (group: number) => T): T[] {
  return Array.from({ length: WITNESS_GROUPS }, (_, group) => ofGroup(group));
}

/**
 * The sums from which the rate of false positives follows, each observation with its weight, and the share of the elements that is
 * followed.
 * @internal
 */
export function falsePositiveSums(kernel: Kernel): FalsePositiveSums & { fraction: number } {
  const sums = new Sums(kernel);
  return { ...addFalsePositives(sums), fraction: sums.fraction };
}

function addFalsePositives(sums: Sums): FalsePositiveSums {
  const groups = byGroup((group) => sums.falsePositivesOfGroup(group));
  return {
    distinct: sum(groups.map((group) => group.distinct)),
    falsePositives: sum(groups.map((group) => group.falsePositives)),
  };
}

function byGap(sums: Sums, { gaps }: Repeats): GapEstimate[] {
  const rows: GapEstimate[] = [];
  for (let gap = 0; gap < WITNESS_GAPS; gap++) {
    if (!gaps.has(gap)) continue;
    const groups = byGroup((group) => sums.ofGap(group, gap));
    const duplicates = sum(groups.map((group) => group.duplicates));
    const falseNegatives = sum(groups.map((group) => group.falseNegatives));
    rows.push({
      gapFromElements: 2 ** gap,
      gapToElements: 2 ** (gap + 1) - 1,
      duplicates,
      falseNegatives,
      ...gapRate(groups, sums.fraction),
    });
  }
  return rows;
}

function evidenceOf(sums: Sums, repeats: Repeats): Evidence {
  const { distinct, falsePositives } = addFalsePositives(sums);
  const { fraction, watch, hasWindow } = sums;
  return {
    fraction,
    groups: byGroup((group) => sums.ofGroup(group, repeats)),
    distinctVariance: sums.varianceOf(distinct, WITNESS_HALVED_DISTINCT_OFFSET),
    falsePositivesVariance: sums.varianceOf(falsePositives, WITNESS_HALVED_FALSE_POSITIVES_OFFSET),
    watch,
    hasWindow,
  };
}

/**
 * Returns the number of repeats: all elements that were not new, or with a window those among the elements that are
 * followed.
 */
function repeatsOf({ hasWindow }: Sums, { groups }: Repeats, newElements: number, observed: number): number {
  return hasWindow ? sum(groups.map(({ duplicates }) => duplicates)) : Math.max(0, observed - newElements);
}

/**
 * The stats of a kernel's witness, given the totals of its detector.
 * @internal
 */
export function witnessStats(kernel: Kernel, totals: KnownTotals): WitnessStats {
  const sums = new Sums(kernel);
  const repeats = sums.repeats();
  const evidence = evidenceOf(sums, repeats);
  const newElements = sum(evidence.groups.map(({ distinct }) => distinct));
  return {
    fraction: sums.fraction,
    elements: sums.held,
    falsePositiveRate: falsePositiveRate(evidence),
    falseNegativeRate: falseNegativeRate(evidence, totals),
    ...(sums.hasWindow
      ? {
          lateDuplicateRate: lateRate(
            byGroup((group) => sums.late(group)),
            sums.fraction,
            totals,
          ),
        }
      : {}),
    newElements,
    repeats: repeatsOf(sums, repeats, newElements, totals.observed),
    byGap: byGap(sums, repeats),
    memoryBytes: kernel.witnessBytes,
  };
}
