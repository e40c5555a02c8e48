// Reads the parts of a snapshot that follow its header.

import type { Kernel } from '../kernel/kernel.js';
import { ChecksumOfPieces } from './checksum.js';
import { CHECKSUM_BYTES, type Checksum, checkPart } from './frame.js';

/** Bytes of cells that are read at a time. */
const LOADED_BYTES = 2 ** 22;

/** Reads `target.length` bytes at `position` of a snapshot into `target`. Positions ascend, and none is read twice. */
export type ReadAt = (target: Uint8Array, position: number) => Promise<void>;

export interface SnapshotSource {
  /** The length of the snapshot; undefined if it is not known before the end. */
  bytes: number | undefined;
  readAt: ReadAt;
}

/** A part of a snapshot: its name, where it is in the snapshot, and the memory for it. */
export interface LoadedPart {
  what: string;
  part: Uint8Array;
  position: number;
}

/** Reads the part at `position` and its checksum, which follows it. */
export async function readPart(
  { readAt }: SnapshotSource,
  { what, part, position }: LoadedPart,
  checksum: Checksum,
): Promise<void> {
  await readAt(part, position);
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  await readAt(trailer, position + part.length);
  checkPart(what, part, trailer, checksum);
}

/**
 * The same for a part in the memory of a kernel, in pieces: the checksum of the whole would stop the program for 0.1 s for each GiB or
 * more, and the source may let the event loop run between two pieces.
 */
export async function readInside(
  { readAt }: SnapshotSource,
  { what, part, position }: LoadedPart,
  kernel: Kernel,
): Promise<void> {
  const checksum = new ChecksumOfPieces(kernel);
  for (let at = 0; at < part.length; at += LOADED_BYTES) {
    const piece = part.subarray(at, at + LOADED_BYTES);
    await readAt(piece, position + at);
    checksum.addInside(piece);
  }
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  await readAt(trailer, position + part.length);
  const computed = checksum.end();
  checkPart(what, part, trailer, () => computed);
}
