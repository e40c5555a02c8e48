// Several batches of an input at a time, one at each seat of a bank of a crew: the records of one piece of the window are framed and
// hashed, then the elements of the lines of the seat are observed, then the records of the piece are copied to the output. Meanwhile,
// what follows them in the input is framed and hashed in the other bank.

import {
  advanceClock,
  type BatchOptions,
  type BatchResult,
  type DecidedBatch,
  decideBatch,
  finishBatch,
  linesBetween,
  type Observation,
} from '../framing/batch.js';
import { firstBrokenRow } from '../framing/swallowed.js';
import type { DecompressingThread } from '../io/compression/decompressingthread.js';
import { U64_RECORD_BYTES } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { NEWLINE, terminatorOf } from '../records/formats.js';
import { configureScan, type ScanSettings, type ScratchRegion } from '../records/settings.js';
import { BANKS, type Crew, type Posted } from '../threads/crew.js';
import type { SharedDetector } from '../threads/detector.js';
import type { ThreadBatch } from '../threads/owners.js';
import { type Call, ResultOf } from '../threads/tasks.js';
import type { InputWindow } from './inputwindow.js';
import type { JobRun } from './job.js';
import type { Shard } from './shard.js';

const QUOTE = 0x22;

/** Shorter pieces of a window cost more to hand out than threads save. */
const MIN_PIECE_BYTES = 32 * 1024;
/** The share of a batch that a piece should fill. A thread whose piece has more records than a batch leaves the rest to the next turn. */
const BATCH_SHARE = 0.9;
/** The longest piece relative to the mean. It is the first, and the last is the shortest, so that threads end at about the same time. */
const LONGEST_SHARE = 1.75;
/** Bytes of a record, before any was seen. */
const FIRST_RECORD_BYTES = 64;

/** The threads of a run. */
export interface RunThreads {
  crew: Crew;
  /** Decompresses the compressed inputs. */
  decompressing: DecompressingThread;
  shared: SharedDetector;
  /** The scratch regions of the seats of banks. */
  scratch: readonly ScratchRegion[];
  /** The longest piece of a window for which these have room. */
  maxPieceBytes: number;
}

/** A batch with its verdicts, in the memory of a seat. */
export interface TakenBatch extends BatchResult {
  seat: number;
  kernel: Kernel;
  /** Bytes of its records. */
  bytes: number;
  /** Lines or records, as they are counted. */
  lines: number;
}

interface Piece {
  start: number;
  end: number;
}

/** Pieces that are being scanned. */
interface Scan {
  pieces: readonly Piece[];
  posted: Posted;
}

interface Scanned extends Piece {
  framed: number;
  invalid: number;
  lines: number;
  seat: number;
  kernel: Kernel;
}

/** Batches, and the job that observes them on threads. */
interface ThreadedOptions extends BatchOptions {
  job: JobRun;
}

export class SideBySide {
  readonly #threads: RunThreads;
  readonly #options: ThreadedOptions;
  /** The mean length of the records of the last turn. */
  #recordBytes = FIRST_RECORD_BYTES;
  /** True if a piece began within a quoted field, so that newlines alone do not show where records end. */
  #hasQuotedNewlines = false;
  #settings: { scan: ScanSettings; shard: Shard | undefined } | undefined;
  /** True if the seats have the settings of the detector, and those of the scanner. */
  #isBegun = false;
  #isConfigured = false;
  /** The bank of the last scan. */
  #bank = 0;
  /** The scan of what follows in the window. */
  #ahead: Scan | undefined;

  constructor(threads: RunThreads, options: ThreadedOptions) {
    this.#threads = threads;
    this.#options = options;
  }

  /** Sets the scanner for what is taken from now on, as that of the kernel is set. */
  configure(scan: ScanSettings, shard: Shard | undefined): void {
    this.#settings = { scan, shard };
    this.#isConfigured = false;
    this.#hasQuotedNewlines = false;
  }

  /** Gives all seats their settings. */
  async #configure(): Promise<void> {
    const { crew, scratch, shared } = this.#threads;
    if (!this.#isBegun) {
      await crew.ready();
      await shared.configure();
      await this.#options.job.prepareThreads?.(crew);
    }
    this.#isBegun = true;
    this.#isConfigured = true;
    if (!this.#settings) return;
    const { scan, shard } = this.#settings;
    const seats = crew.banks.flat();
    for (const [i, seat] of seats.entries()) {
      configureScan(crew.kernels[seat] as Kernel, scan, scratch[i] as ScratchRegion);
    }
    const shardCalls = shard ? [{ name: 'scanShard', parameters: [shard.index, shard.count] }] : [];
    const calls: Call[] = [{ name: 'scanConfigure', parameters: [] }, ...shardCalls];
    await crew.prepare(seats.map((seat) => ({ seat, calls })));
  }

