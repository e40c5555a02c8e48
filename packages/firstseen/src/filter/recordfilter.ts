// Passes the records of a stream of bytes whose key is seen for the first time, wherever its chunks are cut. The records are framed
// and their keys hashed by the scanner of the command, in a kernel beside that of the detector. It uses no file and no `node:` module.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { claimsSoFar } from '../claims/claims.js';
import type { Detector } from '../detectors/detector.js';
import {
  LAYOUT_CLASSIC,
  LINE_BYTES,
  SCAN_SPARE_BYTES,
  SECRET_OFFSET,
  WANTED_DISTINCT,
  WANTED_PASSED,
} from '../kernel/abi.js';
import { bytesBetween } from '../kernel/bytes.js';
import { Kernel, wholeLines } from '../kernel/kernel.js';
import { wholeKernel } from '../kernel/whole.js';
import { decisions, recordClasses } from '../records/classes.js';
import { BYTE_ORDER_MARK, type FormatName, mayBeginWithMark, recordFormats } from '../records/formats.js';
import type { TableFormat } from '../records/ordinary.js';
import { configureScan, type ScanSettings, scratchBytesFor } from '../records/settings.js';
import {
  advanceClock,
  type BatchOptions,
  decideBatch,
  type Failure,
  finishBatch,
  linesBetween,
  observed,
} from './batch.js';
import { Counter, type RunCounts } from './counts.js';
import {
  decide,
  type ExceptionPolicies,
  locationOf,
  longHeaderError,
  refuseArray,
  tooLongError,
} from './exceptions.js';
import { columnsOf, isBlankLine, namesIn } from './header.js';
import { isTooLong, LongRecord, RecordEnd } from './longrecord.js';

/** Bytes of a chunk that are taken at a time. */
const PIECE_BYTES = 2 ** 20;
const NEWLINE = 0x0a;
const WANTED = WANTED_DISTINCT | WANTED_PASSED;
/** What messages call the input. */
const NAME = 'the stream';

export interface RecordFilterOptions extends ExceptionPolicies {
  detector: Detector;
  format: FormatName;
  keys: readonly string[];
  scan: ScanSettings;
  hasHeader: boolean;
  isStrict: boolean;
  /** The clock, for a window that is a duration. */
  now: () => number;
  /** The module of the scanner's kernel; by default the library compiles it. */
  module?: WebAssembly.Module;
}

