// Several batches of an input at a time, one at each seat of a crew: the records of one piece of the window are framed and hashed,
// then the elements of the lines of the seat are observed, then the records of the piece are copied to the output.

import { U64_RECORD_BYTES } from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { configureScan, type ScanSettings, type ScratchRegion } from '../records/settings.js';
import type { ThreadBatch } from '../threads/detector.js';
import { type Call, ResultOf } from '../threads/tasks.js';
import {
  advanceClock,
  type BatchOptions,
  type BatchResult,
  type DecidedBatch,
  decideBatch,
  finishBatch,
  linesBetween,
} from './batch.js';
import type { InputWindow } from './input/inputwindow.js';
import type { JobThreads, Observation } from './job.js';
import type { Shard } from './shard.js';

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/** Shorter pieces of a window cost more to hand out than threads save. */
const LEAST_PIECE_BYTES = 32 * 1024;
/** The share of a batch that a piece should fill. A thread whose piece has more records than a batch leaves the rest to the next turn. */
const BATCH_SHARE = 0.9;
/** Bytes of a record, before any was seen. */
const FIRST_RECORD_BYTES = 64;

/** The threads of a run. */
export interface RunThreads extends JobThreads {
  /** The scratch regions of the seats besides the first. */
  scratch: readonly ScratchRegion[];
  /** The longest piece of a window for which these have room. */
  mostPieceBytes: number;
}

/** A batch with its verdicts, in the memory of a seat. */
export interface TakenBatch extends BatchResult {
  kernel: Kernel;
  /** Address of the first byte after its records. */
  end: number;
  /** Lines or records, as they are counted. */
  lines: number;
}

interface Piece {
  start: number;
  end: number;
}

interface Scanned extends Piece {
  framed: number;
  invalid: number;
  kernel: Kernel;
  threadBase: number;
}

export class SideBySide {
  readonly #threads: RunThreads;
  readonly #options: BatchOptions;
  /** The mean length of the records of the last turn. */
  #recordBytes = FIRST_RECORD_BYTES;
  /** Whether a piece began within a quoted field, so that newlines alone do not show where records end. */
  #hasQuotedNewlines = false;
  #settings: { scan: ScanSettings; shard: Shard | undefined } | undefined;
  /** Whether the seats have the settings of the detector, and those of the scanner. */
  #isBegun = false;
  #isConfigured = false;

  constructor(threads: RunThreads, options: BatchOptions) {
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
    }
    this.#isBegun = true;
    this.#isConfigured = true;
    if (!this.#settings) return;
    const { scan, shard } = this.#settings;
    for (const [i, region] of scratch.entries()) configureScan(crew.kernels[i + 1] as Kernel, scan, region);
    const shardCalls = shard ? [{ name: 'scanShard', parameters: [shard.index, shard.count] }] : [];
    const calls: Call[] = [{ name: 'scanConfigure', parameters: [] }, ...shardCalls];
    await crew.runInAll(crew.bases.map(() => calls));
  }

