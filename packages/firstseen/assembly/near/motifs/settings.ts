// Settings of range motifs (narang-2011, section 4), and the addresses of one thread's tables and lists. Several
// instances of the kernel can share a memory: each has its own globals and workspace.

import { cellsOffset, familyParameter } from '../../lib/memory';

/**
 * Records that are counted against the same state of the arrays. Their effects on each other are then added exactly.
 */
export const MOTIFS_BLOCK: u32 = 128;
/** The answer for a record without a set. */
export const MOTIFS_NO_SET: u32 = 255;
/** Records whose addresses are computed together: one bit of each fills a word. */
export const MOTIFS_GROUP: u32 = 64;

/** When a new set opens: below the threshold; below it if several sets tie; below it if an earlier record agrees. */
export const OPENING_THRESHOLD: u32 = 0;
export const OPENING_TIED: u32 = 1;
export const OPENING_CONFIRMED: u32 = 2;

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

function readParameters(): void {
  recordBytes = <u32>familyParameter(0);
  hashes = <u32>familyParameter(1);
  addressBits = <u32>familyParameter(2);
  sets = <u32>familyParameter(3);
  threshold = <u32>familyParameter(4);
  opening = <u32>familyParameter(5);
  entryBitsLog = <u32>familyParameter(6);
  arrayBytes = <u32>familyParameter(7);
}

/** Lays out the workspace; returns its size in bytes. */
export function layOutTables(workspace: u32): u32 {
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

/** The first array of part `part` when the arrays are divided into `parts` parts. */
export function motifsPartStart(part: u32, parts: u32): u32 {
  return (part * hashes) / parts;
}

export function arrayOffset(hash: u32): u32 {
  return cellsOffset() + hash * arrayBytes;
}
