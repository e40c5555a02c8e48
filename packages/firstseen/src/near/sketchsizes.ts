// The sizes of what the kernel makes sketches in, and compares documents by (docs/NEAR.md).

import {
  SKETCH_COUNT_BYTES,
  SKETCH_DIFFERENCE_BYTES,
  SKETCH_FINGERPRINT_BYTES,
  SKETCH_HASH_BITS,
  SKETCH_HASH_BYTES,
  SKETCH_HEADER_BYTES,
  SKETCH_LISTED_BYTES,
  SKETCH_MAX_REST_BITS,
  SKETCH_ROOMY_BITS,
  SKETCH_SET_SLOT_BYTES,
  SKETCH_SLOT_BYTES,
} from '../kernel/abi.js';

/** The settings that the sizes depend on. */
export interface SketchRequest {
  /** Bytes of a slot for sketches; 0 if documents have none. */
  sketchBytes: number;
  /** The most slots of a document. */
  sketchSlots: number;
  /** The similarity from which on documents count as near. */
  similarity: number;
}

/** Hashes of an odd sketch for each of its bits, at most. Half as many and twice as many estimate less exactly from 0.7 on. */
const HASHES_OF_BIT = 1.5;
/** The factor by which the sizes of samples of similar documents differ more than the documents, at most. */
const SAMPLING = 1.15;
/** Room for more hashes than a sample has at the levels that are compared. */
const SPARE = 1.25;

export interface SketchSizes {
  /** The most fingerprints of a document that is compared with the fingerprints of a sketch. */
  compared: number;
  /** The most hashes of an odd sketch. */
  hashes: number;
  /** By how many levels the samples of similar documents may differ. */
  levels: number;
  /** The most hashes of a sample. */
  sample: number;
  /** Slots of the table of the sample, a power of two. */
  slots: number;
  /** Slots of the set of the fingerprints of a document, at most, a power of two. */
  setSlots: number;
}

/** At least twice as many slots as entries, a power of two. */
const tableSlots = (entries: number) => 2 ** Math.ceil(Math.log2(2 * entries));

/** Bytes of the fingerprints or bits of a sketch. */
const contentBytes = (sketchBytes: number, slots: number) => slots * sketchBytes - SKETCH_HEADER_BYTES;

export type SlotRequest = Pick<SketchRequest, 'sketchBytes' | 'sketchSlots'>;

/** The most hashes of an odd sketch, which has one slot. */
export function maxHashes(sketchBytes: number): number {
  return Math.ceil(HASHES_OF_BIT * 8 * contentBytes(sketchBytes, 1));
}

/** The most fingerprints of a sketch. A document with more of them has an odd sketch. */
export function maxFingerprints({ sketchBytes, sketchSlots }: SlotRequest): number {
  return Math.floor(contentBytes(sketchBytes, sketchSlots) / SKETCH_FINGERPRINT_BYTES);
}

/** The slots of the sketch of a document with this number of different shingles. */
export function slotsFor(count: number, { sketchBytes, sketchSlots }: SlotRequest): number {
  if (count > maxFingerprints({ sketchBytes, sketchSlots })) return 1;
  let slots = 1;
  while (slots < sketchSlots && count * SKETCH_ROOMY_BITS > 8 * contentBytes(sketchBytes, slots)) slots++;
  return slots;
}

/** A similar document has at most as many shingles more as the similarity says: J is at most the ratio of the sizes. */
export function sketchSizes({ sketchBytes, sketchSlots, similarity }: SketchRequest): SketchSizes {
  const hashes = maxHashes(sketchBytes);
  const levels = Math.max(1, Math.ceil(Math.log2(SAMPLING / similarity)));
  const sample = Math.ceil(SPARE * 2 ** levels * hashes);
  const compared = Math.floor(maxFingerprints({ sketchBytes, sketchSlots }) / similarity);
  return { compared, hashes, levels, sample, slots: tableSlots(sample), setSlots: tableSlots(compared) };
}

/** Bits of each of `count` fingerprints of a sketch, as the kernel has them (assembly/near/sketches/fingerprints.ts). */
export function fingerprintBits(count: number, request: SlotRequest): number {
  const contentBits = 8 * contentBytes(request.sketchBytes, slotsFor(count, request));
  if (count * SKETCH_HASH_BITS <= contentBits) return SKETCH_HASH_BITS;
  const ofBucket = Math.floor(Math.log2(count));
  return ofBucket + Math.min(SKETCH_MAX_REST_BITS, Math.floor((contentBits - count - 2 ** ofBucket) / count));
}

/** Bytes of a sketch, and of what the document is compared by: its fingerprints, and its odd sketches. */
export function comparisonBytes(request: SketchRequest): number {
  const { sketchBytes, sketchSlots } = request;
  if (sketchBytes === 0) return 0;
  const { compared, levels } = sketchSizes(request);
  const fingerprintBytes = 8 * Math.ceil((compared * SKETCH_LISTED_BYTES) / 8);
  return sketchSlots * sketchBytes + SKETCH_HEADER_BYTES + fingerprintBytes + (2 * levels + 1) * sketchBytes;
}

/** Bytes of the region where a sketch is made. */
export function sketchWorkBytes(request: SketchRequest): number {
  const { sketchBytes } = request;
  if (sketchBytes === 0) return 0;
  const { sample, slots, setSlots } = sketchSizes(request);
  const sampleBytes = slots * SKETCH_SLOT_BYTES + sample * SKETCH_HASH_BYTES;
  const countBytes = contentBytes(sketchBytes, request.sketchSlots) * SKETCH_COUNT_BYTES;
  const differenceBytes = 4 * contentBytes(sketchBytes, 1) * SKETCH_DIFFERENCE_BYTES;
  return sampleBytes + countBytes + setSlots * SKETCH_SET_SLOT_BYTES + differenceBytes;
}

/** The arguments of `sketchConfigure`. */
export function sketchParameters(request: SketchRequest, work: number): number[] {
  const { compared, hashes, levels, sample, slots, setSlots } = sketchSizes(request);
  return [request.sketchBytes, request.sketchSlots, compared, hashes, levels, sample, slots, setSlots, work];
}