/** The scanner's kernel, with the seed and the secret of the detector. */
async function openScanner({ detector: { settings }, scan, module }: RecordFilterOptions) {
  const inputBytes = wholeLines(scan.maxRecordBytes + PIECE_BYTES + SCAN_SPARE_BYTES);
  const scratchBytes = wholeLines(scratchBytesFor(scan) + SCAN_SPARE_BYTES);
  const regionBytes = 2 * inputBytes + scratchBytes;
  const kernel = await Kernel.create({ cellsBytes: LINE_BYTES, regionBytes, module: module ?? (await wholeKernel()) });
  const { seed, secret, integersMeetBytes } = settings;
  kernel.writeParameters({ layout: LAYOUT_CLASSIC, seed, isKeyed: secret !== undefined, integersMeetBytes });
  secret?.copyTo(kernel.bytes, SECRET_OFFSET);
  const input = kernel.regionOffset;
  const output = input + inputBytes;
  return { kernel, input, output, scratch: { offset: output + inputBytes, bytes: scratchBytes } };
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

export class RecordFilter {
  readonly #options: RecordFilterOptions;
  readonly #scanner: Awaited<ReturnType<typeof openScanner>>;
  readonly #kernel: Kernel;
  readonly #batch: BatchOptions;
  readonly #counter = new Counter();
  readonly #recordEnd: RecordEnd;
  readonly #longRecord: LongRecord;
  /** The bytes that are not taken yet, and those of them in which no end of the first record was found. */
  #start: number;
  #end: number;
  #searchedBytes = 0;
  #isFinal = false;
  /** Whether what precedes the first record is taken. */
  #isBegun = false;
  #columnCount: number | undefined;
  #lines = 0;
  #giveUp = (): void => undefined;
  #isClosed = false;

  private constructor(
    options: RecordFilterOptions,
    scanner: Awaited<ReturnType<typeof openScanner>>,
    strictProblem: BatchOptions['strictProblem'],
  ) {
    const { kernel } = scanner;
    const { detector, format, scan, now } = options;
    this.#options = options;
    this.#scanner = scanner;
    this.#kernel = kernel;
    this.#start = scanner.input;
    this.#end = scanner.input;
    this.#recordEnd = new RecordEnd(kernel, format);
    this.#longRecord = new LongRecord(this.#recordEnd);
    const { maxRecordBytes } = scan;
    const { missingKey, emptyKey, onError } = options;
    const observe = (count: number) => {
      const [fingerprints, verdicts] = [kernel.fingerprints.subarray(0, count), kernel.verdicts.subarray(0, count)];
      return observed(detector, count, () => detector.observeBatch(fingerprints, verdicts));
    };
    this.#batch = {
      ...{ kernel, format, strictProblem, maxRecordBytes, missingKey, emptyKey, onError, counter: this.#counter },
      job: { observe, observeTimed: observe, advance: (milliseconds) => detector.advance(milliseconds) },
      timing: detector.settings.parameters.isTimed ? now : 'none',
      takesKeyless: true,
    };
    // Invalid keys fail before the first byte. The columns of a table are known after its header.
    configureScan(kernel, scan, scanner.scratch);
  }

  /** @throws FirstseenError E_MEMORY when the machine does not grant the memory; E_USAGE and E_PARAMETER for invalid keys. */
  static async open(options: RecordFilterOptions): Promise<RecordFilter> {
    const scanner = await openScanner(options);
    return new RecordFilter(options, scanner, options.isStrict ? await loadStrict() : undefined);
  }

  /** What was done so far. */
  get counts(): RunCounts {
    return this.#counter.snapshot();
  }

  /**
   * Takes bytes. Yields those of the records that pass.
   * @throws FirstseenError E_RECORD and E_KEY_MISSING for a record that a policy refuses, E_FULL and E_PARTITION as `observe`, after the
   * records before it.
   */
  async *take(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
    for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
      this.#append(bytes.subarray(from, from + PIECE_BYTES));
      yield* this.#takeRecords();
    }
  }

  /** Ends the stream: takes a last record without a newline. Throws as `take`. */
  async *finish(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#isFinal = true;
    yield* this.#takeRecords();
  }

  /** Takes nothing more, and stops waiting for a claim. */
  close(): void {
    this.#isClosed = true;
    this.#giveUp();
  }

  #append(bytes: Uint8Array): void {
    const { input } = this.#scanner;
    this.#kernel.bytes.copyWithin(input, this.#start, this.#end);
    this.#end += input - this.#start;
    this.#start = input;
    this.#kernel.bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  async *#takeRecords(): AsyncGenerator<Uint8Array, void, undefined> {
    if (!this.#isBegun) yield* this.#begin();
    if (!this.#isBegun) return;
    while (!this.#isClosed) {
      if (this.#longRecord.isOpen) {
        yield* this.#takeLongRecord();
        if (this.#longRecord.isOpen) return;
      }
      const framed = this.#frame();
      if (framed > 0) yield* this.#takeBatch(framed);
      else if (isTooLong(this.#batch, this.#end - this.#start)) this.#beginLongRecord();
      else return;
    }
  }

  /** Takes the byte order mark or the header. */
  async *#begin(): AsyncGenerator<Uint8Array, void, undefined> {
    const { format, hasHeader, scan, keys } = this.#options;
    const { keys: kind } = recordFormats[format];
    if (kind === 'columns' && hasHeader) {
      yield* this.#takeHeader();
      return;
    }
    const first = this.#bytes().subarray(0, BYTE_ORDER_MARK.length);
    if (kind !== 'none' && mayBeginWithMark(first)) {
      if (first.length < BYTE_ORDER_MARK.length && !this.#isFinal) return;
      if (first.length === BYTE_ORDER_MARK.length) this.#advance(this.#start + first.length, 0);
    }
    const columns = kind === 'columns' ? columnsOf({ keys }, undefined) : {};
    configureScan(this.#kernel, { ...scan, ...columns }, this.#scanner.scratch);
    this.#isBegun = true;
  }

  /** Takes the header and the blank lines before it, which are left out. */
  async *#takeHeader(): AsyncGenerator<Uint8Array, void, undefined> {
    const { format, scan, keys } = this.#options;
    const { scratch } = this.#scanner;
    configureScan(this.#kernel, { ...scan, columns: [] }, scratch);
    for (;;) {
      if (this.#frame() === 0) {
        if (isTooLong(this.#batch, this.#end - this.#start)) throw this.#longHeader();
        return;
      }
      if (this.#kernel.recordClasses[0] === recordClasses.TOO_LONG.code) throw this.#longHeader();
      const end = this.#kernel.recordEnds[0] as number;
      const header = bytesBetween(this.#kernel, this.#start, end).slice();
      this.#advance(end, header.filter((byte) => byte === NEWLINE).length);
      if (isBlankLine(header)) continue;
      const names = await namesIn(format as TableFormat, header, NAME);
      configureScan(this.#kernel, { ...scan, ...columnsOf({ keys }, names) }, scratch);
      this.#columnCount = names.length;
      this.#isBegun = true;
      yield this.#passed(header);
      return;
    }
  }

  #bytes(): Uint8Array {
    return bytesBetween(this.#kernel, this.#start, this.#end);
  }

  /** Frames the records that end in the window; returns their number. */
  #frame(): number {
    if (!this.#isFinal && !this.#hasRecordEnd()) return 0;
    return this.#kernel.exports.scan(this.#start, this.#end, this.#isFinal ? 1 : 0);
  }

  /** Whether the first record ends in the window. A scan starts over each time; this search continues where it ended. */
  #hasRecordEnd(): boolean {
    if (this.#options.format === 'u64') return true;
    if (this.#searchedBytes === 0) this.#recordEnd.begin();
    if (this.#recordEnd.find(this.#start + this.#searchedBytes, this.#end) !== undefined) return true;
    this.#searchedBytes = this.#end - this.#start;
    return false;
  }

  async *#takeBatch(framed: number): AsyncGenerator<Uint8Array, void, undefined> {
    const kernel = this.#kernel;
    this.#checkNoArray(kernel.recordStarts[0] as number, kernel.recordEnds[0] as number);
    const { taken, failure, held } = this.#observe(framed);
    const end = taken === framed ? kernel.exports.scanPosition() >>> 0 : (kernel.recordStarts[taken] as number);
    const { output } = this.#scanner;
    const outputEnd = kernel.exports.compact(taken, WANTED, output) >>> 0;
    if (outputEnd > output) yield this.#passed(bytesBetween(kernel, output, outputEnd).slice());
    this.#advance(end, linesBetween(this.#batch, this.#start, end, taken));
    if (failure) throw failure(this.#location());
    if (held !== undefined) await this.#whenFree(held);
  }

  /** Gives the records verdicts, up to the first whose key a claim holds. */
  #observe(framed: number): { taken: number; failure?: Failure; held?: bigint } {
    const { kernel } = this.#batch;
    const decided = decideBatch(this.#batch, framed, kernel.exports.scanExceptions(), this.#columnCount);
    const free = this.#freeKeys(decided.keyed);
    const held = free < decided.keyed ? { held: kernel.fingerprints[free] as bigint } : {};
    advanceClock(this.#batch);
    return { ...finishBatch(this.#batch, decided, this.#batch.job.observe(free)), ...held };
  }

  /** The number of keys at the front that no claim holds. */
  #freeKeys(keyed: number): number {
    const claims = claimsSoFar(this.#options.detector);
    if (!claims?.isHolding) return keyed;
    const held = this.#kernel.fingerprints.subarray(0, keyed).findIndex((fingerprint) => claims.isHeld(fingerprint));
    return held === -1 ? keyed : held;
  }

  async #whenFree(fingerprint: bigint): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = claimsSoFar(this.#options.detector)?.whenFree(fingerprint, resolve);
      this.#giveUp = () => {
        stop?.();
        resolve();
      };
    });
    this.#giveUp = () => undefined;
  }

  #passed(bytes: Uint8Array): Uint8Array {
    this.#counter.setBytesOut(this.#counter.counts.bytesOut + bytes.length);
    return bytes;
  }

  #advance(end: number, lines: number): void {
    this.#counter.addBytesIn(end - this.#start);
    this.#lines += lines;
    this.#start = end;
    this.#searchedBytes = 0;
  }

  #location(): string {
    return locationOf(NAME, this.#options.format === 'u64' ? 'record' : 'line', this.#lines + 1);
  }

  #tooLong(): FirstseenError {
    return tooLongError(this.#location(), this.#batch.maxRecordBytes);
  }

  #longHeader(): FirstseenError {
    return longHeaderError(this.#location(), this.#batch.maxRecordBytes);
  }

  #checkNoArray(start: number, end: number): void {
    const { format, onError } = this.#options;
    if (format !== 'ndjson' || this.#lines > 0) return;
    refuseArray({
      line: bytesBetween(this.#kernel, start, end),
      isRefused: onError === 'fail' && this.#kernel.recordClasses[0] === recordClasses.NOT_AN_OBJECT.code,
      path: undefined,
      location: this.#location(),
    });
  }

  /** Starts a record that does not fit in the window. It is passed or dropped in pieces. */
  #beginLongRecord(): void {
    const decision = decide(recordClasses.TOO_LONG, this.#options);
    if (decision === 'fail') {
      this.#checkNoArray(this.#start, this.#end);
      throw this.#tooLong();
    }
    this.#longRecord.begin(decision);
  }

  async *#takeLongRecord(): AsyncGenerator<Uint8Array, void, undefined> {
    const end = this.#longRecord.findEnd(this.#start, this.#end, this.#isFinal);
    const piece = bytesBetween(this.#kernel, this.#start, end);
    if (this.#longRecord.verdict === decisions.PASSED && piece.length > 0) yield this.#passed(piece.slice());
    this.#advance(end, linesBetween(this.#batch, this.#start, end, 0));
    if (this.#longRecord.isOpen) return;
    this.#counter.addRecords(this.#longRecord.counts);
    if (this.#options.format !== 'csv') this.#lines++;
  }
}
