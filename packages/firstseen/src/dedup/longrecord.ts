// Records that come in pieces: where they end, and what becomes of one longer than the limit, whose end is not in sight.

import type { Kernel } from '../kernel/kernel.js';
import { decisions } from '../records/classes.js';
import type { FormatName } from '../records/formats.js';
import { type Output, WANTED_PASSED } from './output.js';

const NEWLINE = 0x0a;

/** Finds the end of a record piece by piece; no piece is looked at twice. */
export class RecordEnd {
  readonly #kernel: Kernel;
  readonly #format: FormatName;

  constructor(kernel: Kernel, format: FormatName) {
    this.#kernel = kernel;
    this.#format = format;
  }

  /** The next piece begins a record. */
  begin(): void {
    if (this.#format === 'csv') this.#kernel.exports.skipCsvReset();
  }

  /** One past the record's last byte when it ends in [start, end), the piece that follows the one before. */
  find(start: number, end: number): number | undefined {
    if (this.#format === 'csv') return this.#kernel.exports.skipCsvRecord(start, end) >>> 0 || undefined;
    const newline = this.#kernel.exports.findByte(start, end, NEWLINE) >>> 0;
    return newline === end ? undefined : newline + 1;
  }
}

/** It is handed on or left out piece by piece. */
export class LongRecord {
  isOpen = false;
  /** The verdict that stands for it. */
  verdict: number = decisions.DROPPED;
  /** What was taken of it so far. */
  takenBytes = 0;
  takenLines = 0;
  readonly #recordEnd: RecordEnd;

  constructor(recordEnd: RecordEnd) {
    this.#recordEnd = recordEnd;
  }

  begin(verdict: number): void {
    this.isOpen = true;
    this.verdict = verdict;
    this.takenBytes = 0;
    this.takenLines = 0;
    this.#recordEnd.begin();
  }

  count(bytes: number, lines: number): void {
    this.takenBytes += bytes;
    this.takenLines += lines;
  }

  get isPassed(): boolean {
    return this.verdict === decisions.PASSED;
  }

  /** One past its last byte in [start, end), which closes it, or `end` when it goes on. */
  findEnd(start: number, end: number, isFinal: boolean): number {
    const found = this.#recordEnd.find(start, end);
    if (found !== undefined || isFinal) this.isOpen = false;
    return found ?? end;
  }

  goesTo(output: Output): boolean {
    return this.isPassed && output.wants(WANTED_PASSED);
  }
}
