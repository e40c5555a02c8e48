// How far a run has come. The run alone moves it; what a state keeps of it is a snapshot.

import { noCounts, type RunCounts } from './counts.js';
import type { InputPosition, Source } from './input/contract.js';
import type { Emission } from './options.js';
import type { OutputNote } from './output/contract.js';
import type { OutputPosition } from './output/output.js';
import type { RunNote } from './state/note.js';

export interface ProgressOptions {
  sources: readonly Source[];
  outputs: readonly OutputNote[];
  emit: Emission;
  /** The run that is gone on with. */
  resumes: RunNote | undefined;
}

/** What is taken of the input at hand. */
export interface Taken {
  /** Bytes, after decompression. */
  offset: number;
  /** Lines, or records of a format without lines. */
  lines: number;
}

export class Progress {
  readonly countsBefore: Readonly<RunCounts>;
  isFinished = false;
  /** The header that went out, in base64. */
  header: string | null;
  positions: readonly OutputPosition[];
  readonly #options: ProgressOptions;
  #input: number;
  #taken: Taken;
  /** Where the input at hand is opened; at its beginning when absent. */
  #start: InputPosition | undefined;

  constructor(options: ProgressOptions) {
    const { sources, resumes } = options;
    this.#options = options;
    this.#input = resumes?.input ?? 0;
    this.header = resumes?.header ?? null;
    this.positions = resumes?.positions ?? [];
    this.countsBefore = resumes?.counts ?? noCounts;
    // What cannot be gone back to goes on with what comes next.
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

  /** Bytes, as stored, of the inputs before the one at hand. */
  get storedBytesBefore(): number {
    return storedBytesOf(this.#options.sources.slice(0, this.#input));
  }

  /** Bytes of all inputs, when every one is a file. */
  get totalBytes(): number | undefined {
    const { sources } = this.#options;
    return sources.every(({ note }) => note.isFile) ? storedBytesOf(sources) : undefined;
  }

  take({ offset, lines }: Taken): void {
    this.#taken = { offset, lines };
  }

  /** Goes on to the next input; false when there is none. */
  next(): boolean {
    if (this.#input >= this.#options.sources.length - 1) return false;
    this.#input++;
    this.#taken = { offset: 0, lines: 0 };
    this.#start = undefined;
    return true;
  }

  async snapshot(counts: RunCounts): Promise<RunNote> {
    const { sources, outputs, emit } = this.#options;
    const { offset, lines } = this.#taken;
    const inputs = sources.map(({ note }) => note);
    inputs[this.#input] = await this.source.noteAt(offset);
    return {
      inputs,
      outputs,
      emit,
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
