// A Parquet file as an output. Of each record it takes only whether it is selected, and copies the rows from the inputs. The file is
// complete only with the index at its end, so it is written under another name and renamed at the end. A run with such an output
// saves its state only after that: stopped or killed before, it has changed nothing and starts again.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { FirstseenError } from '../../base/errors.js';
import { containerFormats } from '../../records/formats.js';
import { closedPosition, firstByte, isBytePosition } from '../file/bytesink.js';
import { describeFile } from '../file/descriptor.js';
import { openSame } from '../file/filenote.js';
import { compactFile, fileToResume } from '../file/sinks.js';
import { isNamedSo } from '../format.js';
import {
  isSelected,
  type OutputNote,
  outputError,
  type RecordBatch,
  type Sink,
  type SinkKind,
  type SinkPosition,
  type SinkRequest,
} from '../sink.js';
import type { FileNote, Source } from '../source.js';
import { systemPath } from '../system/paths.js';
import { giveAccess, PRIVATE_MODE, replacedFile } from '../system/replaced.js';
import { RowCopy } from './copy.js';
import { descriptionOf, ParquetFile, type Piece } from './file.js';
import { copyingSchema } from './schema.js';

/** The name of an output until it is complete. */
export function unfinishedPath(path: string): string {
  return `${path}.part`;
}

const startPosition: SinkPosition = { ...firstByte, owesNewline: false };

/** A piece of an input. */
interface OpenPiece {
  file: ParquetFile;
  piece: Piece;
}

/** The pieces of all inputs, in order. */
async function* piecesOf(sources: readonly Source[]): AsyncGenerator<OpenPiece, void, undefined> {
  for (const { name, note } of sources) {
    const file = await ParquetFile.open(name, await openSame(note as FileNote), copyingSchema);
    try {
      for (const piece of file.pieces()) yield { file, piece };
    } finally {
      await file.close();
    }
  }
}

interface ParquetParts {
  path: string;
  handle: FileHandle;
  copy: RowCopy;
  request: SinkRequest;
}

class ParquetSink implements Sink {
  readonly canCommit = false;
  /** The number of rows: a row has no bytes of its own. */
  bytes = 0;
  readonly #parts: ParquetParts;
  readonly #pieces: AsyncGenerator<OpenPiece, void, undefined>;
  #current: OpenPiece | undefined;
  /** The selected rows of the current piece. */
  #selected = new Uint8Array(0);
  #filled = 0;

  constructor(parts: ParquetParts) {
    this.#parts = parts;
    this.#pieces = piecesOf(parts.request.sources);
  }

  async append(batches: readonly RecordBatch[]): Promise<void> {
    for (const { kernel, taken } of batches) await this.#mark(kernel.verdicts.subarray(0, taken));
  }

  /** A record too long to be framed is a row too. */
  async appendVerdict(verdict: number): Promise<void> {
    await this.#mark(Uint8Array.of(verdict));
  }

  wants(): boolean {
    return false;
  }

  async appendBefore(): Promise<void> {}

  async appendHeader(): Promise<void> {}

  async appendBytes(): Promise<void> {}

  endInput(): void {}

  async flush(): Promise<void> {
    this.#parts.request.beforeWrite?.();
  }

  async commit(): Promise<SinkPosition> {
    await this.flush();
    return startPosition;
  }

  /** A run that did not reach its end leaves the file as it was. */
  async close(isWhole: boolean): Promise<SinkPosition> {
    if (!isWhole) {
      await this.abort();
      return startPosition;
    }
    try {
      await this.flush();
      return await this.#complete();
    } catch (error) {
      await this.abort();
      throw error;
    }
  }

  async abort(): Promise<void> {
    const { path, handle } = this.#parts;
    await this.#pieces.return();
    await handle.close();
    await rm(systemPath(unfinishedPath(path)), { force: true });
  }

  async #complete(): Promise<SinkPosition> {
    const { path, handle, copy } = this.#parts;
    await this.#pieces.return();
    const temporaryPath = systemPath(unfinishedPath(path));
    try {
      await copy.finish();
      const replacedStats = await replacedFile(path);
      // The file of another user is replaced by one of this user, as before.
      if (replacedStats?.isFile()) await giveAccess(handle, replacedStats).catch(() => undefined);
      await handle.sync();
      const bytes = (await handle.stat()).size;
      await handle.close();
      await rename(temporaryPath, systemPath(path));
      return { ...closedPosition(await describeFile(path, bytes)), owesNewline: false };
    } catch (cause) {
      throw outputError(path, cause);
    }
  }

  /** Marks the rows of records with these verdicts. */
  async #mark(verdicts: Uint8Array): Promise<void> {
    const mask = this.#parts.request.selection as number;
    for (let at = 0; at < verdicts.length; ) {
      if (!this.#current) await this.#next();
      const rowCount = Math.min(verdicts.length - at, this.#selected.length - this.#filled);
      for (let i = 0; i < rowCount; i++) {
        this.#selected[this.#filled + i] = isSelected(verdicts[at + i] as number, mask) ? 1 : 0;
      }
      at += rowCount;
      this.#filled += rowCount;
      this.bytes += rowCount;
      if (this.#filled === this.#selected.length) await this.#copyPiece();
    }
  }

  async #next(): Promise<void> {
    const { value } = await this.#pieces.next();
    if (!value) throw new RangeError('there are more records than rows');
    this.#current = value;
    this.#selected = new Uint8Array(value.piece.end - value.piece.start);
    this.#filled = 0;
  }

  async #copyPiece(): Promise<void> {
    const { path, copy, request } = this.#parts;
    const { file, piece } = this.#current as OpenPiece;
    this.#current = undefined;
    if (!this.#selected.includes(1)) return;
    request.beforeWrite?.();
    const columns = await file.read(piece);
    try {
      await copy.add(columns, piece, this.#selected);
    } catch (cause) {
      throw outputError(path, cause);
    }
  }
}

async function openParquet({ path: givenPath, realPath }: OutputNote, request: SinkRequest): Promise<Sink> {
  const path = realPath ?? (givenPath as string);
  const { metadata } = descriptionOf(request.sources[0] as Source);
  try {
    const replacedStats = await replacedFile(path);
    const handle = await open(systemPath(unfinishedPath(path)), 'w', replacedStats && PRIVATE_MODE);
    const append = (bytes: Uint8Array) => handle.writeFile(bytes);
    try {
      return new ParquetSink({ path, handle, copy: await RowCopy.begin(metadata, append), request });
    } catch (cause) {
      await handle.close();
      await rm(systemPath(unfinishedPath(path)), { force: true });
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof FirstseenError ? cause : outputError(path, cause);
  }
}

export const parquetSinkKind: SinkKind = {
  name: 'parquet',
  isKindOf: (note) => isNamedSo(containerFormats.parquet, note),
  isPosition: isBytePosition,
  positionToResume: fileToResume,
  compact: compactFile,
  /** @throws FirstseenError E_OUTPUT when it cannot be opened for writing, E_PACKAGE when a package is not installed. */
  open: openParquet,
};
