// A snapshot with another note, in pieces and without a copy of its cells: only the header differs.

import { PIECE_BYTES } from './checksum.js';
import { CHECKSUM_BYTES, type Checksum, encodeFrame, encodeTrailer, type Frame } from './frame.js';
import type { SnapshotSource } from './parts.js';
import type { ReadFrame } from './snapshots.js';

/** The bytes of a whole snapshot that has this frame. */
export function bytesOfFrame({ frame: { second }, cellsEndBytes }: ReadFrame): number {
  return second ? cellsEndBytes + second.storedBytes + CHECKSUM_BYTES : cellsEndBytes;
}

/** A snapshot that is written in pieces. */
export interface SnapshotPieces {
  bytes: number;
  pieces: AsyncGenerator<Uint8Array, void, undefined>;
}

function* headerOf(frame: Frame, checksum: Checksum): Generator<Uint8Array> {
  const header = encodeFrame(frame);
  yield header;
  yield encodeTrailer(checksum(header));
}

/**
 * The snapshot of a source, whose frame was read, with another note.
 * @throws FirstseenError E_PARAMETER when the note is too long; the error of the source, by the next piece.
 */
export function withNote(
  source: SnapshotSource,
  read: ReadFrame,
  note: Uint8Array,
  checksum: Checksum,
): SnapshotPieces {
  const header = [...headerOf({ ...read.frame, note }, checksum)];
  const [from, end] = [read.headerBytes, bytesOfFrame(read)];
  async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* header;
    for (let at = from; at < end; at += PIECE_BYTES) {
      const piece = new Uint8Array(Math.min(PIECE_BYTES, end - at));
      await source.readAt(piece, at);
      yield piece;
    }
  }
  return { bytes: header.reduce((bytes, { length }) => bytes + length, end - from), pieces: pieces() };
}
