// The map of the kernel's memory. Everything below DYNAMIC_OFFSET has a fixed address. The detector's cells and the
// input and output regions follow at addresses that the host chooses and passes in. The host takes these constants from
// the module's exports (tools/abi.mjs), so they are defined only here.
//
// The build for memory that threads share moves everything with a fixed address by `threadBase`, which the host chooses,
// so that each thread has its own. Other addresses are those of the memory.

declare const importedBase: u32;
/** 0 in the memory of one thread. */
export const threadBase: u32 = ASC_FEATURE_THREADS ? importedBase : 0;

/** The detector's parameters: one f64 per slot. */
export const PARAMETERS_OFFSET: u32 = threadBase + 0x4000;
export const PARAMETER_SLOTS: u32 = 64;

/** The registers: all that changes in a detector outside its cells. Each is a u64. Snapshots save them unchanged. */
export const REGISTERS_OFFSET: u32 = threadBase + 0x4200;
export const REGISTER_COUNT: u32 = 128;
export const REGISTERS_BYTES: u32 = REGISTER_COUNT << 3;

/** The key of a keyed detector. The host writes it before it configures the family. */
export const SECRET_OFFSET: u32 = threadBase + 0x4600;
export const SECRET_BYTES: u32 = 16;

/** Tables that a family builds when it is configured. */
export const FAMILY_TABLES_OFFSET: u32 = threadBase + 0x4800;
export const FAMILY_TABLES_BYTES: u32 = 0x3800;

/** Tables of the Rabin fingerprint. */
export const RABIN_TABLES_OFFSET: u32 = threadBase + 0x8000;

/** Maximum number of elements in one batch call. */
export const BATCH_CAPACITY: u32 = 16384;
/** The batch: one u64 per element. */
export const FINGERPRINTS_OFFSET: u32 = threadBase + 0x10000;
/** The answers to the batch: one byte per element, DISTINCT or DUPLICATE. */
export const VERDICTS_OFFSET: u32 = threadBase + 0x30000;
/** Framed records of a chunk: addresses of the first byte and one past the last byte, terminator included. */
export const RECORD_STARTS_OFFSET: u32 = threadBase + 0x40000;
export const RECORD_ENDS_OFFSET: u32 = threadBase + 0x50000;
/** The scanner's class of each record: one byte per record. */
export const RECORD_CLASSES_OFFSET: u32 = threadBase + 0x60000;
/** Space for the lists of the block of elements that is being processed. */
export const WORKSPACE_OFFSET: u32 = threadBase + 0x68000;
export const WORKSPACE_BYTES: u32 = 0x8000;
/** The scanner's settings: format and keys. */
export const SCAN_OFFSET: u32 = threadBase + 0x70000;
export const SCAN_BYTES: u32 = 0x10000;
/** The time of each element of the batch, if the host provides times: one f64 per element, milliseconds since 1970. */
export const TIMES_OFFSET: u32 = threadBase + 0x80000;
/** A batch grouped by owner (owned.ts): the fingerprints, the indexes in the batch in 16 bits, the starts of the groups. */
export const OWNED_OFFSET: u32 = threadBase + 0xa0000;
export const OWNED_INDEXES_OFFSET: u32 = threadBase + 0xc0000;
export const OWNED_STARTS_OFFSET: u32 = threadBase + 0xc8000;
/** The owner of each element of a batch: one byte per element. */
export const OWNERS_OFFSET: u32 = threadBase + 0xc9000;
/** The registers of the whole detector, while one of its partitions is the detector (partitions.ts). */
export const TOTALS_OFFSET: u32 = threadBase + 0xcd000;
/** One past the last record of the batch that another follows on its line; 0 if there is none. */
export const JOINED_END_OFFSET: u32 = threadBase + 0xce000;
/** 1 if a field was left out of any record since the kernel was made. */
export const HAS_CUT_OFFSET: u32 = threadBase + 0xce004;
/** The beginning of a page, so that the memory of a detector of whole pages ends with its last region. */
export const DYNAMIC_OFFSET: u32 = 0xd0000;

/** Registers that every family has. */
export const OBSERVED_REGISTER: u32 = 0;
export const DUPLICATES_REGISTER: u32 = 1;
/** In the totals of a detector of partitions: the time that its host set for all of them. */
export const HOST_CLOCK_REGISTER: u32 = 2;
/** The first register of the family's own. */
export const FAMILY_REGISTER: u32 = 8;

/** Parameter slots that every family has. */
export const CELLS_OFFSET_PARAMETER: u32 = 0;
export const CELLS_BYTES_PARAMETER: u32 = 1;
export const LAYOUT_PARAMETER: u32 = 2;
export const SEED_LOW_PARAMETER: u32 = 3;
export const SEED_HIGH_PARAMETER: u32 = 4;
/** 1 if there is a secret, else 0. */
export const KEYED_PARAMETER: u32 = 5;
/** log2 of the number of partitions (partitions.ts), and the partition that the cells are of. */
export const PARTITION_BITS_PARAMETER: u32 = 6;
export const PARTITION_PARAMETER: u32 = 7;
/** The first parameter slot of the family's own. */
export const FAMILY_PARAMETER: u32 = 8;

/** Values of the layout parameter. */
export const LAYOUT_CLASSIC: u32 = 0;
export const LAYOUT_BLOCKED: u32 = 1;

export function parameter(slot: u32): f64 {
  return load<f64>(PARAMETERS_OFFSET + (slot << 3));
}

export function setParameter(slot: u32, value: f64): void {
  store<f64>(PARAMETERS_OFFSET + (slot << 3), value);
}

export function cellsOffset(): u32 {
  return <u32>parameter(CELLS_OFFSET_PARAMETER);
}

export function cellsBytes(): u32 {
  return <u32>parameter(CELLS_BYTES_PARAMETER);
}

export function isBlocked(): bool {
  return parameter(LAYOUT_PARAMETER) == <f64>LAYOUT_BLOCKED;
}

export function seed(): u64 {
  return <u64>parameter(SEED_LOW_PARAMETER) | ((<u64>parameter(SEED_HIGH_PARAMETER)) << 32);
}

/** Tells if there is a secret at SECRET_OFFSET. */
export function isKeyed(): bool {
  return parameter(KEYED_PARAMETER) == 1.0;
}

/** A word of the secret: 0 for its first eight bytes, 1 for the other eight. */
export function secretWord(index: u32): u64 {
  return load<u64>(SECRET_OFFSET + (index << 3));
}

export function register(index: u32): u64 {
  return load<u64>(REGISTERS_OFFSET + (index << 3));
}

export function setRegister(index: u32, value: u64): void {
  store<u64>(REGISTERS_OFFSET + (index << 3), value);
}

/** The address of the fingerprint of element `i` of the batch. */
export function fingerprintAt(i: u32): u32 {
  return FINGERPRINTS_OFFSET + (i << 3);
}
