// What range motifs are told (narang-2011, section 4), and where the tables and lists of one thread lie. Several instances of
// the kernel may share a memory: each has globals and a workspace of its own.

import { cellsOffset, FAMILY_PARAMETER, parameter } from '../../lib/memory';

/** Records that are counted against one state of the arrays; what they change for each other is made good exactly. */
export const MOTIFS_BLOCK: u32 = 128;
/** The answer for a record that belongs to no set. */
export const MOTIFS_NO_SET: u32 = 255;
/** Records whose addresses are read off together: one bit of each fills a word. */
export const MOTIFS_GROUP: u32 = 64;

/** Below the threshold a new set is opened; below it where several sets win; below it where an earlier record agrees. */
export const MOTIFS_OPENING_THRESHOLD: u32 = 0;
export const MOTIFS_OPENING_TIED: u32 = 1;
export const MOTIFS_OPENING_CONFIRMED: u32 = 2;

/** The planes of one hash: 32 words of 64 bits, as a square of 16 rows of 16 bytes. */
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
/** Binary logarithm of the bits of an entry, 1 to 4. */
export let entryBitsLog: u32 = 0;
/** Bytes from one array to the next. */
export let arrayBytes: u32 = 0;

export let spreadTable: u32 = 0;
export let slotTable: u32 = 0;
export let planes: u32 = 0;
export let column: u32 = 0;
export let square: u32 = 0;
/** By hash of an address: 1 + the record of the block that had it last, and in the upper half the link that leads there. */
export let sharedTable: u32 = 0;
/** By record of the block: the bits that it sets; two bytes a record. */
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

/** Lays out the workspace; returns how many bytes it takes. */
export function placeTables(workspace: u32): u32 {
  readParameters();
  spreadTable = workspace;
  slotTable = spreadTable + SPREAD_BYTES;
  planes = slotTable + hashes * addressBits * SLOT_BYTES;
  column = planes + hashes * PLANES_BYTES;
  square = column + COLUMN_BYTES;
  sharedTable = square + SQUARE_BYTES;
  blockBits = sharedTable + SHARED_SLOTS * 4;
  return blockBits + MOTIFS_BLOCK * 2 - workspace;
}

/** The first array of part `part`, when the arrays are divided among `parts`. */
export function motifsPartStart(part: u32, parts: u32): u32 {
  return (part * hashes) / parts;
}

export function arrayOffset(hash: u32): u32 {
  return cellsOffset() + hash * arrayBytes;
}
