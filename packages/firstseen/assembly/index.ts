// The border of the kernel, besides the families and streams: what the host may call, and the numbers that both sides know.

export * from './compact';
export { WINDOW_ADDS, WINDOW_ELEMENTS, WINDOW_NONE, WINDOW_TIME } from './lib/ages';
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
  COMPOSITE_LENGTH_BYTES,
  FINGERPRINT_IDENTITY,
  FINGERPRINT_RABIN,
  FINGERPRINT_SIPHASH,
  FINGERPRINT_XXH64,
  fingerprintInteger,
  fingerprintKey,
  KEY_SPANS,
} from './lib/fingerprint';
export { LINE_BITS, LINE_BYTES } from './lib/lines';
export {
  BATCH_CAPACITY,
  CELLS_BYTES_PARAMETER,
  CELLS_OFFSET_PARAMETER,
  DUPLICATES_SLOT,
  DYNAMIC_OFFSET,
  FAMILY_PARAMETER,
  FAMILY_SLOT,
  FINGERPRINTS_OFFSET,
  HOST_CLOCK_SLOT,
  KEYED_PARAMETER,
  LAYOUT_BLOCKED,
  LAYOUT_CLASSIC,
  LAYOUT_PARAMETER,
  OBSERVED_SLOT,
  PARAMETER_SLOTS,
  PARAMETERS_OFFSET,
  PARTITION_BITS_PARAMETER,
  PARTITION_PARAMETER,
  RECORD_CLASSES_OFFSET,
  RECORD_ENDS_OFFSET,
  RECORD_STARTS_OFFSET,
  SCAN_BYTES,
  SCAN_OFFSET,
  SECRET_BYTES,
  SECRET_OFFSET,
  SEED_HIGH_PARAMETER,
  SEED_LOW_PARAMETER,
  STATE_OFFSET,
  STATE_SLOTS,
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
export { MOST_BUNDLED_SLICES, MOST_SLICES } from './lib/slices';
export * from './partitions';
export * from './scan';
export * from './snapshot';
export * from './spill';
export * from './threads';
export * from './touch';
export * from './witness';
