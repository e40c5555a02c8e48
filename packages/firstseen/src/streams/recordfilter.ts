// Passes the records of a stream of bytes whose key is seen for the first time. The records are framed and their keys hashed in a
// second kernel, next to that of the detector. It uses no file and no `node:` module.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { observeBesides } from '../claims/observe.js';
import { claimsSoFar } from '../claims/open.js';
import type { Detector } from '../detectors/detector.js';
import { type BatchOptions, type Observation, observed } from '../framing/batch.js';
import { Counter, type RunCounts } from '../framing/counts.js';
import { type Cut, Cutter } from '../framing/cutter.js';
import type { ExceptionPolicies } from '../framing/exceptions.js';
import { columnsOf, headerScan, namesIn } from '../framing/header.js';
import { hashAs, openScanner, type Scanner } from '../framing/scanner.js';
import { PushWindow } from '../framing/window.js';
import { WANTED_DISTINCT, WANTED_PASSED } from '../kernel/abi.js';
import { bytesBetween } from '../kernel/bytes.js';
import { commentPrefix } from '../records/comments.js';
import { plainDialect } from '../records/dialect.js';
import { endsWithByte, type FormatName, recordFormats, terminatorOf } from '../records/formats.js';
import type { TableFormat } from '../records/ordinary.js';
import { separatorOf } from '../records/separator.js';
import { configureScan, type ScanSettings, scratchBytesFor } from '../records/settings.js';

/** Bytes of a chunk that are taken at a time. */
const PIECE_BYTES = 2 ** 20;
const WANTED = WANTED_DISTINCT | WANTED_PASSED;
/** The name of the input in messages. */
const NAME = 'the stream';

export interface RecordFilterOptions extends ExceptionPolicies {
  detector: Detector;
  format: FormatName;
  keys: readonly string[];
  scan: ScanSettings;
  hasHeader: boolean;
  /** Lines before the header or the first record that are not records. */
  skipLines: number;
  /** True if the delimiter of csv was given, so that a line of the stream does not change it. */
  hasDelimiter: boolean;
  isStrict: boolean;
  keepsLineEnd: boolean;
  /** The clock, for a window that is a duration. */
  now: () => number;
  /** The module of the scanner's kernel; by default the library compiles it. */
  module?: WebAssembly.Module;
}

/** The scanner, with the seed and the secret of the detector. */
async function scannerFor({ detector: { settings }, scan, module }: RecordFilterOptions): Promise<Scanner> {
  const { maxRecordBytes } = scan;
  const scanner = await openScanner({
    ...{ maxRecordBytes, pieceBytes: PIECE_BYTES, scratchBytes: scratchBytesFor(scan) },
    module,
  });
  hashAs(scanner, settings);
  return scanner;
}

/** @throws FirstseenError E_PARAMETER where the parser cannot be loaded. */
async function loadStrict(): Promise<BatchOptions['strictProblem']> {
  try {
    return (await import('../records/parsed.js')).strictProblem;
  } catch (cause) {
    throw new FirstseenError('E_PARAMETER', phrase`${optionName('isStrict')} requires the Buffer of Node`, {
      ...{ option: 'isStrict', given: true, cause },
      remedy: 'leave it out on this platform',
    });
  }
}

/** Takes the bytes of records that pass. */
type Pass = (bytes: Uint8Array) => void;

export class RecordFilter {
  readonly #options: RecordFilterOptions;
  /** The settings of the scanner, with the dialect of the stream. */
  #scan: ScanSettings;
  readonly #batch: BatchOptions;
  readonly #scanner: Scanner;
  readonly #counter = new Counter();
  readonly #window: PushWindow;
  readonly #cutter: Cutter;
  /** True if what precedes the first record is taken. */
  #isBegun = false;
  /** The key that a claim holds, of the next record. */
  #held: bigint | undefined;
  #takenBytes = 0;
  /** True if what was passed last ends in the middle of a line. */
  #endsInLine = false;
  #giveUp = (): void => undefined;
  #isClosed = false;

