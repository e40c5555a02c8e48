// A record longer than the limit, whose end is not in sight: it is handed on or left out piece by piece.

import type { Kernel } from '../kernel/kernel.js';
import { decisions } from '../records/classes.js';
import type { FormatName } from '../records/formats.js';
import { type Output, WANTED_PASSED } from './output.js';

const NEWLINE = 0x0a;

export class LongRecord {
  isOpen = false;
  /** The verdict that stands for it. */
  verdict: number = decisions.DROPPED;
  readonly #kernel: Kernel;
  readonly #format: FormatName;

  constructor(kernel: Kernel, format: FormatName) {
    this.#kernel = kernel;
    this.#format = format;
  }

  begin(verdict: number): void {
    this.isOpen = true;
    this.verdict = verdict;
    if (this.#format === 'csv') this.#kernel.function('skipCsvReset')();
  }

  get isPassed(): boolean {
    return this.verdict === decisions.PASSED;
  }

  /** One past its last byte in [start, end), which closes it, or `end` when it goes on. */
  findEnd(start: number, end: number, isFinal: boolean): number {
    const found = this.#format === 'csv' ? this.#endOfRow(start, end) : this.#endOfLine(start, end);
    if (found !== undefined || isFinal) this.isOpen = false;
    return found ?? end;
  }

  goesTo(output: Output): boolean {
    return this.isPassed && output.wants(WANTED_PASSED);
  }

  #endOfLine(start: number, end: number): number | undefined {
    const newline = this.#kernel.function('findByte')(start, end, NEWLINE) >>> 0;
    return newline === end ? undefined : newline + 1;
  }

  #endOfRow(start: number, end: number): number | undefined {
    return this.#kernel.function('skipCsvRecord')(start, end) >>> 0 || undefined;
  }
}
