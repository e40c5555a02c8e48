// The regions of near-duplicate detection in the kernel's memory, after the table's cells. The host's own regions follow them.

import { NEAR_SPARE_BYTES, SHINGLE_COPY_GROWTH, SHINGLE_COPY_OFFSET, SHINGLE_TABLE_BYTES } from '../kernel/abi.js';
import { wholeCacheLines } from '../kernel/kernel.js';
import type { LshFamily } from './contract.js';
import { comparisonBytes, type SketchRequest, sketchWorkBytes } from './sketchsizes.js';

export interface NearRegions {
  /** The properties of characters. */
  characters: number;
  /** Hashes of shingles and the copy of a document. */
  work: number;
  /** The address at which sketches are made, if there are sketches. */
  sketch: number;
  /** The family's tables. */
  tables: number;
  /** The signature of the current document, and one more to compare it with. */
  signature: number;
  /** Signatures of the recently kept documents. */
  ring: number;
  /** A copy of a document from outside the kernel's memory. */
  text: number;
  /** The start of the host's own regions. */
  end: number;
}

export interface NearRegionRequest extends SketchRequest {
  lsh: LshFamily;
  hashes: number;
  explain: number;
  maxTextBytes: number;
}

/** Bytes of the padded rows of a signature. The sketch of the document is after them. */
export function sketchOffset({ lsh, hashes }: Pick<NearRegionRequest, 'lsh' | 'hashes'>): number {
  return Math.ceil(hashes / lsh.rowGroup) * lsh.rowGroup * lsh.rowBytes;
}

/** Bytes of the region where a document of at most `textBytes` bytes is cut into shingles. */
export function shingleWorkBytes(textBytes: number): number {
  return SHINGLE_COPY_OFFSET + SHINGLE_COPY_GROWTH * textBytes;
}

/** Bytes of one padded signature, and of the sketch and what it is compared by after it. */
export function signatureBytes(request: Pick<NearRegionRequest, 'lsh' | 'hashes'> & SketchRequest): number {
  return sketchOffset(request) + comparisonBytes(request);
}

/** Memory that is never touched costs only address space, so every region has the size of the worst case. */
export function layOutNearRegions(request: NearRegionRequest, offset: number): NearRegions {
  const { lsh, hashes, explain, maxTextBytes } = request;
  let next = offset;
  const take = (bytes: number): number => {
    const start = next;
    next += wholeCacheLines(bytes + NEAR_SPARE_BYTES);
    return start;
  };
  const rows = Math.ceil(hashes / lsh.rowGroup) * lsh.rowGroup;
  return {
    characters: take(SHINGLE_TABLE_BYTES),
    work: take(shingleWorkBytes(maxTextBytes)),
    sketch: take(sketchWorkBytes(request)),
    tables: take(rows * lsh.tableBytesPerRow),
    signature: take(2 * signatureBytes(request)),
    ring: take(explain * sketchOffset(request)),
    text: take(maxTextBytes),
    end: next,
  };
}
