// The records of a body: they are framed, their keys get verdicts, and what is replied about them is passed on.

import { FirstseenError, phrase } from '../../base/errors.js';
import { PENDING } from '../../claims/observe.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { BatchOptions, Observation, Observer } from '../../framing/batch.js';
import { Counter } from '../../framing/counts.js';
import { type Cut, Cutter } from '../../framing/cutter.js';
import type { ExceptionPolicies } from '../../framing/exceptions.js';
import { keyedScan } from '../../framing/keyedscan.js';
import { hashAs } from '../../framing/scanner.js';
import { emittedMask } from '../../io/sink.js';
import { DISTINCT, DUPLICATE, WANTED_PASSED } from '../../kernel/abi.js';
import { bytesBetween } from '../../kernel/bytes.js';
import { decisions } from '../../records/classes.js';
import { NEWLINE } from '../../records/formats.js';
import type { NullMeaning } from '../../records/nulls.js';
import { configureScan, type ScanSettings } from '../../records/settings.js';
import { type Answers, FilterFull, type Prints } from '../operations/ask.js';
import { BodyWindow, type ScannerUser, type SharedScanner } from './scanner.js';

/** The content of the reply: a word or a byte for each record, some of the records, or nothing before the end. */
export type Emitted = 'words' | 'bytes' | 'distinct' | 'duplicates' | 'nothing';

export interface BodyOptions extends ExceptionPolicies {
  settings: DetectorSettings;
  format: 'lines' | 'ndjson' | 'u64';
  keys: readonly string[];
  nullKey: NullMeaning;
  emitted: Emitted;
  /** Gives keys verdicts, up to the first that is refused. */
  ask: (keys: Prints) => Answers;
}

/** The counts of the records so far, by their outcome. */
export interface BodyCounts {
  records: number;
  distinct: number;
  duplicates: number;
  pending: number;
  passed: number;
  dropped: number;
}

/** Takes bytes of the reply. */
export type Pass = (bytes: Uint8Array) => void;

const words: ReadonlyMap<number, string> = new Map([
  [DISTINCT, 'distinct\n'],
  [DUPLICATE, 'duplicate\n'],
  [PENDING, 'pending\n'],
  [decisions.PASSED, 'passed\n'],
  [decisions.DROPPED, 'dropped\n'],
]);

/** The bytes for verdicts: those of a detector as they are, and the decisions about other records after them. */
const [PASSED_BYTE, DROPPED_BYTE] = [3, 4];

function byteOf(verdict: number): number {
  if (verdict === decisions.PASSED) return PASSED_BYTE;
  return verdict === decisions.DROPPED ? DROPPED_BYTE : verdict;
}

const NOTHING = new Uint8Array(0);

/** An error of a detector or a filter that takes no more. */
function failureOf(error: unknown): FirstseenError {
  if (error instanceof FirstseenError) return error;
  if (!(error instanceof FilterFull)) throw error;
  return new FirstseenError('E_FULL', 'the filter is full', { remedy: 'use a larger filter' });
}

function scanSettings(
  { settings, format, keys, nullKey, emptyKey }: BodyOptions,
  maxRecordBytes: number,
): ScanSettings {
  const { fingerprint } = settings;
  // Without a key, an empty record is a key as any other.
  const rules = keys.length === 0 ? ({ emptyKey: 'key', nullKey: 'value' } as const) : { emptyKey, nullKey };
  const options = { format, fingerprint, maxRecordBytes, keys, rules };
  return keyedScan({ ...options, dialect: undefined, equality: undefined, types: undefined });
}

export class BodyRecords implements ScannerUser {
  readonly #options: BodyOptions;
  readonly #shared: SharedScanner;
  readonly #scan: ScanSettings;
  readonly #window: BodyWindow;
  readonly #cutter: Cutter;
  readonly #counter = new Counter();
  #pending = 0;
  /** True if claims hold keys of the latest batch. */
  #hasPending = false;
  /** True if what precedes the first record is taken. */
  #isBegun = false;
  /** True if records that are passed on end in the middle of a line. */
  #endsInLine = false;

