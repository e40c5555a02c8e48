// The regions in which threads sign the documents of batches side by side. They follow those of near-duplicate detection. A seat of
// the threads signs one batch.

import { BATCH_CAPACITY, NEAR_SPARE_BYTES, SIGNED_COUNT_BYTES } from '../kernel/abi.js';
import { wholeCacheLines } from '../kernel/kernel.js';
import { type NearRegions, shingleWorkBytes, signatureBytes } from './regions.js';
import type { SignatureSettings } from './settings.js';
import { sketchWorkBytes } from './sketchsizes.js';

export interface SeatRegions extends Pick<NearRegions, 'characters' | 'work' | 'tables' | 'sketch'> {
  /** Signatures of the documents of a batch, if they are kept for `explain` or have sketches; otherwise of the last one. */
  signatures: number;
  /** Elements of the bands of each document, and the number of its shingles. */
  elements: number;
}

export interface SeatSettings {
  seats: readonly SeatRegions[];
  /** Bytes of the longest document that is signed at a seat. */
  maxTextBytes: number;
  /** The number of documents at the front of a batch that are signed at a seat. */
  maxDocuments: number;
  /** Bytes from one signature to the next; 0 if only the last one is kept. */
  stride: number;
  /** The start of the host's own regions. */
  end: number;
}

export interface SeatsRequest {
  settings: SignatureSettings;
  maxTextBytes: number;
  /** The regions of the thread of the caller, which has the first seat. */
  regions: NearRegions;
  seats: number;
}

/** Bytes of what seats have for the copies of documents, all together. Longer documents are signed by one thread. */
const WORK_BYTES = 2 ** 25;
/** Bytes of what a seat has for signatures and elements, and of what all seats have together. */
const SIGNED_BYTES = 2 ** 23;
const ALL_SIGNED_BYTES = 2 ** 27;

/** Bytes from the elements of a signed document to those of the next one. */
export function signedElementsBytes(bands: number): number {
  return bandBytes(bands) + SIGNED_COUNT_BYTES;
}

/** Bytes of the elements of the bands of a document. */
export function bandBytes(bands: number): number {
  return bands * BigUint64Array.BYTES_PER_ELEMENT;
}

/** Memory that is never touched costs only address space, so the regions have the size of long documents and full batches. */
export function layOutSeats({ settings, maxTextBytes, regions, seats }: SeatsRequest): SeatSettings {
  const { lsh, hashes, bands, explain, shingle, documentBytes, sketchBytes } = settings;
  const textBytes = Math.min(maxTextBytes, Math.floor(WORK_BYTES / seats));
  const rows = Math.ceil(hashes / lsh.rowGroup) * lsh.rowGroup;
  const stride = explain > 0 || sketchBytes > 0 ? signatureBytes(settings) : 0;
  const elementsBytes = signedElementsBytes(bands);
  const signedBytes = Math.min(SIGNED_BYTES, ALL_SIGNED_BYTES / seats);
  const maxDocuments = Math.min(BATCH_CAPACITY, Math.floor(signedBytes / (stride + elementsBytes)));
  let next = regions.end;
  const take = (bytes: number): number => {
    const start = next;
    next += wholeCacheLines(bytes + NEAR_SPARE_BYTES);
    return start;
  };
  const laidOut = Array.from({ length: seats }, (_, seat) => ({
    // All threads write and read the same.
    characters: regions.characters,
    work: seat === 0 ? regions.work : take(shingle === undefined ? 0 : shingleWorkBytes(textBytes)),
    sketch: seat === 0 ? regions.sketch : take(sketchWorkBytes(settings)),
    tables: seat === 0 ? regions.tables : take(rows * lsh.tableBytesPerRow),
    signatures: take(Math.max(maxDocuments * stride, signatureBytes(settings))),
    elements: take(maxDocuments * elementsBytes),
  }));
  return {
    seats: laidOut,
    maxTextBytes: shingle === undefined ? documentBytes : textBytes,
    maxDocuments,
    stride,
    end: next,
  };
}