  /**
   * Takes batches from the front of the window, one for each seat; none if the window is too short. A batch with a failure is the
   * last one.
   */
  async take(window: InputWindow, columnCount: number | undefined): Promise<TakenBatch[]> {
    const pieces = this.#piecesOf(window);
    if (pieces.length < 2) return [];
    if (!this.#isConfigured) await this.#configure();
    const scanned = await this.#scan(pieces);
    if (scanned.length === 0) return [];
    const decided = this.#decide(scanned, columnCount);
    const observations = await this.#observe(scanned, decided);
    return observations.map((observation, i) => {
      const { kernel, framed, start, end } = scanned[i] as Scanned;
      const result = finishBatch({ ...this.#options, kernel }, decided[i] as DecidedBatch, observation);
      const endOfTaken = result.taken === framed ? end : (kernel.recordStarts[result.taken] as number);
      const lines = linesBetween(this.#options, start, endOfTaken, result.taken);
      return { ...result, kernel, end: endOfTaken, lines };
    });
  }

  /** Divides the front of the window, at ends of records if newlines show them. */
  #piecesOf({ start, end }: InputWindow): Piece[] {
    const { crew, mostPieceBytes } = this.#threads;
    const seats = crew.bases.length;
    const mostBytes = this.#recordBytes * this.#options.kernel.batchCapacity * BATCH_SHARE;
    const pieceBytes = Math.floor(Math.min((end - start) / seats, mostBytes));
    const pieces: Piece[] = [];
    if (pieceBytes < LEAST_PIECE_BYTES) return pieces;
    for (let from = start; pieces.length < seats && from < end; ) {
      const isLast = pieces.length === seats - 1;
      const found = isLast ? Math.min(end, from + pieceBytes) : this.#endOfRecord(from, from + pieceBytes, end);
      const to = Math.min(found, from + mostPieceBytes);
      pieces.push({ start: from, end: to });
      from = to;
    }
    return pieces;
  }

  /** Where the record probably ends that contains `at`; `end` if it is not known. A record begins at `from`. */
  #endOfRecord(from: number, at: number, end: number): number {
    const { kernel, format } = this.#options;
    const { findByte, countByte } = kernel.exports;
    const find = (start: number, byte: number) => Math.min(end, (findByte(start, end, byte) >>> 0) + 1);
    if (at >= end) return end;
    if (format === 'u64') return from + wholeRecords(at - from);
    if (!this.#hasQuotedNewlines) return find(at, NEWLINE);
    let isQuoted = countByte(from, at, QUOTE) % 2 === 1;
    for (let next = at; next < end; ) {
      const found = find(next, isQuoted ? QUOTE : NEWLINE);
      if (!isQuoted && countByte(next, found, QUOTE) % 2 === 0) return found;
      isQuoted = !isQuoted;
      next = found;
    }
    return end;
  }

  /** Scans the pieces. Returns those that begin where the one before ends, so that they hold the records of the input. */
  async #scan(pieces: readonly Piece[]): Promise<Scanned[]> {
    const { crew, shared } = this.#threads;
    const results = await crew.run(
      pieces.map(({ start, end }, seat) => [
        { name: 'scan', parameters: [start, end, 0] },
        { name: 'scanPosition', parameters: [] },
        { name: 'scanExceptions', parameters: [] },
        ...shared.callsToGroup(crew.bases[seat] as number, new ResultOf(0)),
      ]),
    );
    const scanned: Scanned[] = [];
    for (const [i, { start, end }] of pieces.entries()) {
      const [framed, position, invalid] = results[i] as [number, number, number];
      if (framed === 0) break;
      const [kernel, threadBase] = [crew.kernels[i] as Kernel, crew.bases[i] as number];
      scanned.push({ start, end: position, framed, invalid, kernel, threadBase });
      if (position === end) continue;
      // A full batch ends before its piece, and so does one whose piece ends in a record.
      const isShort = framed < kernel.batchCapacity && i < pieces.length - 1;
      if (isShort && this.#options.format === 'csv') this.#hasQuotedNewlines = true;
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
    for (const [seat, { kernel, framed, invalid }] of scanned.entries()) {
      const batch = decideBatch({ ...this.#options, kernel }, framed, invalid, columnCount);
      if (batch.hasExceptions) this.#threads.shared.group(seat, batch.keyed);
      decided.push(batch);
      if (batch.failure) break;
    }
    return decided;
  }

  #observe(scanned: readonly Scanned[], decided: readonly DecidedBatch[]): Promise<Observation[]> {
    const { job } = this.#options;
    if (!job.observeOnThreads) throw new Error('this job cannot use threads');
    advanceClock(this.#options);
    const batches = decided.map(
      ({ keyed }, i): ThreadBatch => ({ threadBase: (scanned[i] as Scanned).threadBase, count: keyed }),
    );
    return job.observeOnThreads(batches, this.#threads);
  }
}

function wholeRecords(bytes: number): number {
  return Math.ceil(bytes / U64_RECORD_BYTES) * U64_RECORD_BYTES;
}
