// Saves detectors in chunks, without a second copy of their cells in memory.

import { tell } from '../base/diagnostics.js';
import { ChecksumOfPieces, checksumKernel, PIECE_BYTES } from './checksum.js';
import { CHECKSUM_BYTES, encodeTrailer } from './frame.js';
import { checkSavable, checkUnchanged, copyNote, emptyNote, partsOf, registersOf, type Savable } from './snapshots.js';

/**
 * The snapshot of a detector in chunks of at most 1 MiB, for streams, without a copy of the cells: an iterable, which
 * `ReadableStream.from`, `Readable.from` and `pipeline` take. The detector must not be used from
 * the call on until the last chunk is taken; `save` is for a detector that is in use.
 * @param note as for `save`; it is copied during the call
 * @throws FirstseenError E_PARAMETER when the note is too long; E_USAGE, by the next chunk, when the detector was used.
 */
export function snapshotChunks(
  saved: Savable,
  note: Uint8Array = emptyNote,
): AsyncGenerator<Uint8Array, void, undefined> {
  checkSavable(saved);
  const { parts } = partsOf(saved, copyNote(note));
  return chunksOfParts(saved, parts, registersOf(saved).slice());
}

/**
 * Bytes of the chunks that `snapshotChunks` gives now.
 * @internal
 */
export function snapshotBytesOf(saved: Savable): number {
  return partsOf(saved, emptyNote).parts.reduce((bytes, part) => bytes + part.length + CHECKSUM_BYTES, 0);
}

/** @param registers those of what is saved when it had the parts */
async function* chunksOfParts(
  savable: Savable,
  parts: readonly Uint8Array[],
  registers: BigUint64Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  const kernel = await checksumKernel(savable.kernelModule);
  let snapshotBytes = 0;
  for (const part of parts) {
    const checksum = new ChecksumOfPieces(kernel);
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      checkUnchanged(savable, registers);
      // A copy, because the receiver may keep it.
      const chunk = part.slice(at, at + PIECE_BYTES);
      checksum.add(chunk);
      yield chunk;
    }
    const trailer = encodeTrailer(checksum.end());
    snapshotBytes += part.length + trailer.length;
    yield trailer;
  }
  tell('save', () => ({ detector: savable, snapshotBytes }));
}
