// The position of a run in its inputs and outputs. Only the run changes it; a state keeps a snapshot of it.

import { defined } from '../base/defined.js';
import { assertInvariant } from '../base/invariant.js';
import type { RunCounts } from '../framing/counts.js';
import type { Emission, InputOrder, PartialPolicy } from '../io/policies.js';
import { AHEAD_INPUTS, beginAhead, endAhead } from '../io/readahead.js';
import type { OutputNote, SinkPosition } from '../io/sink.js';
import {
  type Decompressing,
  type InputReader,
  isRepeatable,
  openAfter,
  type ReadNote,
  type Source,
  withRead,
} from '../io/source.js';
import type { RunNote } from './note.js';

/** The progress in an input before this run. */
export interface InputStart {
  read: ReadNote;
  /** True if nothing of it is left to read. */
  isRead: boolean;
  /** Bytes of the newline that its last record got after it was read; they are not a record. */
  newlineBytes?: number;
}

export interface ProgressOptions {
  sources: readonly Source[];
  /** The progress in each source before this run; undefined for sources that were not read. */
  starts: readonly (InputStart | undefined)[];
  outputs: readonly OutputNote[];
  emit: Emission;
  annotate?: string | undefined;
  partial: PartialPolicy;
  /** The order of the sources, unless it is the one in which they were given. */
  order?: InputOrder | undefined;
  /** The run to continue. */
  resumes: RunNote | undefined;
}

/** The part of the current input that has been processed. */
export interface Taken {
  /** Bytes, after decompression. */
  offset: number;
  /** Lines, or records of a format without lines. */
  lines: number;
}

/** The number of inputs of earlier command lines of the same run that are remembered. */
const MAX_EARLIER_READS = 1024;

/** The number of last inputs whose notes have their beginnings, which take some KiB each. */
const MAX_WITH_BEGINNINGS = 64;

function withoutBeginnings(read: ReadNote): ReadNote {
  if (!read.input.beginnings) return read;
  const { beginnings: _beginnings, ...input } = read.input;
  return { ...read, input };
}

/** The notes of what was read, without the beginnings of all but the last ones. */
function trimmed(reads: readonly ReadNote[]): readonly ReadNote[] {
  const first = reads.length - MAX_WITH_BEGINNINGS;
  return reads.map((read, i) => (i < first ? withoutBeginnings(read) : read));
}

export class Progress {
  isFinished = false;
  /** The header that was written, in base64. */
  header: string | null;
  positions: readonly SinkPosition[];
  readonly #options: ProgressOptions;
  #sources: readonly Source[];
  /** The progress in each input, except the current one. */
  #reads: (ReadNote | undefined)[];
  /** The same of inputs that are no longer among the sources. */
  #earlierReads: readonly ReadNote[];
  #starts: readonly (InputStart | undefined)[];
  #input: number;
  #taken: Taken = { offset: 0, lines: 0 };
  /** True if the current input was read to its end. */
  #isWhole = false;
  /** The reading of the current input, if it was opened. */
  #reader: InputReader | undefined;
  /** The offset up to which the current input was read, by this run or one before. */
  #readOffset = 0;

  constructor(options: ProgressOptions) {
    const { sources, starts, resumes } = options;
    this.#options = options;
    this.#sources = sources;
    this.#starts = starts;
    this.#reads = sources.map((_, i) => starts[i]?.read);
    this.#earlierReads = without(resumes?.reads ?? [], this.#reads);
    this.header = resumes?.header ?? null;
    this.positions = resumes?.positions ?? [];
    this.#input = this.#nextToRead(0) ?? sources.length - 1;
    this.#begin();
  }

