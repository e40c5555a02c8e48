// A Parquet file as an input: its rows as lines of JSON, in the order of the file. A position is an offset in these lines, with the
// row and the offset of the nearest piece before it, so that a run continues without decoding what is before.

import { stat } from 'node:fs/promises';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { isCount } from '../../base/jsonchecks.js';
import { compareWhole } from '../file/compare.js';
import { noteOf, openSame } from '../file/filenote.js';
import {
  byteOffsetOf,
  type FileNote,
  type InputMark,
  type InputNote,
  type InputPosition,
  type InputReader,
  isByteOffset,
  type PathKind,
  type Source,
} from '../source.js';
import { folderError, inputError } from '../system/inputerror.js';
import { inputName, STANDARD_STREAM, systemPath } from '../system/paths.js';
import { ParquetFile } from './file.js';

/** The first row of a piece, and the bytes of the lines before it. */
interface Mark {
  readonly row: number;
  readonly rowOffset: number;
}

const start: Mark = { row: 0, rowOffset: 0 };

class ParquetReader implements InputReader {
  readonly #file: ParquetFile;
  readonly #note: InputNote;
  readonly #chunks: AsyncGenerator<Uint8Array, void, undefined>;
  /** The pieces that were read, in order. */
  readonly #marks: Mark[];
  #rest: Uint8Array = new Uint8Array(0);
  #group = -1;

  constructor(file: ParquetFile, note: InputNote, from: Mark) {
    this.#file = file;
    this.#note = note;
    this.#marks = [from];
    this.#chunks = this.#text(from);
  }

  async read(target: Uint8Array): Promise<number> {
    if (!(await this.#fill())) return 0;
    const taken = this.#rest.subarray(0, target.length);
    target.set(taken);
    this.#rest = this.#rest.subarray(taken.length);
    return taken.length;
  }

  /** Skips the first `bytes` bytes. */
  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0 && (await this.#fill()); ) {
      const skipped = Math.min(left, this.#rest.length);
      this.#rest = this.#rest.subarray(skipped);
      left -= skipped;
    }
  }

  storedBytes(): number {
    return this.#file.bytesThrough(this.#group);
  }

  async markAt(offset: number): Promise<InputMark> {
    const piece = this.#marks.findLast(({ rowOffset }) => rowOffset <= offset) ?? start;
    return { input: this.#note, position: { offset, ...piece } };
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #fill(): Promise<boolean> {
    if (this.#rest.length > 0) return true;
    const { done, value } = await this.#chunks.next();
    if (!done) this.#rest = value;
    return !done;
  }

  async *#text({ row, rowOffset }: Mark): AsyncGenerator<Uint8Array, void, undefined> {
    let offset = rowOffset;
    for (const piece of this.#file.pieces()) {
      if (piece.start < row) continue;
      if (piece.start > row) this.#marks.push({ row: piece.start, rowOffset: offset });
      for await (const text of this.#file.lines(piece)) {
        offset += text.length;
        yield text;
      }
      this.#group = piece.group;
    }
    // A run that goes on after the end needs nothing of the lines, whichever columns they had.
    if (this.#file.rows > row) this.#marks.push({ row: this.#file.rows, rowOffset: offset });
  }
}

function markOf({ row, rowOffset }: InputPosition): Mark {
  return row === undefined ? start : { row: row as number, rowOffset: rowOffset as number };
}

async function openReader(
  note: FileNote,
  position: InputPosition | undefined,
  columns: ReadonlySet<string> | undefined,
): Promise<InputReader> {
  const mark = position ? markOf(position) : start;
  const file = await ParquetFile.open(note.path, await openSame(note), columns);
  const reader = new ParquetReader(file, note, mark);
  await reader.skip(byteOffsetOf(position) - mark.rowOffset);
  return reader;
}

async function lookAt(path: string): Promise<Source> {
  // An offset in the lines does not correspond to an offset in the file, as in compressed inputs.
  const note: FileNote = { ...(await noteOf(path, true)), isCompressed: true };
  return sourceOf(note, await ParquetFile.describe(path, await openSame(note)));
}

function sourceOf(note: FileNote, description: unknown, columns?: ReadonlySet<string>): Source {
  return {
    name: note.path,
    path: note.path,
    note,
    format: 'parquet',
    description,
    mayGrow: false,
    open: (position) => openReader(note, position, columns),
    withColumns: (names) => sourceOf(note, description, new Set(names)),
    markAtStart: async () => ({ input: note, position: { offset: 0, ...start } }),
    compare: async (earlier) => compareWhole(earlier, note),
    // Its last record is never torn.
    bytesAround: async () => new Uint8Array(0),
  };
}

/** @throws FirstseenError E_USAGE for an input that is not a file. */
async function checkFile(path: string): Promise<void> {
  if (path !== STANDARD_STREAM) {
    const stats = await stat(systemPath(path)).catch((cause) => {
      throw inputError(path, cause);
    });
    if (stats.isDirectory()) throw folderError(path);
    if (stats.isFile()) return;
  }
  const name = inputName(path);
  throw new FirstseenError('E_USAGE', `${name} cannot be read as Parquet, because Parquet has its index at its end`, {
    option: 'inputs',
    given: path,
    remedy: phrase`give the name of a file, or another ${optionName('format')}`,
  });
}

function isMark({ offset, row, rowOffset }: InputPosition): boolean {
  if (row === undefined && rowOffset === undefined) return true;
  return isCount(row) && isCount(rowOffset) && (rowOffset as number) <= (offset as number);
}

export const parquetSourceKind: PathKind = {
  name: 'parquet',
  async look(path) {
    await checkFile(path);
    return lookAt(path);
  },
  isNote: ({ isFile }) => isFile,
  isPosition: (position) => isByteOffset(position) && isMark(position),
};
