// The border of the kernel, besides the families and streams: what the host may call, and the numbers that both sides know.

export * from './compact';
export * from './lib/classes';
export {
  FINGERPRINT_IDENTITY,
  FINGERPRINT_RABIN,
  FINGERPRINT_SIPHASH,
  FINGERPRINT_XXH64,
  fingerprintInteger,
  fingerprintKey,
  KEY_PLACES,
} from './lib/fingerprint';
export { LINE_BYTES } from './lib/lines';
export {
  BATCH_CAPACITY,
  CELLS_BYTES_PARAMETER,
  CELLS_OFFSET_PARAMETER,
  DUPLICATES_SLOT,
  DYNAMIC_OFFSET,
  FAMILY_PARAMETER,
  FAMILY_SLOT,
  FINGERPRINTS_OFFSET,
  KEYED_PARAMETER,
  LAYOUT_BLOCKED,
  LAYOUT_CLASSIC,
  LAYOUT_PARAMETER,
  OBSERVED_SLOT,
  PARAMETER_SLOTS,
  PARAMETERS_OFFSET,
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
export {
  STREAM_BY_GAP_PARAMETER,
  STREAM_HASHED_PARAMETER,
  STREAM_KIND_PARAMETER,
  STREAM_TRUTH_PARAMETER,
} from './lib/stream';
export * from './scan';
export * from './snapshot';
export * from './touch';
export * from './witness';
