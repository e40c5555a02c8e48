// The position of a run in its inputs and outputs. Only the run changes it; a state keeps a snapshot of it.

import type { RunCounts } from './counts.js';
import type { InputPosition, Source } from './input/contract.js';
import type { Emission } from './options.js';
import type { OutputNote } from './output/contract.js';
import type { OutputPosition } from './output/output.js';
import type { RunNote } from './state/note.js';

export interface ProgressOptions {
  sources: readonly Source[];
  outputs: readonly OutputNote[];
  emit: Emission;
  annotate?: string | undefined;
  /** The run to continue. */
  resumes: RunNote | undefined;
}

/** How much of the current input has been processed. */
export interface Taken {
  /** Bytes, after decompression. */
  offset: number;
  /** Lines, or records of a format without lines. */
  lines: number;
}

export class Progress {
  isFinished = false;
  /** The header that was written, in base64. */
  header: string | null;
  positions: readonly OutputPosition[];
  readonly #options: ProgressOptions;
  #input: number;
  #taken: Taken;
  /** The position at which the current input is opened; undefined for its beginning. */
  #start: InputPosition | undefined;

  constructor(options: ProgressOptions) {
    const { sources, resumes } = options;
    this.#options = options;
    this.#input = resumes?.input ?? 0;
    this.header = resumes?.header ?? null;
    this.positions = resumes?.positions ?? [];
    // An input that cannot be reread continues with whatever comes next.
    const isReadOn = resumes !== undefined && sources[this.#input]?.note.isFile;
    this.#taken = isReadOn ? { offset: resumes.offset, lines: resumes.lines } : { offset: 0, lines: 0 };
    this.#start = isReadOn ? resumes.position : undefined;
  }

  get source(): Source {
    return this.#options.sources[this.#input] as Source;
  }

  get start(): InputPosition | undefined {
    return this.#start;
  }

  get taken(): Readonly<Taken> {
    return this.#taken;
  }

  /** Bytes, as stored, of the inputs before the current one. */
  get storedBytesBefore(): number {
    return storedBytesOf(this.#options.sources.slice(0, this.#input));
  }

  /** Bytes, as stored, of all inputs, if all are files. */
  get totalBytes(): number | undefined {
    const { sources } = this.#options;
    return sources.every(({ note }) => note.isFile) ? storedBytesOf(sources) : undefined;
  }

  take({ offset, lines }: Taken): void {
    this.#taken = { offset, lines };
  }

  /** Moves on to the next input; false if there is none. */
  next(): boolean {
    if (this.#input >= this.#options.sources.length - 1) return false;
    this.#input++;
    this.#taken = { offset: 0, lines: 0 };
    this.#start = undefined;
    return true;
  }

  async snapshot(counts: RunCounts): Promise<RunNote> {
    const { sources, outputs, emit, annotate } = this.#options;
    const { offset, lines } = this.#taken;
    const inputs = sources.map(({ note }) => note);
    inputs[this.#input] = await this.source.noteAt(offset);
    return {
      inputs,
      outputs,
      emit,
      ...(annotate === undefined ? {} : { annotate }),
      input: this.#input,
      offset,
      lines,
      position: this.source.positionAt(offset),
      header: this.header,
      positions: this.positions,
      counts,
      isFinished: this.isFinished,
    };
  }
}

function storedBytesOf(sources: readonly Source[]): number {
  return sources.reduce((sum, { note }) => sum + note.storedBytes, 0);
}
