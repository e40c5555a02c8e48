// Settings of range motifs (narang-2011, section 4), and the addresses of tables and lists. Several instances of the
// kernel can share a memory and the tables: each has its own globals and workspace.

import { cellsOffset, FAMILY_PARAMETER, parameter } from '../../lib/memory';

/**
 * Records that are counted against the same contents of the arrays. Their effects on each other are then added exactly.
 */
export const MOTIFS_BLOCK: u32 = 128;
/** The answer for a record without a set. */
export const MOTIFS_NO_SET: u32 = 255;
/** Records whose addresses are computed together: one bit of each fills a word. */
export const MOTIFS_GROUP: u32 = 64;

/**
 * The rules by which a new set opens: below the threshold; below it if several sets tie; below it if an earlier record
 * agrees.
 */
export const MOTIFS_OPENING_THRESHOLD: u32 = 0;
export const MOTIFS_OPENING_TIED: u32 = 1;
export const MOTIFS_OPENING_CONFIRMED: u32 = 2;

/** The planes of one hash: 32 words of 64 bits, arranged as a square of 16 rows of 16 bytes. */
export const PLANES_BYTES: u32 = 256;
const SPREAD_BYTES: u32 = 256 * 8;
const COLUMN_BYTES: u32 = 16 * 64;
const SQUARE_BYTES: u32 = 256;
export const SLOT_BYTES: u32 = 8;
/** Slots of the table that finds equal addresses of a block; a power of two. */
export const SHARED_SLOTS: u32 = 4 * MOTIFS_BLOCK;

export let recordBytes: u32 = 0;
/** The paper's k. */
export let hashes: u32 = 0;
/** The paper's l'. */
export let addressBits: u32 = 0;
/** The paper's r. */
export let sets: u32 = 0;
/** The paper's t. */
export let threshold: u32 = 0;
export let opening: u32 = 0;
/** Binary logarithm of the number of bits of an entry, 1 to 4. */
export let entryBitsLog: u32 = 0;
/** Bytes from one array to the next. */
export let arrayBytes: u32 = 0;

export let spreadTable: u32 = 0;
export let slotTable: u32 = 0;
export let planes: u32 = 0;
export let column: u32 = 0;
export let square: u32 = 0;
/**
 * By hash of an address: 1 + the last record of the block with this address; in the upper half, the link that points to
 * it.
 */
export let sharedTable: u32 = 0;
/** For each record of the block, the bits that it sets; two bytes per record. */
export let blockBits: u32 = 0;

/** Slots of the parameters. */
export const MOTIFS_RECORD_BYTES_PARAMETER: u32 = FAMILY_PARAMETER;
export const MOTIFS_HASHES_PARAMETER: u32 = FAMILY_PARAMETER + 1;
export const MOTIFS_ADDRESS_BITS_PARAMETER: u32 = FAMILY_PARAMETER + 2;
export const MOTIFS_SETS_PARAMETER: u32 = FAMILY_PARAMETER + 3;
export const MOTIFS_THRESHOLD_PARAMETER: u32 = FAMILY_PARAMETER + 4;
export const MOTIFS_OPENING_PARAMETER: u32 = FAMILY_PARAMETER + 5;
export const MOTIFS_ENTRY_BITS_LOG_PARAMETER: u32 = FAMILY_PARAMETER + 6;
export const MOTIFS_ARRAY_BYTES_PARAMETER: u32 = FAMILY_PARAMETER + 7;

function readParameters(): void {
  recordBytes = <u32>parameter(MOTIFS_RECORD_BYTES_PARAMETER);
  hashes = <u32>parameter(MOTIFS_HASHES_PARAMETER);
  addressBits = <u32>parameter(MOTIFS_ADDRESS_BITS_PARAMETER);
  sets = <u32>parameter(MOTIFS_SETS_PARAMETER);
  threshold = <u32>parameter(MOTIFS_THRESHOLD_PARAMETER);
  opening = <u32>parameter(MOTIFS_OPENING_PARAMETER);
  entryBitsLog = <u32>parameter(MOTIFS_ENTRY_BITS_LOG_PARAMETER);
  arrayBytes = <u32>parameter(MOTIFS_ARRAY_BYTES_PARAMETER);
}

/**
 * Reads the parameters and lays out the tables, which several instances can share, and the workspace of this instance;
 * returns the size of the workspace in bytes.
 */
export function layOut(tables: u32, workspace: u32): u32 {
  readParameters();
  spreadTable = tables;
  slotTable = spreadTable + SPREAD_BYTES;
  planes = workspace;
  column = planes + hashes * PLANES_BYTES;
  square = column + COLUMN_BYTES;
  sharedTable = square + SQUARE_BYTES;
  blockBits = sharedTable + SHARED_SLOTS * 4;
  return blockBits + MOTIFS_BLOCK * 2 - workspace;
}

/** The size of the tables in bytes. */
export function tableBytes(): u32 {
  return slotTable + hashes * addressBits * SLOT_BYTES - spreadTable;
}

/** The first array of part `part` when the arrays are divided into `parts` parts. */
export function motifsPartStart(part: u32, parts: u32): u32 {
  return (part * hashes) / parts;
}

export function arrayOffset(hash: u32): u32 {
  return cellsOffset() + hash * arrayBytes;
}
