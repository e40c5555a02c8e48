// A log that is written to and rotated at random, in a folder of its own. Each of its lines is there once.

import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Random } from '../../support/streams.ts';

/** How a log is rotated: what its old files are called, and whether and when they are compressed. */
export interface Scheme {
  readonly names: 'numbers' | 'dates';
  readonly isCopied: boolean;
  /** `delayed`: at the rotation after that, as `delaycompress` of logrotate does. */
  readonly compression: 'never' | 'at once' | 'delayed';
}

const LOG = 'app.log';
const HEADER = '# fields: text number\n';
const FIRST_DAY = 20_260_100;

export class RotatedLog {
  readonly scheme: Scheme;
  /** All lines that were written, in order. */
  readonly lines: string[] = [];
  /** How many times the header was written. */
  headers = 0;
  rotations = 0;
  readonly #folder: string;
  readonly #random: Random;
  readonly #hasHeader: boolean;

  constructor(folder: string, random: Random) {
    const choose = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;
    this.#folder = folder;
    this.#random = random;
    this.#hasHeader = random.below(5) === 0;
    this.scheme = {
      names: choose(['numbers', 'numbers', 'dates']),
      isCopied: random.below(3) === 0,
      compression: choose(['never', 'at once', 'delayed']),
    };
    this.#begin();
  }

  get name(): string {
    return LOG;
  }

  /** The scheme in words. */
  get description(): string {
    const { names, isCopied, compression } = this.scheme;
    return `${isCopied ? 'copied' : 'renamed'}, ${names}, compressed ${compression}${this.#hasHeader ? ', header' : ''}`;
  }

  /** Appends lines, in up to three writes that may end inside a line. The last one ends a line. */
  write(count: number, path = LOG): void {
    const first = this.lines.length;
    for (let i = 0; i < count; i++) this.lines.push(`line ${first + i}`);
    let text = this.lines
      .slice(first)
      .map((line) => `${line}\n`)
      .join('');
    for (let writes = this.#random.below(3); writes > 0; writes--) {
      const length = this.#random.below(text.length);
      appendFileSync(this.#at(path), text.slice(0, length));
      text = text.slice(length);
    }
    appendFileSync(this.#at(path), text);
  }

  /**
   * Rotates a log of which everything was read. The rotated file lacks the last lines, as if they were written after a compressor or a
   * copy had read the file, and before the file was removed or emptied.
   */
  rotateOvertaken(): void {
    this.rotations++;
    const newest = this.#newestName();
    if (this.scheme.names === 'numbers') this.#moveNumbers();
    const lines = readFileSync(this.#at(LOG), 'utf8').split(/(?<=\n)/);
    const kept = lines.slice(0, Math.max(1, lines.length - this.#random.below(5))).join('');
    const isCompressed = this.scheme.compression === 'at once';
    writeFileSync(this.#at(isCompressed ? `${newest}.gz` : newest), isCompressed ? gzipSync(kept) : kept);
    if (this.scheme.isCopied) truncateSync(this.#at(LOG));
    else unlinkSync(this.#at(LOG));
    this.#begin();
  }

  #newestName(): string {
    return this.scheme.names === 'dates' ? `${LOG}-${FIRST_DAY + this.rotations}` : `${LOG}.1`;
  }

  rotate(): void {
    this.rotations++;
    const { isCopied, compression, names } = this.scheme;
    const newest = this.#newestName();
    const last = names === 'dates' ? `${LOG}-${FIRST_DAY + this.rotations - 1}` : `${LOG}.1`;
    if (compression === 'delayed' && existsSync(this.#at(last))) this.#compress(last);
    if (names === 'numbers') this.#moveNumbers();
    if (isCopied) {
      copyFileSync(this.#at(LOG), this.#at(newest));
      const { atime, mtime } = statSync(this.#at(LOG));
      // As with `cp -p`, the copy may keep the time of the log.
      if (this.#random.below(2) === 0) utimesSync(this.#at(newest), atime, mtime);
      truncateSync(this.#at(LOG));
    } else {
      renameSync(this.#at(LOG), this.#at(newest));
      // A program may write to the old file until it opens the new one.
      if (this.#random.below(2) === 0) this.write(1 + this.#random.below(3), newest);
    }
    this.#begin();
    if (compression === 'at once') this.#compress(newest);
  }

  #begin(): void {
    if (this.#hasHeader) this.headers++;
    writeFileSync(this.#at(LOG), this.#hasHeader ? HEADER : '', { flag: 'a' });
  }

  #at(path: string): string {
    return join(this.#folder, path);
  }

  #moveNumbers(): void {
    const numbered = readdirSync(this.#folder).flatMap((name) => {
      const [, number, rest] = /^app\.log\.(\d+)(.*)$/.exec(name) ?? [];
      return number === undefined ? [] : [{ name, number: Number(number), rest }];
    });
    numbered.sort((one, other) => other.number - one.number);
    for (const { name, number, rest } of numbered) {
      renameSync(this.#at(name), this.#at(`${LOG}.${number + 1}${rest}`));
    }
  }

  /** Compresses a file as gzip does: the compressed file gets its time and takes its place when it is complete. */
  #compress(name: string): void {
    const { atime, mtime } = statSync(this.#at(name));
    const compressed = gzipSync(readFileSync(this.#at(name)));
    const half = compressed.length >> 1;
    writeFileSync(this.#at(`${name}.gz`), compressed.subarray(0, half));
    appendFileSync(this.#at(`${name}.gz`), compressed.subarray(half));
    utimesSync(this.#at(`${name}.gz`), atime, mtime);
    unlinkSync(this.#at(name));
  }
}
