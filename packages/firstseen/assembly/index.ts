// The interface of the kernel, apart from the families and streams: what the host may call, and the numbers that both sides know.

export * from './detectorkernel';
export { WINDOW_ADDS, WINDOW_ELEMENTS, WINDOW_NONE, WINDOW_TIME } from './lib/ages';
export { TEXT_BOUNDARY } from './lib/boundary';
export { CACHE_LINE_BITS, CACHE_LINE_BYTES } from './lib/cachelines';
export * from './lib/classes';
export {
  BUFFER_CLOCK,
  BUFFER_ENTRIES_PARAMETER,
  BUFFER_KEY_BYTES_PARAMETER,
  BUFFER_LRU,
  BUFFER_MILESTONES_PARAMETER,
  BUFFER_REPLACEMENT_PARAMETER,
} from './lib/entries';
export { FILTER_COUNT_PARAMETER } from './lib/filters';
export {
  BYTES_KEY,
  COMPOSITE_LENGTH_BYTES,
  FINGERPRINT_IDENTITY,
  FINGERPRINT_RABIN,
  FINGERPRINT_SIPHASH,
  FINGERPRINT_XXH64,
  INTEGER_KEY,
  KEY_SPANS,
  TEXT_KEY,
} from './lib/fingerprint';
export {
  BATCH_CAPACITY,
  CELLS_BYTES_PARAMETER,
  CELLS_OFFSET_PARAMETER,
  DUPLICATES_REGISTER,
  DYNAMIC_OFFSET,
  FAMILY_PARAMETER,
  FAMILY_REGISTER,
  FINGERPRINTS_OFFSET,
  HOST_CLOCK_REGISTER,
  KEYED_PARAMETER,
  LAYOUT_BLOCKED,
  LAYOUT_CLASSIC,
  LAYOUT_PARAMETER,
  OBSERVED_REGISTER,
  PARAMETER_SLOTS,
  PARAMETERS_OFFSET,
  PARTITION_BITS_PARAMETER,
  PARTITION_PARAMETER,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
  REGISTER_COUNT,
  REGISTERS_BYTES,
  REGISTERS_OFFSET,
  SCAN_BYTES,
  SCAN_OFFSET,
  SECRET_BYTES,
  SECRET_OFFSET,
  SEED_HIGH_PARAMETER,
  SEED_LOW_PARAMETER,
  TIMES_OFFSET,
  VERDICTS_OFFSET,
  WORKSPACE_OFFSET,
} from './lib/memory';
export { MILESTONE_BYTES, MILESTONE_STRIDE } from './lib/milestones';
export {
  SIGNATURE_ADDRESS_PARAMETER,
  SIGNATURE_MIXED,
  SIGNATURE_PLAIN,
  SIGNATURE_REMAINDER_BITS_PARAMETER,
  SIGNATURE_SELECTED_BITS_PARAMETER,
  SIGNATURE_TAKEN_BITS_PARAMETER,
} from './lib/signatures';
export { MAX_BUNDLED_SLICES, MAX_SLICES } from './lib/slices';
export {
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
  WITNESS_WATCH_TABLE_OFFSET,
  WITNESS_WATCHED_SUMS_OFFSET,
} from './lib/sums';
export { WATCH_ENTRY_WEIGHT, WATCH_WEIGHT } from './lib/watch';
export * from './passages/items';
export * from './passages/passages';
export * from './passages/repeats';
export { rewriteBegin, rewriteBytes, rewriteEnd, rewriteString, rewriteWithout } from './passages/rewrite';
export {
  PASSAGE_SCORE_COUNT_FIELD,
  PASSAGE_SCORE_LENGTH_FIELD,
  PASSAGE_SCORE_TEXT_FIELD,
  PASSAGE_SCORES_BYTES,
} from './passages/scores';
export * from './passages/settle';
export * from './scan';
export * from './scan/compact';
export { jsonStrings } from './scan/jsonlists';
export * from './scan/values';
export { bestBegin, bestSettle } from './spill/best';
export { spillChoose, spillVerdicts, spillWindow } from './spill/bitmap';
export { spillBuffers, spillEmpty, spillFill, spillFullBuffer } from './spill/buffers';
export { RANKED_ENTRY_BYTES, SPILL_ENTRY_BYTES, SPILL_NUMBER_BITS } from './spill/entries';
export { MAX_RANK_EXTRA_BYTES, writeRank } from './spill/ranks';
export {
  SPILL_MAX_PARTITION_BITS,
  SPILL_RECENT_ENTRIES,
  spillBegin,
  spillMade,
  spillRanked,
  spillScatter,
} from './spill/scatter';
export { spillRoom, spillSettle, spillSettleBegin } from './spill/settle';
export { TALLY_PAIR_BYTES, tallyBegin, tallyMark, tallyScatter, tallySettle, tallySpread } from './spill/tally';
export * from './threads';
export * from './touch';
