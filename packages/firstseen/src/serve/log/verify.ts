// Reads a snapshot through and compares its checksums. It makes no detector, so it needs the memory of a piece only.

import type { Kernel } from '../../kernel/kernel.js';
import { ChecksumOfPieces, checksumIn, PIECE_BYTES } from '../../snapshot/checksum.js';
import { type DecodedSettings, headerOf } from '../../snapshot/format.js';
import { CHECKSUM_BYTES, checkPart } from '../../snapshot/frame.js';
import type { SnapshotSource } from '../../snapshot/parts.js';
import { type ReadFrame, readFrameWith } from '../../snapshot/snapshots.js';

/** A part of a snapshot as it is stored. */
interface StoredPart {
  what: string;
  position: number;
  bytes: number;
}

async function verifyPart({ readAt }: SnapshotSource, kernel: Kernel, { what, position, bytes }: StoredPart) {
  const checksum = new ChecksumOfPieces(kernel);
  const end = position + bytes;
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, bytes));
  for (let at = position; at < end; at += PIECE_BYTES) {
    const piece = buffer.subarray(0, end - at);
    await readAt(piece, at);
    checksum.add(piece);
  }
  const trailer = new Uint8Array(CHECKSUM_BYTES);
  await readAt(trailer, end);
  const actual = checksum.end();
  checkPart(what, new Uint8Array(0), trailer, () => actual);
}

/** The means to read a snapshot through. */
interface Verifying {
  /** One without cells, which nothing else uses in the meantime. */
  kernel: Kernel;
  /** As for `headerOf`. */
  decoded?: DecodedSettings;
}

/**
 * Compares the checksums of what follows a header that was read.
 * @throws FirstseenError E_SNAPSHOT unless each byte is the one that was saved; the error of the source.
 */
export async function verifyParts(
  source: SnapshotSource,
  { frame, headerBytes, cellsEndBytes }: ReadFrame,
  { kernel, decoded }: Verifying,
): Promise<void> {
  const { storedCellsBytes, storedWitnessBytes } = headerOf(frame, decoded);
  await verifyPart(source, kernel, { what: 'cells', position: headerBytes, bytes: storedCellsBytes });
  if (frame.second === undefined) return;
  await verifyPart(source, kernel, { what: 'witness', position: cellsEndBytes, bytes: storedWitnessBytes });
}

/** The same for a whole snapshot. */
export async function verifySnapshot(source: SnapshotSource, verifying: Verifying): Promise<void> {
  await verifyParts(source, await readFrameWith(source, checksumIn(verifying.kernel)), verifying);
}
