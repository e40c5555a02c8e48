// An input that is read twice. A file is read again from its start, up to where the first reading found its end, so that bytes that
// are appended meanwhile are left for another run. What cannot be read again is copied to the spill folder.

import { FirstseenError } from '../base/errors.js';
import { SpillFile } from '../io/file/spillfile.js';
import { type InputReader, isRepeatable, type Source, withRead } from '../io/source.js';

function spoolReader(spool: SpillFile, source: Source): InputReader {
  let position = 0;
  return {
    async read(target) {
      const bytes = spool.read(target, position);
      position += bytes;
      return bytes;
    },
    storedBytes: () => position,
    markAt: () => source.markAtStart(),
    close: async () => undefined,
  };
}

/** The error for an input, or for all of them, that is not what it was in the first reading. */
export function changedInput(name: string): FirstseenError {
  return new FirstseenError('E_INPUT', `${name} changed between the two times that it was read`, {
    remedy: 'run the command again when nothing writes to it',
  });
}

export class RereadSource {
  readonly #source: Source;
  readonly #folder: string;
  #spool: SpillFile | undefined;
  /** The result of the first reading: a number of bytes, then the end or a failure. */
  #bytes = 0;
  #failure: unknown;

  constructor(source: Source, folder: string) {
    this.#source = source;
    this.#folder = folder;
  }

  get spooledBytes(): number {
    return this.#spool?.writtenBytes ?? 0;
  }

  /** The input as the first reading opens it. */
  get first(): Source {
    return { ...this.#source, open: () => this.#open() };
  }

  /** The input as the second reading opens it. */
  get second(): Source {
    return { ...this.#source, open: () => this.#reopen() };
  }

  close(): void {
    this.#spool?.close();
  }

  async #open(): Promise<InputReader> {
    const reader = await this.#source.open();
    if (!isRepeatable(this.#source.note)) this.#spool = new SpillFile(this.#folder);
    return withRead(reader, async (target) => {
      const bytes = await reader.read(target).catch((failure) => {
        this.#failure = failure;
        throw failure;
      });
      this.#bytes += bytes;
      this.#spool?.append(target.subarray(0, bytes));
      return bytes;
    });
  }

  async #reopen(): Promise<InputReader> {
    const reader = this.#spool ? spoolReader(this.#spool, this.#source) : await this.#openAgain();
    let left = this.#bytes;
    return withRead(reader, async (target) => {
      if (left === 0 && this.#failure !== undefined) throw this.#failure;
      const bytes = left === 0 ? 0 : await reader.read(target.subarray(0, left));
      left -= bytes;
      return bytes;
    });
  }

  /** @throws FirstseenError E_INPUT when the file lacks the bytes that it had before the first reading. */
  async #openAgain(): Promise<InputReader> {
    const { name, note } = this.#source;
    if ((await this.#source.compare(note)) === 'other') throw changedInput(name);
    return this.#source.open();
  }
}