  /**
   * Takes batches from the front of the window, one for each seat; none if the window is too short. A batch with a failure is the
   * last one.
   */
  async take(window: InputWindow, columnCount: number | undefined): Promise<TakenBatch[]> {
    const scan = this.#ahead ?? (await this.#begin(window));
    this.#ahead = undefined;
    const scanned = scan ? await this.#finish(scan, columnCount) : [];
    const last = scanned.at(-1);
    if (!last) return [];
    const decided = this.#decide(scanned, columnCount);
    // If the run fails, nothing else is taken from the window.
    window.advance(last.end);
    const observations = await this.#observe(scanned, decided, () => this.#lookAhead(window));
    return observations.map((observation, i) => {
      const batch = scanned[i] as Scanned;
      const { kernel, seat, start } = batch;
      const result = finishBatch({ ...this.#options, kernel }, decided[i] as DecidedBatch, observation);
      if (result.taken === batch.framed)
        return { ...result, kernel, seat, bytes: batch.end - start, lines: batch.lines };
      const end = kernel.recordStarts[result.taken] as number;
      return {
        ...result,
        kernel,
        seat,
        bytes: end - start,
        lines: linesBetween({ ...this.#options, kernel }, start, end, result.taken),
      };
    });
  }

  /** Begins to scan what follows in the window, which then must stay until it is taken. */
  async #lookAhead(window: InputWindow): Promise<void> {
    if (window.isShort) await window.takeSoon(() => this.#threads.crew.work());
    this.#ahead = await this.#begin(window);
    window.startReading();
  }

  /** Drops the scan of what was not taken. */
  async forget(): Promise<void> {
    if (this.#ahead) await this.#threads.crew.finish(this.#ahead.posted);
    this.#ahead = undefined;
  }

  /** Begins to scan pieces of the window in the next bank; undefined if the window is too short. */
  async #begin(window: InputWindow): Promise<Scan | undefined> {
    const { crew, shared } = this.#threads;
    const { job } = this.#options;
    const pieces = this.#piecesOf(window);
    if (pieces.length < 2) return undefined;
    if (!this.#isConfigured) await this.#configure();
    this.#bank = (this.#bank + 1) % BANKS;
    const tasks = pieces.map(({ start, end }, i) => {
      const seat = this.#seatOf(i);
      const [framed, position] = [new ResultOf(0), new ResultOf(1)];
      const calls: Call[] = [
        { name: 'scan', parameters: [start, end, 0] },
        { name: 'scanPosition', parameters: [] },
        { name: 'scanExceptions', parameters: [] },
        ...(this.#hasRows ? [{ name: 'countByte', parameters: [start, position, NEWLINE] }] : []),
        ...shared.callsToGroup(crew.bases[seat] as number, framed),
        ...(job.callsAhead?.(seat, framed) ?? []),
      ];
      return { seat, calls };
    });
    return { pieces, posted: crew.post(tasks) };
  }

  /** True if records can contain newlines. */
  get #hasRows(): boolean {
    return this.#options.format === 'csv';
  }

  #seatOf(piece: number): number {
    return this.#threads.crew.banks[this.#bank]?.[piece] as number;
  }

  /** Divides the front of the window, at ends of records if newlines show them. */
  #piecesOf({ start, end }: InputWindow): Piece[] {
    const { crew, maxPieceBytes } = this.#threads;
    const seats = crew.banks[0]?.length as number;
    const maxBytes = this.#recordBytes * this.#options.kernel.batchCapacity * BATCH_SHARE;
    const meanBytes = (end - start) / seats;
    const pieces: Piece[] = [];
    if (Math.min(meanBytes, maxBytes) < MIN_PIECE_BYTES) return pieces;
    for (let from = start; pieces.length < seats && from < end; ) {
      const share = LONGEST_SHARE - (pieces.length * 2 * (LONGEST_SHARE - 1)) / (seats - 1);
      const pieceBytes = Math.floor(Math.min(meanBytes * share, maxBytes));
      const isLast = pieces.length === seats - 1;
      const recordEnd = isLast ? Math.min(end, from + pieceBytes) : this.#endOfRecord(from, from + pieceBytes, end);
      const to = Math.min(recordEnd, from + maxPieceBytes);
      pieces.push({ start: from, end: to });
      from = to;
    }
    return pieces;
  }

  /** Returns the probable end of the record that contains `at`; `end` if it is not known. A record begins at `from`. */
  #endOfRecord(from: number, at: number, end: number): number {
    const { kernel, format } = this.#options;
    const { findByte, countByte } = kernel.exports;
    const find = (start: number, byte: number) => Math.min(end, (findByte(start, end, byte) >>> 0) + 1);
    if (at >= end) return end;
    if (format === 'u64') return from + wholeRecords(at - from);
    if (format === 'warc') return kernel.exports.warcRecordEnd(from, at, end) >>> 0;
    if (!this.#hasQuotedNewlines) return find(at, terminatorOf(format));
    let isQuoted = countByte(from, at, QUOTE) % 2 === 1;
    for (let next = at; next < end; ) {
      const following = find(next, isQuoted ? QUOTE : NEWLINE);
      if (!isQuoted && countByte(next, following, QUOTE) % 2 === 0) return following;
      isQuoted = !isQuoted;
      next = following;
    }
    return end;
  }

  /** Waits for a scan. Returns the pieces that begin where the one before ends, so that they hold the records of the input. */
  async #finish({ pieces, posted }: Scan, columnCount: number | undefined): Promise<Scanned[]> {
    const { crew } = this.#threads;
    const results = await crew.finish(posted);
    const scanned: Scanned[] = [];
    for (const [i, { start, end }] of pieces.entries()) {
      const [framed, position, invalid, newlines] = results[i] as [number, number, number, number];
      if (framed === 0) break;
      const seat = this.#seatOf(i);
      const kernel = crew.kernels[seat] as Kernel;
      const options = { ...this.#options, kernel };
      const broken = invalid > 0 ? firstBrokenRow(options, framed, columnCount) : undefined;
      if (broken !== undefined) {
        // The cutter takes the row that has swallowed others.
        const to = kernel.recordStarts[broken.index] as number;
        const lines = linesBetween(options, start, to, broken.index);
        if (broken.index > 0) scanned.push({ start, end: to, framed: broken.index, invalid, lines, seat, kernel });
        break;
      }
      const lines = this.#hasRows ? newlines : linesBetween(options, start, position, framed);
      scanned.push({ start, end: position, framed, invalid, lines, seat, kernel });
      if (position === end) continue;
      // A full batch ends before its piece, and so does one whose piece ends in a record.
      const isShort = framed < kernel.batchCapacity && i < pieces.length - 1;
      if (isShort && this.#hasRows) this.#hasQuotedNewlines = true;
      break;
    }
    const [first, last] = [scanned[0], scanned.at(-1)];
    const records = scanned.reduce((sum, batch) => sum + batch.framed, 0);
    if (first && last) this.#recordBytes = Math.max(1, (last.end - first.start) / records);
    return scanned;
  }

  /** Decides on the records without a usable key, up to the first that ends the run. */
  #decide(scanned: readonly Scanned[], columnCount: number | undefined): DecidedBatch[] {
    const decided: DecidedBatch[] = [];
    for (const { kernel, seat, framed, invalid } of scanned) {
      const batch = decideBatch({ ...this.#options, kernel }, framed, invalid, columnCount);
      if (batch.hasExceptions) this.#threads.shared.group(seat, batch.keyed);
      decided.push(batch);
      if (batch.failure) break;
    }
    return decided;
  }

  #observe(
    scanned: readonly Scanned[],
    decided: readonly DecidedBatch[],
    meanwhile: () => Promise<void>,
  ): Promise<Observation[]> {
    const { job } = this.#options;
    if (!job.observeOnThreads) throw new Error('this job cannot use threads');
    advanceClock(this.#options);
    const { crew, shared } = this.#threads;
    const batches = decided.map(({ keyed, hasExceptions: isChanged }, i): ThreadBatch => {
      const { seat } = scanned[i] as Scanned;
      return { seat, threadBase: crew.bases[seat] as number, count: keyed, isChanged };
    });
    return job.observeOnThreads(batches, { crew, shared, meanwhile });
  }
}

function wholeRecords(bytes: number): number {
  return Math.ceil(bytes / U64_RECORD_BYTES) * U64_RECORD_BYTES;
}