  /** @throws FirstseenError E_USAGE or E_PARAMETER for keys that the format does not have */
  constructor(shared: SharedScanner, options: BodyOptions) {
    const { kernel } = shared.scanner;
    const { format, missingKey, emptyKey, onError } = options;
    this.#options = options;
    this.#shared = shared;
    this.#scan = scanSettings(options, shared.maxRecordBytes);
    this.#window = new BodyWindow(shared.scanner);
    const observe = (count: number) => this.#observe(count);
    const job: Observer = { observe, observeTimed: observe, advance: () => undefined };
    const batch: BatchOptions = {
      ...{ kernel, job, format, missingKey, emptyKey, onError, counter: this.#counter },
      strictProblem: undefined,
      maxRecordBytes: shared.maxRecordBytes,
      tooLongRemedy: phrase`send shorter records`,
      timing: 'none',
      takesKeyless: true,
    };
    const names = { name: 'the body', path: undefined };
    this.#cutter = new Cutter(batch, { names, window: this.#window, position: { offset: 0, lines: 0 } });
  }

  get counts(): BodyCounts {
    const { records, distinct, duplicates, passed, dropped } = this.#counter.counts;
    const pending = this.#pending;
    return { records, distinct: distinct - pending, duplicates, pending, passed, dropped };
  }

  /** Bytes that were taken and belong to a record that is not whole. */
  get unfinishedBytes(): number {
    return this.#window.end - this.#window.start;
  }

  /**
   * Takes at most PIECE_BYTES bytes. Passes on what is replied about the records that end in them.
   * @throws FirstseenError E_RECORD and E_KEY_MISSING for a record that a policy refuses, E_FULL and others of the detector, after the
   * records before it
   */
  take(bytes: Uint8Array, pass: Pass): void {
    this.#shared.use(this);
    this.#window.push(bytes);
    this.#takeRecords(pass);
  }

  /** Ends the body: takes a last record without a newline. Throws as `take`. */
  finish(pass: Pass): void {
    this.#shared.use(this);
    this.#window.finish();
    this.#takeRecords(pass);
    if (this.#endsInLine && this.#options.format !== 'u64') this.#pass(Uint8Array.of(NEWLINE), pass);
  }

  /** Lets others use the scanner. Nothing more is taken. */
  close(): void {
    this.#shared.release(this);
  }

  enter(): void {
    const { scanner } = this.#shared;
    hashAs(scanner, this.#options.settings);
    configureScan(scanner.kernel, this.#scan, scanner.scratch);
    this.#window.enter();
  }

  leave(): void {
    this.#window.leave();
  }

  #takeRecords(pass: Pass): void {
    this.#isBegun ||= this.#cutter.begin();
    if (!this.#isBegun) return;
    for (let cut = this.#cutter.next(); cut !== undefined; cut = this.#cutter.next()) {
      const bytes = cut.kind === 'piece' ? this.#replyToPiece(cut) : this.#replyTo(cut.count);
      if (bytes.length > 0) this.#pass(bytes, pass);
      this.#cutter.advance();
    }
  }

  #pass(bytes: Uint8Array, pass: Pass): void {
    const { emitted } = this.#options;
    this.#endsInLine = (emitted === 'distinct' || emitted === 'duplicates') && bytes.at(-1) !== NEWLINE;
    pass(Buffer.from(bytes));
  }

  /** Returns the reply about the records at the front of the batch. It is valid until the next cut. */
  #replyTo(count: number): Uint8Array {
    const { kernel, output } = this.#shared.scanner;
    const { emitted } = this.#options;
    if (emitted === 'nothing') return NOTHING;
    if (emitted === 'bytes') return kernel.verdicts.subarray(0, count).map(byteOf);
    if (emitted !== 'words') return this.#selected(count, emittedMask(emitted));
    if (this.#hasPending) return this.#wordsOf(kernel.verdicts.subarray(0, count));
    return bytesBetween(kernel, output, kernel.exports.writeVerdicts(count, output) >>> 0);
  }

  #selected(count: number, mask: number): Uint8Array {
    const { kernel, output } = this.#shared.scanner;
    return bytesBetween(kernel, output, kernel.exports.compact(count, mask, output) >>> 0);
  }

  /** The kernel has no word for a key that is held. */
  #wordsOf(verdicts: Uint8Array): Uint8Array {
    return Buffer.from(Array.from(verdicts, (verdict) => words.get(verdict) ?? '').join(''));
  }

  /** Returns the reply about a piece of a record that is too long. */
  #replyToPiece({ bytes, isLast, verdict }: Extract<Cut, { kind: 'piece' }>): Uint8Array {
    const { emitted } = this.#options;
    if (emitted === 'distinct' || emitted === 'duplicates') {
      return emittedMask(emitted) & WANTED_PASSED ? bytes : NOTHING;
    }
    if (!isLast || emitted === 'nothing') return NOTHING;
    return emitted === 'words' ? this.#wordsOf(Uint8Array.of(verdict)) : Uint8Array.of(byteOf(verdict));
  }

  #observe(count: number): Observation {
    const { kernel } = this.#shared.scanner;
    const verdicts = kernel.verdicts.subarray(0, count);
    const { answered, error } = this.#options.ask({
      fingerprints: kernel.fingerprints.subarray(0, count),
      count,
      verdicts,
    });
    this.#hasPending = verdicts.subarray(0, answered).includes(PENDING);
    if (this.#hasPending) this.#pending += verdicts.subarray(0, answered).filter((one) => one === PENDING).length;
    return error === undefined ? { taken: answered } : { taken: answered, failure: failureOf(error) };
  }
}