  private constructor(options: RecordFilterOptions, scanner: Scanner, strictProblem: BatchOptions['strictProblem']) {
    const { kernel, input } = scanner;
    const { detector, format, scan, now, missingKey, emptyKey, onError } = options;
    this.#options = options;
    this.#scan = scan;
    this.#scanner = scanner;
    this.#window = new PushWindow(kernel, input);
    const observe = (count: number) => this.#observe(count);
    this.#batch = {
      ...{
        kernel,
        format,
        dialect: scan.dialect,
        linesBefore: { skipLines: options.skipLines, comment: commentPrefix(scan.comment) },
        strictProblem,
        missingKey,
        emptyKey,
        onError,
        counter: this.#counter,
      },
      maxRecordBytes: scan.maxRecordBytes,
      job: { observe, observeTimed: observe, advance: (milliseconds) => detector.advance(milliseconds) },
      timing: detector.settings.parameters.isTimed && !detector.clock ? now : 'none',
      takesKeyless: true,
    };
    const position = { offset: 0, lines: 0 };
    this.#cutter = new Cutter(this.#batch, { names: { name: NAME, path: undefined }, window: this.#window, position });
    // Invalid keys fail before the first byte. The columns of a table with a header are known after it.
    this.#configure(scan);
    this.#configure(this.#hasHeader ? headerScan(scan) : this.#scanOf(undefined));
  }

  /** @throws FirstseenError E_MEMORY when the machine does not grant the memory; E_USAGE and E_PARAMETER for invalid keys. */
  static async open(options: RecordFilterOptions): Promise<RecordFilter> {
    const scanner = await scannerFor(options);
    return new RecordFilter(options, scanner, options.isStrict ? await loadStrict() : undefined);
  }

  /** The counts of the bytes and records that were taken. */
  get counts(): RunCounts {
    return { ...this.#counter.snapshot(), bytesIn: this.#takenBytes };
  }

  /**
   * Takes bytes. Passes those of the records that are distinct.
   * @throws FirstseenError E_RECORD and E_KEY_MISSING for a record that a policy refuses, E_FULL and E_PARTITION as `observe`, after the
   * records before it.
   */
  async take(bytes: Uint8Array, pass: Pass): Promise<void> {
    this.#takenBytes += bytes.length;
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      this.#window.push(bytes.subarray(from, from + PIECE_BYTES));
      await this.#takeRecords(pass);
    }
  }

  /** Ends the stream: takes a last record without a newline, which gets one. Throws as `take`. */
  async finish(pass: Pass): Promise<void> {
    this.#window.finish();
    await this.#takeRecords(pass);
    const { format, keepsLineEnd } = this.#options;
    if (endsWithByte(format) && this.#endsInLine && !keepsLineEnd && !this.#isClosed)
      this.#pass(Uint8Array.of(terminatorOf(format)), pass);
  }

  /** Takes nothing more, and stops waiting for a claim. */
  close(): void {
    this.#isClosed = true;
    this.#giveUp();
  }

  async #takeRecords(pass: Pass): Promise<void> {
    this.#isBegun ||= this.#hasHeader ? await this.#takeHeader(pass) : this.#takeSkipped(pass);
    if (!this.#isBegun) return;
    while (!this.#isClosed) {
      this.#held = undefined;
      const cut = this.#cutter.next();
      if (cut === undefined) return;
      const bytes = this.#passedOf(cut);
      if (bytes.length > 0) this.#pass(bytes, pass);
      this.#cutter.advance();
      if (this.#held !== undefined) await this.#whenFree(this.#held);
    }
  }

  get #hasHeader(): boolean {
    const { format, hasHeader } = this.#options;
    return recordFormats[format].keys === 'columns' && hasHeader;
  }

  /** Takes the lines that are skipped of a stream without a header. False if they have not arrived. */
  #takeSkipped(pass: Pass): boolean {
    if (!this.#cutter.begin() || !this.#cutter.skip()) return false;
    this.#passBefore(pass);
    return true;
  }

  /** Passes the lines before the header or the first record. */
  #passBefore(pass: Pass): void {
    const lines = this.#cutter.textBefore;
    if (lines.length > 0) this.#pass(lines, pass);
  }

  /** Takes the header. False if it has not arrived. */
  async #takeHeader(pass: Pass): Promise<boolean> {
    const header = this.#cutter.header((line) => this.#useSeparator(line));
    if (header === undefined) {
      if (this.#window.endsRecord) this.#passBefore(pass);
      return false;
    }
    const names = await namesIn(this.#options.format as TableFormat, header, NAME, this.#scan.dialect);
    this.#configure(this.#scanOf(names));
    this.#cutter.columnCount = names.length;
    this.#passBefore(pass);
    this.#pass(header, pass);
    this.#cutter.advance();
    return true;
  }

  /** Uses the delimiter that the first line names, unless one was given. */
  #useSeparator(line: Uint8Array): void {
    if (this.#options.hasDelimiter) return;
    const dialect = { ...plainDialect, ...this.#scan.dialect, delimiter: (separatorOf(line) as string).charCodeAt(0) };
    this.#scan = { ...this.#scan, dialect };
    this.#batch.dialect = dialect;
    this.#configure(headerScan(this.#scan));
  }

  /** @param names of the columns, if the header gives them */
  #scanOf(names: readonly string[] | undefined): ScanSettings {
    const { format, keys } = this.#options;
    const scan = this.#scan;
    return recordFormats[format].keys === 'columns'
      ? { ...scan, ...columnsOf({ keys, equality: scan.equality }, names) }
      : scan;
  }

  #configure(scan: ScanSettings): void {
    configureScan(this.#scanner.kernel, scan, this.#scanner.scratch);
  }

  /** The bytes of the records that pass. They are valid until the next cut. */
  #passedOf(cut: Cut): Uint8Array {
    if (cut.kind === 'piece') return cut.bytes;
    const { kernel, output } = this.#scanner;
    return bytesBetween(kernel, output, kernel.exports.compact(cut.count, WANTED, output) >>> 0);
  }

  #pass(bytes: Uint8Array, pass: Pass): void {
    this.#counter.setBytesOut(this.#counter.counts.bytesOut + bytes.length);
    this.#endsInLine = bytes.at(-1) !== terminatorOf(this.#options.format);
    pass(bytes.slice());
  }

  /** Gives the keys verdicts, up to the first that a claim holds. */
  #observe(count: number): Observation {
    const { kernel } = this.#scanner;
    const { detector } = this.#options;
    const free = this.#freeKeys(count);
    if (free < count) this.#held = kernel.fingerprints[free];
    const [fingerprints, verdicts] = [kernel.fingerprints.subarray(0, free), kernel.verdicts.subarray(0, free)];
    const heldClaims = claimsSoFar(detector)?.holding.size ?? 0;
    return observed(detector, free, () => {
      const { error } = observeBesides(detector, heldClaims, fingerprints, verdicts);
      if (error !== undefined) throw error;
    });
  }

  /** The number of keys at the front that no claim holds. */
  #freeKeys(keyed: number): number {
    const claims = claimsSoFar(this.#options.detector);
    if (!claims?.holding.size) return keyed;
    const fingerprints = this.#scanner.kernel.fingerprints.subarray(0, keyed);
    const held = fingerprints.findIndex((fingerprint) => claims.isHeld(fingerprint));
    return held === -1 ? keyed : held;
  }

  async #whenFree(fingerprint: bigint): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = claimsSoFar(this.#options.detector)?.whenFree(fingerprint, () => resolve());
      this.#giveUp = () => {
        stop?.();
        resolve();
      };
    });
    this.#giveUp = () => undefined;
  }
}
