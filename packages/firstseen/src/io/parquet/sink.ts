// A Parquet file as an output. It receives a byte for each record, which says whether it wants the row, and copies the rows from
// the inputs. The file is complete only with the index at its end, so it is written under another name and renamed at the end. A
// run with such an output saves its state only after that: stopped or killed before, it has changed nothing and starts again.

import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { isParquetName } from '../../records/formats.js';
import { type BytePosition, closedPosition, startPosition } from '../file/bytesink.js';
import { describeFile } from '../file/descriptor.js';
import { openSame } from '../file/file.js';
import type { Emission } from '../policies.js';
import { type OutputNote, outputError, type Sink } from '../sink.js';
import type { Source } from '../source.js';
import { systemPath } from '../system/paths.js';
import { checkWritable, RowCopy } from './copy.js';
import { ParquetFile, type Piece } from './file.js';
import { copyingSchema } from './schema.js';

export function isParquetOutput({ path }: Pick<OutputNote, 'path'>): boolean {
  return path !== null && isParquetName(path);
}

/** The name of an output until it is complete. */
export function unfinishedPath(path: string): string {
  return `${path}.part`;
}

function refuse(option: string, path: string, why: string): never {
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given, but ${path} is Parquet, ${why}`, {
    option,
    remedy: phrase`leave ${optionName(option)} out, or name an output that ends in .ndjson`,
  });
}

/** @throws FirstseenError E_USAGE or E_OUTPUT when the rows of the inputs cannot be copied to one file. */
function checkInputs(path: string, sources: readonly Source[]): void {
  const other = sources.find(({ parquet }) => !parquet);
  if (other) {
    const problem = `${path} would be Parquet, but ${other.name} is not`;
    throw new FirstseenError('E_USAGE', problem, { option: 'output', remedy: 'name an output with another ending' });
  }
  const [first, ...rest] = sources as [Source, ...Source[]];
  // The name of the root says nothing about the columns.
  const columnsOf = ({ parquet }: Source) => parquet?.metadata.schema.slice(1);
  const different = rest.find((source) => !isDeepStrictEqual(columnsOf(source), columnsOf(first)));
  if (different) {
    const problem = `cannot write ${path}: the columns of ${different.name} differ from those of ${first.name} in name, order or type`;
    throw new FirstseenError('E_OUTPUT', problem, {
      remedy: 'deduplicate files with different columns separately, or name an output that ends in .ndjson',
    });
  }
  checkWritable(path, first.parquet?.fields ?? []);
}

/** The options that a Parquet output cannot follow. */
interface ParquetOptions {
  isCompressed: boolean;
  annotate?: string | undefined;
  emit: Emission;
}

/** @throws FirstseenError when an output cannot be Parquet with these inputs and options. */
export function checkParquetOutputs(
  { isCompressed, annotate, emit }: ParquetOptions,
  outputs: readonly OutputNote[],
  sources: readonly Source[],
): void {
  for (const [i, note] of outputs.entries()) {
    if (!isParquetOutput(note)) continue;
    const path = note.path as string;
    if (isCompressed) refuse('isCompressed', path, 'which compresses its pages itself');
    if (i === 0 && annotate !== undefined) refuse('annotate', path, 'whose rows are copied as they are');
    if (i === 0 && (emit === 'verdicts' || emit === 'annotated'))
      refuse('emit', path, 'whose rows are copied as they are');
    checkInputs(path, sources);
  }
}

/** @throws FirstseenError E_STATE_RUN for a run that would add to a Parquet file of an earlier run. */
export function refuseContinuing(outputs: readonly OutputNote[]): void {
  const note = outputs.find(isParquetOutput);
  if (!note) return;
  const problem = `${note.path} was written by an earlier run, and nothing can be added to a Parquet file`;
  throw new FirstseenError('E_STATE_RUN', problem, {
    remedy: phrase`name another output, or use ${optionName('isNewRun')} to overwrite it`,
  });
}

/** A piece of an input. */
interface OpenPiece {
  file: ParquetFile;
  piece: Piece;
}

/** The pieces of all inputs, in order. */
async function* piecesOf(sources: readonly Source[]): AsyncGenerator<OpenPiece, void, undefined> {
  for (const { note } of sources) {
    const file = await ParquetFile.open(note.path, await openSame(note), copyingSchema);
    try {
      for (const piece of file.pieces()) yield { file, piece };
    } finally {
      await file.close();
    }
  }
}

class ParquetSink implements Sink {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #copy: RowCopy;
  readonly #pieces: AsyncGenerator<OpenPiece, void, undefined>;
  #current: OpenPiece | undefined;
  /** Which rows of the current piece are selected. */
  #selected = new Uint8Array(0);
  #filled = 0;

  constructor(path: string, handle: FileHandle, copy: RowCopy, sources: readonly Source[]) {
    this.#path = path;
    this.#handle = handle;
    this.#copy = copy;
    this.#pieces = piecesOf(sources);
  }

  /** @param bytes 1 for each record whose row is wanted, otherwise 0 */
  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      if (!this.#current) await this.#next();
      const taken = rest.subarray(0, this.#selected.length - this.#filled);
      this.#selected.set(taken, this.#filled);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
      if (this.#filled === this.#selected.length) await this.#copyPiece();
    }
  }

  async commit(): Promise<void> {}

  position() {
    return startPosition;
  }

  /** A run that did not reach its end leaves the file as it was. */
  async close(isWhole: boolean): Promise<BytePosition> {
    await this.#pieces.return();
    let bytes = 0;
    try {
      if (isWhole) {
        await this.#copy.finish();
        await this.#handle.sync();
        bytes = (await this.#handle.stat()).size;
      }
    } catch (cause) {
      throw outputError(this.#path, cause);
    } finally {
      await this.#handle.close();
    }
    const unfinished = systemPath(unfinishedPath(this.#path));
    if (!isWhole) {
      await rm(unfinished, { force: true });
      return startPosition;
    }
    await rename(unfinished, systemPath(this.#path));
    return closedPosition(await describeFile(this.#path, bytes));
  }

  async abandon(): Promise<void> {
    await this.close(false);
  }

  async #next(): Promise<void> {
    const { value } = await this.#pieces.next();
    if (!value) throw new RangeError('there are more records than rows');
    this.#current = value;
    this.#selected = new Uint8Array(value.piece.end - value.piece.start);
    this.#filled = 0;
  }

  async #copyPiece(): Promise<void> {
    const { file, piece } = this.#current as OpenPiece;
    this.#current = undefined;
    if (!this.#selected.includes(1)) return;
    const columns = await file.read(piece);
    try {
      await this.#copy.add(columns, piece, this.#selected);
    } catch (cause) {
      throw outputError(this.#path, cause);
    }
  }
}

/**
 * Opens a Parquet output.
 * @throws FirstseenError E_OUTPUT when it cannot be opened for writing, E_PACKAGE when a package is not installed.
 */
export async function openParquetSink({ path, realPath }: OutputNote, sources: readonly Source[]): Promise<Sink> {
  const target = realPath ?? (path as string);
  const { metadata } = (sources[0] as Source).parquet as NonNullable<Source['parquet']>;
  try {
    const handle = await open(systemPath(unfinishedPath(target)), 'w');
    const append = (bytes: Uint8Array) => handle.writeFile(bytes);
    try {
      return new ParquetSink(target, handle, await RowCopy.begin(metadata, append), sources);
    } catch (cause) {
      await handle.close();
      await rm(systemPath(unfinishedPath(target)), { force: true });
      throw cause;
    }
  } catch (cause) {
    throw cause instanceof FirstseenError ? cause : outputError(target, cause);
  }
}
