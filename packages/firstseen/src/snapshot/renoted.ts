// A snapshot with another note, without a copy of its cells: only the header differs.

import { joinBytes } from '../base/utf8.js';
import { PIECE_BYTES } from './checksum.js';
import { CHECKSUM_BYTES, type Checksum, encodeFrame, encodeTrailer } from './frame.js';
import type { SnapshotSource } from './parts.js';
import type { ReadFrame } from './snapshots.js';

/** The bytes of a whole snapshot that has this frame. */
export function bytesOfFrame({ frame: { second }, cellsEndBytes }: ReadFrame): number {
  return second ? cellsEndBytes + second.storedBytes + CHECKSUM_BYTES : cellsEndBytes;
}

/** A snapshot whose length is known. */
export type WholeSource = SnapshotSource & { bytes: number };

/**
 * The snapshot of a source, whose frame was read, with another note.
 * @throws FirstseenError E_PARAMETER when the note is too long
 */
export function withNote(source: SnapshotSource, from: ReadFrame, note: Uint8Array, checksum: Checksum): WholeSource {
  const unsealedHeader = encodeFrame({ ...from.frame, note });
  const header = joinBytes([unsealedHeader, encodeTrailer(checksum(unsealedHeader))]);
  const shift = from.headerBytes - header.length;
  return {
    bytes: bytesOfFrame(from) - shift,
    async readAt(target, position) {
      const fromHeader = Math.max(0, Math.min(header.length - position, target.length));
      if (fromHeader > 0) target.set(header.subarray(position, position + fromHeader));
      if (fromHeader < target.length) await source.readAt(target.subarray(fromHeader), position + fromHeader + shift);
    },
  };
}

/**
 * The bytes of a snapshot in pieces. Each is there until the next one is asked for, because large pieces that are thrown away would have the
 * program stand still while its memory is tidied.
 */
export async function* piecesOf({ bytes, readAt }: WholeSource): AsyncGenerator<Uint8Array, void, undefined> {
  const buffer = new Uint8Array(Math.min(PIECE_BYTES, bytes));
  for (let at = 0; at < bytes; at += buffer.length) {
    const piece = buffer.subarray(0, bytes - at);
    await readAt(piece, at);
    yield piece;
  }
}
