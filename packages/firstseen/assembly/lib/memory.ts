// The map of the kernel's memory. Everything below DYNAMIC_OFFSET has a fixed
// place; a detector's cells and the regions for input and output follow it, at
// offsets the host passes in. The host takes these constants from the module's
// exports (tools/abi.mjs), so no other file states them.

/** Parameters of the detector: one f64 a slot. */
export const PARAMETERS_OFFSET: u32 = 0x4000;
export const PARAMETER_SLOTS: u32 = 64;

/** All mutable state of a detector outside its cells: one u64 a slot. Saved as it is. */
export const STATE_OFFSET: u32 = 0x4200;
export const STATE_SLOTS: u32 = 128;

/** The key of a keyed detector; the host writes it before it configures the family. */
export const SECRET_OFFSET: u32 = 0x4600;
export const SECRET_BYTES: u32 = 16;

/** Tables that a family makes when it is configured. */
export const FAMILY_TABLES_OFFSET: u32 = 0x4800;
export const FAMILY_TABLES_BYTES: u32 = 0x3800;

/** Tables of the Rabin fingerprint. */
export const RABIN_TABLES_OFFSET: u32 = 0x8000;

/** Elements that one batch call takes at most. */
export const BATCH_CAPACITY: u32 = 16384;
/** A batch: one u64 an element. */
export const FINGERPRINTS_OFFSET: u32 = 0x10000;
/** Its answers: one byte an element, DISTINCT or DUPLICATE. */
export const VERDICTS_OFFSET: u32 = 0x30000;
/** Framed records of a chunk: first byte and one past the last byte, terminator included. */
export const RECORD_STARTS_OFFSET: u32 = 0x40000;
export const RECORD_ENDS_OFFSET: u32 = 0x50000;
/** What the scanner found of each record: one byte a record. */
export const RECORD_CLASSES_OFFSET: u32 = 0x60000;
/** Room for the lists of a block of elements while it is handled. */
export const WORKSPACE_OFFSET: u32 = 0x68000;
export const WORKSPACE_BYTES: u32 = 0x8000;
/** What the scanner was told of the keys to extract. */
export const SCAN_OFFSET: u32 = 0x70000;
export const SCAN_BYTES: u32 = 0x10000;
/** When each element of a batch came, if the host tells: one f64 of milliseconds since 1970 an element. */
export const TIMES_OFFSET: u32 = 0x80000;
export const DYNAMIC_OFFSET: u32 = 0xa0000;

/** Slots of the state that every family shares. */
export const OBSERVED_SLOT: u32 = 0;
export const DUPLICATES_SLOT: u32 = 1;
/** The first slot that belongs to the family alone. */
export const FAMILY_SLOT: u32 = 8;

/** Slots of the parameters that every family shares. */
export const CELLS_OFFSET_PARAMETER: u32 = 0;
export const CELLS_BYTES_PARAMETER: u32 = 1;
export const LAYOUT_PARAMETER: u32 = 2;
export const SEED_LOW_PARAMETER: u32 = 3;
export const SEED_HIGH_PARAMETER: u32 = 4;
/** 1 if there is a secret, or else 0. */
export const KEYED_PARAMETER: u32 = 5;
/** The first slot of the parameters that belongs to the family alone. */
export const FAMILY_PARAMETER: u32 = 8;

/** The parameter of the layout. */
export const LAYOUT_CLASSIC: u32 = 0;
export const LAYOUT_BLOCKED: u32 = 1;

export function parameter(slot: u32): f64 {
  return load<f64>(PARAMETERS_OFFSET + (slot << 3));
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

/** Whether a secret stands at SECRET_OFFSET. */
export function isKeyed(): bool {
  return parameter(KEYED_PARAMETER) == 1.0;
}

/** The secret's words: 0 the first eight bytes, 1 the rest. */
export function secretWord(index: u32): u64 {
  return load<u64>(SECRET_OFFSET + (index << 3));
}

export function state(slot: u32): u64 {
  return load<u64>(STATE_OFFSET + (slot << 3));
}

export function setState(slot: u32, value: u64): void {
  store<u64>(STATE_OFFSET + (slot << 3), value);
}

/** The address of element `i` of the batch. */
export function fingerprintAt(i: u32): u32 {
  return FINGERPRINTS_OFFSET + (i << 3);
}
