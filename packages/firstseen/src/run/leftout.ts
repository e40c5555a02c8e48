// What a run leaves out of broken inputs. It says so at once, and at its end how much that was.

import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import type { BrokenRow } from '../framing/batch.js';
import { DamagedInput, type InputReader, type Source, withRead } from '../io/source.js';
import type { RecordOptions, ReportOptions } from './settled.js';

/** Rows with a quote that is not closed, which are dropped up to the next line that is a row. */
export class BrokenRows {
  readonly #onWarning: ReportOptions['onWarning'];
  #rows = 0;
  #lines = 0;
  #bytes = 0;

  constructor(onWarning: ReportOptions['onWarning']) {
    this.#onWarning = onWarning;
  }

  add({ location, lines, bytes }: BrokenRow): void {
    if (this.#rows === 0) {
      const problem = `${location}: a quoted field has no closing quote; dropped up to the next line that is a row: ${amount(lines, bytes)}`;
      this.#onWarning?.(new FirstseenError('E_RECORD', problem, { remedy: 'close the quote' }));
    }
    this.#rows += 1;
    this.#lines += lines;
    this.#bytes += bytes;
  }

  /** The notice at the end of a run; undefined if the warning has said it. */
  get notice(): string | undefined {
    if (this.#rows < 2) return undefined;
    const rows = formatCounted(this.#rows, 'row');
    return `${rows} with a quote that is not closed were dropped, each up to the next line that is a row: ${amount(this.#lines, this.#bytes)}`;
  }
}

function amount(lines: number, bytes: number): string {
  return `${formatCounted(lines, 'line')}, ${formatCounted(bytes, 'byte')}`;
}

/**
 * Inputs whose stored content is damaged. When broken records are dropped, what follows the damage is left out, and the run goes on with the
 * next input.
 */
export class DamagedInputs {
  readonly #isDropped: boolean;
  readonly #onWarning: ReportOptions['onWarning'];
  readonly #names: string[] = [];

  constructor({ onError }: Pick<RecordOptions, 'onError'>, onWarning: ReportOptions['onWarning']) {
    this.#isDropped = onError === 'drop';
    this.#onWarning = onWarning;
  }

  /** An input that ends where it is damaged, in a record that is not read, if broken records are dropped. */
  around(source: Source): Source {
    if (!this.#isDropped) return source;
    return { ...source, open: async (...at) => this.#readerAround(source.name, await source.open(...at)) };
  }

  /** The notice at the end of a run; undefined if no input is damaged. */
  get notice(): string | undefined {
    if (this.#names.length === 0) return undefined;
    return `damaged inputs, of which what follows the damage was left out: ${this.#names.join(', ')}`;
  }

  #readerAround(name: string, reader: InputReader): InputReader {
    let isDamaged = false;
    const read: InputReader['read'] = async (target) => {
      if (isDamaged) return 0;
      try {
        return await reader.read(target);
      } catch (error) {
        if (!(error instanceof DamagedInput)) throw error;
        isDamaged = true;
        this.#add(name, error);
        return 0;
      }
    };
    return withRead(reader, read, () => isDamaged);
  }

  #add(name: string, { phrase: problem }: DamagedInput): void {
    this.#names.push(name);
    this.#onWarning?.(new FirstseenError('E_INPUT', problem, { remedy: 'what follows the damage is left out' }));
  }
}
