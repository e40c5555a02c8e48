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
import { inputError } from '../system/inputerror.js';
import { systemPath } from '../system/paths.js';
import { giveAccess, PRIVATE_MODE, replacedFile } from '../system/replaced.js';
import { RowCopy, readIndexOf, type SelectedGroup, type StoredIndex } from './copy.js';
import { descriptionOf } from './file.js';

/** The name of an output until it is complete. */
export function unfinishedPath(path: string): string {
  return `${path}.part`;
}

const startPosition: SinkPosition = { ...firstByte, owesNewline: false };

/** A row group of an input. */
interface OpenGroup extends Omit<SelectedGroup, 'selected' | 'selectedRows'> {
  readonly rows: number;
}

/** An input that is copied from. */
interface OpenInput {
  readonly file: FileHandle;
  readonly index: StoredIndex;
  readonly groups: Generator<OpenGroup, void, undefined>;
}

function* groupsOf({ name, file, index, metadata }: Omit<OpenGroup, 'group' | 'rows'>) {
  for (const [group, { num_rows: rows }] of metadata.row_groups.entries()) {
    if (rows > 0n) yield { name, file, index, metadata, group, rows: Number(rows) };
  }
}

async function openInput(source: Source): Promise<OpenInput> {
  const { metadata } = descriptionOf(source);
  const file = await openSame(source.note as FileNote);
  try {
    const index = await readIndexOf(file);
    return { file, index, groups: groupsOf({ name: source.name, file, index, metadata }) };
  } catch (cause) {
    await file.close();
    throw inputError(source.name, cause);
  }
}

interface ParquetParts {
  path: string;
  handle: FileHandle;
  copy: RowCopy;
  request: SinkRequest;
  /** The first input, which is open. */
  first: OpenInput;
}

class ParquetSink implements Sink {
  readonly canCommit = false;
  readonly takesVerdicts = true;
  /** The number of rows: a row has no bytes of its own. */
  bytes = 0;
  readonly #parts: ParquetParts;
  /** The number of the current input, and the inputs that are open. */
  #number = 0;
  #input: OpenInput;
  readonly #open: OpenInput[];
  #current: OpenGroup | undefined;
  /** The selected rows of the current row group. */
  #selected = new Uint8Array(0);
  #filled = 0;

  constructor(parts: ParquetParts) {
    this.#parts = parts;
    this.#input = parts.first;
    this.#open = [parts.first];
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
    await this.#closeInputs(() => true);
    await handle.close();
    await rm(systemPath(unfinishedPath(path)), { force: true });
  }

  async #complete(): Promise<SinkPosition> {
    const { path, handle, copy } = this.#parts;
    const temporaryPath = systemPath(unfinishedPath(path));
    try {
      await copy.finish();
      await this.#closeInputs(() => true);
      const replacedStats = await replacedFile(path);
      // The file of another user is replaced by one of this user, as before.
      if (replacedStats?.isFile()) await giveAccess(handle, replacedStats).catch(() => undefined);
      await handle.sync();
      const bytes = (await handle.stat()).size;
      await handle.close();
      await rename(temporaryPath, systemPath(path));
      return { ...closedPosition(await describeFile(path, bytes)), owesNewline: false };
    } catch (cause) {
      throw cause instanceof FirstseenError ? cause : outputError(path, cause);
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
      if (this.#filled === this.#selected.length) await this.#copyGroup();
    }
  }

  async #next(): Promise<void> {
    for (;;) {
      const { value } = this.#input.groups.next();
      if (value) {
        this.#current = value;
        this.#selected = new Uint8Array(value.rows);
        this.#filled = 0;
        return;
      }
      const source = this.#parts.request.sources[++this.#number];
      if (!source) throw new RangeError('there are more records than rows');
      await this.#closeInputs(({ file }) => !this.#parts.copy.isWaitingFor(file));
      this.#input = await openInput(source);
      this.#open.push(this.#input);
    }
  }

  async #closeInputs(isDone: (input: OpenInput) => boolean): Promise<void> {
    for (const input of this.#open.filter(isDone)) {
      this.#open.splice(this.#open.indexOf(input), 1);
      await input.file.close();
    }
  }

  async #copyGroup(): Promise<void> {
    const { path, copy, request } = this.#parts;
    const current = this.#current as OpenGroup;
    this.#current = undefined;
    const selectedRows = this.#selected.reduce((sum, flag) => sum + flag, 0);
    if (selectedRows === 0) return;
    request.beforeWrite?.();
    try {
      await copy.add({ ...current, selected: this.#selected, selectedRows });
    } catch (cause) {
      throw cause instanceof FirstseenError ? cause : outputError(path, cause);
    }
  }
}

async function openParquet({ path: givenPath, realPath }: OutputNote, request: SinkRequest): Promise<Sink> {
  const path = realPath ?? (givenPath as string);
  const [source] = request.sources as readonly [Source];
  const { metadata } = descriptionOf(source);
  const first = await openInput(source);
  try {
    const replacedStats = await replacedFile(path);
    const handle = await open(systemPath(unfinishedPath(path)), 'w', replacedStats && PRIVATE_MODE);
    const append = (bytes: Uint8Array) => handle.writeFile(bytes);
    try {
      return new ParquetSink({
        path,
        handle,
        copy: await RowCopy.begin(metadata, first.index, append),
        request,
        first,
      });
    } catch (cause) {
      await handle.close();
      await rm(systemPath(unfinishedPath(path)), { force: true });
      throw cause;
    }
  } catch (cause) {
    await first.file.close();
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
