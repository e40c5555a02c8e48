// The sums of the witness: each observation with the weight that it had. The estimates and their uncertainty follow from
// these alone (docs/WITNESS.md).

/** Groups to which elements are assigned at random. The spread of their sums gives the uncertainty of the estimates. */
export const WITNESS_GROUPS: u32 = 32;
/**
 * Number of gap classes. Gaps from 2^b to 2^(b+1) - 1 share one pair of sums; the last pair also contains all longer
 * gaps.
 */
export const WITNESS_GAPS: u32 = 48;
/** Sums of a group: distinct elements and false positives, then duplicates and false negatives of each gap class. */
export const WITNESS_DISTINCT_SUM: u32 = 0;
export const WITNESS_FALSE_POSITIVES_SUM: u32 = 1;
export const WITNESS_GAP_SUMS: u32 = 2;
export const WITNESS_GROUP_SUMS: u32 = WITNESS_GAP_SUMS + 2 * WITNESS_GAPS;

/**
 * Layout of the region: level, elements held, form, the two sums over halvings, three words of zero; the sums of each
 * group; with a watch list, the misses that the record saw of watched elements, by group, the two counts of the list,
 * six words of zero, and the list; with a window, the late duplicates by group in place of all that; the record.
 */
export const WITNESS_LEVEL_OFFSET: u32 = 0;
export const WITNESS_HELD_OFFSET: u32 = 8;
export const WITNESS_FORM_OFFSET: u32 = 16;
/** Over all halvings, 2^level times the sum of distinct elements, and of false positives, at that moment: f64. */
export const WITNESS_HALVED_DISTINCT_OFFSET: u32 = 24;
export const WITNESS_HALVED_FALSE_POSITIVES_OFFSET: u32 = 32;
export const WITNESS_SUMS_OFFSET: u32 = 64;
export const WITNESS_WATCHED_SUMS_OFFSET: u32 = WITNESS_SUMS_OFFSET + WITNESS_GROUPS * WITNESS_GROUP_SUMS * 8;
/** Misses that the list counted, and elements that were found for the first time since they entered it. */
export const WITNESS_WATCH_COUNT_OFFSET: u32 = WITNESS_WATCHED_SUMS_OFFSET + WITNESS_GROUPS * 8;
export const WITNESS_WATCH_FOUND_OFFSET: u32 = WITNESS_WATCH_COUNT_OFFSET + 8;
export const WITNESS_WATCH_TABLE_OFFSET: u32 = WITNESS_WATCH_COUNT_OFFSET + 64;

let region: u32 = 0;

export function configureSums(offset: u32): void {
  region = offset;
}

function groupOf(hash: u64): u32 {
  return <u32>hash % WITNESS_GROUPS;
}

function add(sum: u32, weight: u64): void {
  store<u64>(sum, load<u64>(sum) + weight);
}

/** Counts an observation of an element, `gap` elements after its last occurrence unless it is new. */
export function addObserved(hash: u64, isNew: u64, gap: u64, weight: u64, isError: u64): void {
  const gapClass = min<u64>(63 - clz(gap), WITNESS_GAPS - 1);
  const pair = select<u32>(0, 1 + <u32>gapClass, <bool>isNew) << 4;
  const sums = region + WITNESS_SUMS_OFFSET + groupOf(hash) * (WITNESS_GROUP_SUMS * 8) + pair;
  add(sums, weight);
  add(sums + 8, weight * isError);
}

/** Counts a miss of a watched element, or in a window a repeat that was reported duplicate after the window. */
export function addOfGroup(hash: u64, weight: u64): void {
  add(region + WITNESS_WATCHED_SUMS_OFFSET + groupOf(hash) * 8, weight);
}

/** Adds 2^level times a sum over all groups to a sum over halvings. */
function addHalved(offset: u32, sum: u32, level: u32): void {
  let total: u64 = 0;
  for (let group: u32 = 0; group < WITNESS_GROUPS; group++) {
    total += load<u64>(region + WITNESS_SUMS_OFFSET + (group * WITNESS_GROUP_SUMS + sum) * 8);
  }
  const at = region + offset;
  store<f64>(at, load<f64>(at) + <f64>total * <f64>((<u64>1) << (<u64>level)));
}

/** Notes the sums at a halving from `level` to the next. The variance of each observation follows from these notes. */
export function noteHalving(level: u32): void {
  addHalved(WITNESS_HALVED_DISTINCT_OFFSET, WITNESS_DISTINCT_SUM, level);
  addHalved(WITNESS_HALVED_FALSE_POSITIVES_OFFSET, WITNESS_FALSE_POSITIVES_SUM, level);
}
