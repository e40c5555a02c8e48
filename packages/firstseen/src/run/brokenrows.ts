// Rows with a quote that is not closed, which are dropped up to the next line that is a row. The run says so at the first one, and at its
// end how much that was if there were several.

import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import type { BrokenRow } from '../framing/batch.js';
import type { ReportOptions } from './settled.js';

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