  /** The first input from this index on that has something left to read. */
  #nextToRead(from: number): number | undefined {
    const next = this.#sources.findIndex((_, i) => i >= from && !this.#starts[i]?.isRead);
    return next < 0 ? undefined : next;
  }

  #begin(): void {
    const read = this.#reads[this.#input];
    // An input that cannot be reread continues with whatever comes next.
    const { offset, lines } = read && isRepeatable(this.source.note) ? read : { offset: 0, lines: 0 };
    this.#taken = { offset: offset + this.#newlineBytes, lines };
    this.#isWhole = this.#starts[this.#input]?.isRead ?? false;
    this.#reader = undefined;
  }

  get source(): Source {
    return this.#sources[this.#input] as Source;
  }

  get #newlineBytes(): number {
    const { read, newlineBytes = 0 } = this.#starts[this.#input] ?? {};
    return read === this.#reads[this.#input] ? newlineBytes : 0;
  }

  get taken(): Readonly<Taken> {
    return this.#taken;
  }

  /** Bytes, as stored, of the inputs before the current one. */
  get storedBytesBefore(): number {
    return storedBytesOf(this.#sources.slice(0, this.#input));
  }

  /** Bytes, as stored, of all inputs, if all are files. */
  get totalBytes(): number | undefined {
    return this.#sources.every(({ note }) => note.isFile) ? storedBytesOf(this.#sources) : undefined;
  }

  /**
   * Opens the current input at its beginning.
   * @param decompressing as in `Source.open`
   */
  async openAtStart(decompressing?: Decompressing): Promise<InputReader> {
    const opening = this.source.open(undefined, decompressing);
    this.#beginAhead();
    return this.#counted(await opening, 0);
  }

  /** Opens the current input where it continues. */
  async open(decompressing?: Decompressing): Promise<InputReader> {
    const position = isRepeatable(this.source.note) ? this.#reads[this.#input]?.position : undefined;
    const opening = openAfter(this.source, { position, bytes: this.#newlineBytes, decompressing });
    this.#beginAhead();
    return this.#counted(await opening, this.#taken.offset);
  }

  /** Begins to read the next inputs of which nothing was read before. */
  #beginAhead(): void {
    const next = this.#input + 1;
    beginAhead(this.#sources.slice(next, next + AHEAD_INPUTS).filter((_, i) => this.#reads[next + i] === undefined));
  }

  /** Ends what is read of inputs that are not opened. */
  close(): void {
    endAhead(this.#sources);
  }

  /** Takes the reading of the current input, and notes how far it is read from an offset on. */
  #counted(reader: InputReader, from: number): InputReader {
    let offset = from;
    this.#readOffset = Math.max(offset, this.#taken.offset);
    this.#reader = withRead(reader, async (target) => {
      const bytes = await reader.read(target);
      offset += bytes;
      this.#readOffset = Math.max(offset, this.#readOffset);
      return bytes;
    });
    return this.#reader;
  }

  /** True if the current input has ended because its log was rotated. */
  get isRotated(): boolean {
    return this.#reader?.isRotated ?? false;
  }

  /**
   * Takes note of the part of the current input that has been processed.
   * @throws FirstseenError E_INVARIANT if the part is shorter than before, or longer than what was read: a later run would repeat or leave
   * out records
   */
  take({ offset, lines }: Taken): void {
    const { offset: before } = this.#taken;
    const values = { input: this.source.name, offset, before, readOffset: this.#readOffset };
    const isRead = this.#reader === undefined || offset <= this.#readOffset;
    assertInvariant(offset >= before && isRead, 'the position in an input rises, and is in what was read', values);
    this.#taken = { offset, lines };
  }

  /** The current input has ended. @param isWhole whether all of it was processed */
  endInput(isWhole: boolean): void {
    this.#isWhole = isWhole;
  }

  /** Moves on to the next input; false if there is none. */
  async next(): Promise<boolean> {
    const next = this.#nextToRead(this.#input + 1);
    if (next === undefined) return false;
    this.#reads[this.#input] = await this.#readHere();
    this.#input = next;
    this.#begin();
    return true;
  }

  /** Returns the progress in the inputs, with `here` as that in the current one. */
  #readsWith(here: ReadNote): readonly ReadNote[] {
    const reads = this.#reads.with(this.#input, this.#reader ? here : this.#reads[this.#input]);
    const earlier = this.#earlierReads.slice(-MAX_EARLIER_READS);
    return trimmed([...earlier, ...reads.filter((read) => read !== undefined)]);
  }

  /** Goes on with other inputs in place of the current one. @param reads how far inputs have been read, including the current one */
  replace(sources: readonly Source[], starts: readonly (InputStart | undefined)[], reads: readonly ReadNote[]): void {
    const before = this.#input;
    this.#sources = [...this.#sources.slice(0, before), ...sources];
    this.#starts = [...this.#starts.slice(0, before), ...starts];
    this.#reads = [...this.#reads.slice(0, before), ...starts.map((start) => start?.read)];
    this.#earlierReads = without(reads, this.#reads);
    this.#input = this.#nextToRead(before) ?? this.#sources.length - 1;
    this.#begin();
  }

  /** Returns the progress in the current input. */
  async #readHere(): Promise<ReadNote> {
    const before = this.#reads[this.#input];
    if (!this.#reader && before) return before;
    const { offset, lines } = this.#taken;
    const hasBeginnings = this.#sources.length - this.#input <= MAX_WITH_BEGINNINGS;
    const { input, position } = await (this.#reader?.markAt(offset, hasBeginnings) ?? this.source.markAtStart());
    return { input, offset, lines, position, isWhole: this.#isWhole };
  }

  async snapshot(counts: RunCounts): Promise<RunNote> {
    const { outputs, emit, annotate, partial, order } = this.#options;
    const readNote = await this.#readHere();
    return {
      inputs: this.#sources.map(({ note }) => note).with(this.#input, withoutBeginnings(readNote).input),
      outputs,
      emit,
      ...defined({ annotate }),
      partial,
      ...defined({ order }),
      input: this.#input,
      offset: readNote.offset,
      lines: readNote.lines,
      position: readNote.position,
      reads: this.#readsWith(readNote),
      header: this.header,
      positions: this.positions,
      counts,
      isFinished: this.isFinished,
    };
  }
}

function without(reads: readonly ReadNote[], others: readonly (ReadNote | undefined)[]): readonly ReadNote[] {
  return reads.filter((read) => !others.includes(read));
}

function storedBytesOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { note }) => sum + (note.storedBytes ?? 0), 0);
}
