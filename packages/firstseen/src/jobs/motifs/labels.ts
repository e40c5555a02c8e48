// Known labels of records: a text file with one line per record. An empty line is a record that belongs to no set.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { formatCounted } from '../../base/count.js';
import { FirstseenError } from '../../base/errors.js';
import { inputError } from '../../io/system/inputerror.js';
import { systemPath } from '../../io/system/paths.js';

export class Labels {
  readonly #path: string;
  readonly #lines: AsyncIterator<string>;
  readonly #close: () => void;
  #taken = 0;

  /** @param path of the file. If it cannot be opened, `take` throws. */
  constructor(path: string) {
    this.#path = path;
    const stream = createReadStream(systemPath(path));
    const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines = lines[Symbol.asyncIterator]();
    this.#close = () => stream.destroy();
  }

  /**
   * The labels of the next `count` records; null for a record without a label.
   * @throws FirstseenError E_INPUT when the file cannot be read or has fewer lines.
   */
  async take(count: number): Promise<(string | null)[]> {
    const labels: (string | null)[] = [];
    while (labels.length < count) {
      const { done, value } = await this.#next();
      if (done) throw this.#differs(`only ${formatCounted(this.#taken, 'label')}, fewer than records`);
      labels.push(value === '' ? null : value);
      this.#taken++;
    }
    return labels;
  }

  /** Checks that no label is left. @throws FirstseenError E_INPUT when there are more labels than records. */
  async end(): Promise<void> {
    if (!(await this.#next()).done)
      throw this.#differs(`more labels than the ${formatCounted(this.#taken, 'record')} of the inputs`);
    this.close();
  }

  close(): void {
    this.#close();
  }

  async #next(): Promise<IteratorResult<string>> {
    try {
      return await this.#lines.next();
    } catch (cause) {
      throw inputError(this.#path, cause);
    }
  }

  #differs(how: string): FirstseenError {
    return new FirstseenError('E_INPUT', `${this.#path} has ${how}`, {
      option: 'labels',
      given: this.#path,
      remedy: 'give one line for each record',
    });
  }
}
