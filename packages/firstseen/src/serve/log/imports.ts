// The snapshots of detectors that were sent. Each is a file of its own, which the log refers to until the snapshots of all detectors have it.
// A file that no log refers to was being sent when the server stopped.

import { rm, stat } from 'node:fs/promises';
import { FirstseenError } from '../../base/errors.js';
import { createPart } from '../../checkpoint/part.js';
import { SnapshotFile, writeAll } from '../../checkpoint/snapshotfile.js';
import { shownPath, systemPath } from '../../io/system/paths.js';
import { syncFolder } from '../../io/system/syncfolder.js';
import { systemDetails, systemProblem } from '../../io/system/systemproblem.js';
import { checksumIn, checksumKernel, headerChecksum } from '../../snapshot/checksum.js';
import type { SnapshotSource } from '../../snapshot/parts.js';
import { readSnapshot } from '../../snapshot/readstream.js';
import { piecesOf, type WholeSource, withNote } from '../../snapshot/renoted.js';
import { emptyNote, type ReadFrame, readFrameWith } from '../../snapshot/snapshots.js';
import { decodeExported } from '../store/exported.js';
import { heldOf } from '../store/portions.js';
import type { SavedDetector } from '../store/store.js';
import { pathOf, sequencesOf } from './files.js';
import { MAX_WHOLE_BYTES } from './snapshotset.js';
import { verifyParts } from './verify.js';

/** The contents of a snapshot that was sent, besides the name and the number of its detector. */
export type Sent = Pick<SavedDetector, 'request' | 'requests' | 'held' | 'snapshot'>;

async function whole({ bytes, readAt }: WholeSource): Promise<Uint8Array> {
  const all = new Uint8Array(bytes);
  await readAt(all, 0);
  return all;
}

/** Reads the contents of a snapshot from its source. The cells are read later, if they are many. */
export async function sentIn(source: SnapshotSource, read: ReadFrame): Promise<Sent> {
  const { request, requests, held } = await decodeExported(read.frame.note);
  const other = withNote(source, read, emptyNote, await headerChecksum(undefined));
  const snapshot = other.bytes > MAX_WHOLE_BYTES ? piecesOf(other) : await whole(other);
  return { request, requests, held: heldOf(held), snapshot };
}

/**
 * The detector of a file.
 * @param onProgress called for each part of it that was read
 * @throws FirstseenError E_STATE_FILE or E_SNAPSHOT that names the file
 */
export async function readImport(folder: string, number: number, onProgress?: () => void): Promise<Sent> {
  const path = pathOf(folder, 'import', number);
  const file = await SnapshotFile.open(path);
  if (file === undefined) {
    const problem = `the log refers to ${shownPath(path)}, which does not exist`;
    throw new FirstseenError('E_STATE_FILE', problem, { remedy: 'restore the data folder from a copy' });
  }
  async function* closing(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of pieces) {
        onProgress?.();
        yield piece;
      }
    } finally {
      await file?.close();
    }
  }
  try {
    const sent = await file.read(async (source) =>
      sentIn(source, await readFrameWith(source, await headerChecksum(undefined))),
    );
    if (sent.snapshot instanceof Uint8Array) await file.close();
    else return { ...sent, snapshot: closing(sent.snapshot) };
    return sent;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function writeError(path: string, cause: unknown): FirstseenError {
  const { problem } = systemProblem(cause, 'write');
  return new FirstseenError(
    'E_STATE_FILE',
    `cannot write ${shownPath(path)}: ${problem}`,
    systemDetails(cause, 'write'),
  );
}

/** Reads a snapshot to its end. @throws FirstseenError E_SNAPSHOT unless each byte is the one that was saved; what `check` throws */
async function verified(snapshot: AsyncIterable<Uint8Array>, check: (read: ReadFrame) => Promise<void>): Promise<void> {
  const kernel = await checksumKernel(undefined);
  await readSnapshot(snapshot, async (source) => {
    const read = await readFrameWith(source, checksumIn(kernel));
    await check(read);
    await verifyParts(source, read, { kernel });
  });
}

/** The snapshots that the log refers to. */
export class Imports {
  readonly #folder: string;
  /** By the number of the detector: the bytes, and the sequence of a log up to which the log refers to it, once it does. */
  readonly #files = new Map<number, { bytes: number; sequence: number | undefined }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes of all files. */
  get bytes(): number {
    let bytes = 0;
    for (const file of this.#files.values()) bytes += file.bytes;
    return bytes;
  }

  /** Keeps the files that the log refers to, up to a sequence, and removes the others. */
  async begin(numbers: ReadonlySet<number>, sequence: number): Promise<void> {
    for (const number of await sequencesOf(this.#folder, 'import')) {
      if (!numbers.has(number)) await this.remove(number);
      else {
        const { size: bytes } = await stat(systemPath(pathOf(this.#folder, 'import', number)));
        this.#files.set(number, { bytes, sequence });
      }
    }
  }

  /**
   * Writes a snapshot that is being sent, and checks it meanwhile. It is on the disk then.
   * @param check called with its header, before the rest is written; throws if it must not be taken
   * @throws FirstseenError E_SNAPSHOT for one that is not intact; E_STATE_FILE when it cannot be written; the errors of `check` and of the
   * snapshot. Then there is no file.
   */
  async receive(
    number: number,
    snapshot: AsyncIterable<Uint8Array>,
    check: (read: ReadFrame) => Promise<void>,
  ): Promise<void> {
    const path = pathOf(this.#folder, 'import', number);
    const file = await createPart(path).catch((error) => {
      throw writeError(path, error);
    });
    this.#files.set(number, { bytes: 0, sequence: undefined });
    let bytes = 0;
    async function* written(): AsyncGenerator<Uint8Array> {
      for await (const piece of snapshot) {
        await writeAll(file, piece).catch((error) => {
          throw writeError(path, error);
        });
        bytes += piece.length;
        yield piece;
      }
    }
    try {
      try {
        await verified(written(), check);
        await file.sync();
      } finally {
        await file.close();
      }
      await syncFolder(this.#folder);
      this.#files.set(number, { bytes, sequence: undefined });
    } catch (error) {
      await this.remove(number);
      throw error;
    }
  }

  /** As `readImport`. */
  read(number: number): Promise<Sent> {
    return readImport(this.#folder, number);
  }

  /** Notes that no log after a sequence refers to a file. */
  refer(number: number, sequence: number): void {
    const file = this.#files.get(number);
    if (file) file.sequence = sequence;
  }

  /** Removes the files that only logs before a sequence refer to. */
  async removeBefore(sequence: number): Promise<void> {
    const over = [...this.#files].filter(([, file]) => file.sequence !== undefined && file.sequence < sequence);
    for (const [number] of over) await this.remove(number);
  }

  async remove(number: number): Promise<void> {
    this.#files.delete(number);
    await rm(systemPath(pathOf(this.#folder, 'import', number)), { force: true });
  }
}
