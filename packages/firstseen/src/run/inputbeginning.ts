// The beginning of an input, before its records: the lines that are skipped, and the header, which is the same in all inputs.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { Progress } from '../checkpoint/progress.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { headerScan, namesIn } from '../framing/header.js';
import type { RecordWriter, Sink } from '../io/sink.js';
import { type Dialect, seemingDelimiter } from '../records/dialect.js';
import { ordinaryFields, type TableFormat } from '../records/ordinary.js';
import { separatorBytes } from '../records/separator.js';
import { configureScan, type ScanSettings, type ScratchRegion } from '../records/settings.js';
import { fieldsOfTime } from '../records/timekeys.js';
import { checkAll, checkBeginning } from './beginning.js';
import type { InputCursor, InputCutter, Pauses, Pipeline } from './pipeline.js';
import type { ResolvedInputs, ResolvedRecords } from './resolved.js';
import { otherSeparator } from './separator.js';
import type { ReportOptions } from './settled.js';

/** The text of a header without its terminator, and without a line that names the delimiter. */
function contentOf(encoded: string): string {
  const header = Buffer.from(encoded, 'base64');
  // The decoder drops a byte order mark. A tab at the end of a header is significant: an empty column follows it.
  return new TextDecoder().decode(header.subarray(separatorBytes(header))).replace(/\r?\n$/, '');
}

/** The names in a header, however they are quoted; undefined if only a parser can tell them. */
function namesOf(content: string, dialect: Dialect | undefined): string | undefined {
  const names = ordinaryFields(content, dialect);
  return names && JSON.stringify(names);
}

/**
 * Compares the header of an input with the header that was written; both in base64.
 * @throws FirstseenError E_RECORD when they differ.
 */
export function checkSameHeader(
  { format, dialect }: Pick<ScanSettings, 'format' | 'dialect'>,
  name: string,
  header: string,
  before: string,
): void {
  const [columns, expected] = [contentOf(header), contentOf(before)];
  if (columns === expected) return;
  const names = format === 'csv' ? namesOf(columns, dialect) : undefined;
  if (names !== undefined && names === namesOf(expected, dialect)) return;
  throw new FirstseenError(
    'E_RECORD',
    `${name}, line 1: the header is ${JSON.stringify(columns)}, but the earlier inputs have ${JSON.stringify(expected)}`,
    { remedy: 'deduplicate files with different columns separately' },
  );
}

/** Returns the error or warning for a header of csv that is one column, but would be several with another delimiter. */
function otherDelimiter(name: string, delimiter: string): FirstseenError {
  const flagValue = delimiter === 'tab' ? delimiter : `'${delimiter}'`;
  const remedy = phrase`give ${optionName('delimiter')} ${flagValue}`;
  return new FirstseenError(
    'E_USAGE',
    `${name}, line 1: the header is one column, but seems to have the delimiter ${flagValue}`,
    { option: 'delimiter', remedy },
  );
}

/** The parts of a run that take the beginning of an input. */
export interface BeginningParts {
  detector: Detector;
  inputs: Pick<ResolvedInputs, 'isFollowing'>;
  progress: Progress;
  pipeline: Pipeline;
  outputs: { sinks: readonly Sink[]; writer: RecordWriter | undefined };
  records: Pick<ResolvedRecords, 'key' | 'rank' | 'scan' | 'isFormatGuessed' | 'skipLines'>;
  scratch: ScratchRegion;
  report: Pick<ReportOptions, 'onWarning'>;
}

export class InputBeginning {
  readonly #parts: BeginningParts;
  readonly #configureScan: (names: readonly string[]) => void;

  /** @param configure sets the scanner for records with these columns */
  constructor(parts: BeginningParts, configure: (names: readonly string[]) => void) {
    this.#parts = parts;
    this.#configureScan = configure;
  }

  /** Takes the lines that are skipped of an input without a header. They are written unless those of another input were. False when aborted. */
  async takeSkipped(cutter: InputCutter, pauses: Pauses): Promise<boolean> {
    const look = () => (cutter.begin() && cutter.skip()) || undefined;
    const skipped = await this.#parts.pipeline.readFor(look, cutter, pauses);
    if (skipped === 'aborted') return false;
    if (skipped) await this.#sendBefore(cutter.textBefore);
    return true;
  }

  /** Reads the header, finds the key columns in it, and writes it unless one was written before. False when aborted. */
  async takeHeader(cutter: InputCutter, cursor: InputCursor, pauses: Pauses): Promise<boolean> {
    const { name, offset } = cursor;
    const { detector, records, scratch, outputs, pipeline, report } = this.#parts;
    const { key, scan } = records;
    configureScan(kernelOf(detector), headerScan(scan), scratch);
    const header = await pipeline.readFor(() => cutter.header(), cutter, pauses);
    if (header === 'aborted') return false;
    if (header === undefined) {
      if (cutter.window.endsRecord && offset === 0) await this.#sendBefore(cutter.textBefore);
      return true;
    }
    const names = await namesIn(key.format as TableFormat, header, name, scan.dialect);
    const other = otherSeparator(name, header, scan.dialect);
    if (other) report.onWarning?.(other);
    if (offset === 0) checkBeginning(records, cursor, cutter.beginning);
    await this.#checkDelimiter(names, name);
    outputs.writer?.checkHeader(names);
    this.#configureScan(names);
    cutter.columnCount = names.length;
    if (offset > 0) return true;
    await this.#sendHeader(header, cutter.textBefore, name);
    cutter.advance();
    return true;
  }

  /** Tells that a header with one column seems to have another delimiter, once if the run can go on. */
  async #checkDelimiter(names: readonly string[], name: string): Promise<void> {
    const { records, report, inputs, progress } = this.#parts;
    const { key, rank, scan, skipLines } = records;
    const delimiter = scan.format === 'csv' ? seemingDelimiter(names, scan.dialect) : undefined;
    if (delimiter === undefined) return;
    const neededColumns = [...key.keys, ...fieldsOfTime(key.time), ...(rank === undefined ? [] : [rank])];
    const delimiterError = otherDelimiter(name, delimiter);
    // The only column can be named, or be called 1 if the delimiter was given. Without the other columns, the run fails in any case.
    if (neededColumns.some((column) => !names.includes(column) && (column !== '1' || scan.dialect === undefined)))
      throw delimiterError;
    if (!inputs.isFollowing) await checkAll({ ...scan, skipLines }, progress.source);
    if (progress.header === null) report.onWarning?.(delimiterError);
  }

  /** Appends the header to the outputs, after the lines before it. @throws FirstseenError E_RECORD when the inputs have different ones */
  async #sendHeader(header: Uint8Array, before: Uint8Array, name: string): Promise<void> {
    const { progress, outputs, records } = this.#parts;
    const encoded = Buffer.from(header).toString('base64');
    const isFirst = !progress.header;
    if (!progress.header) progress.header = encoded;
    else checkSameHeader(records.scan, name, encoded, progress.header);
    for (const sink of outputs.sinks.filter(({ isFolder }) => isFirst || isFolder)) {
      await sink.appendBefore(before);
      await sink.appendHeader(header);
    }
  }

  /** Appends lines that no header follows. The note of an empty header says that they were written. */
  async #sendBefore(before: Uint8Array): Promise<void> {
    const { progress, outputs } = this.#parts;
    if (before.length === 0) return;
    const isFirst = progress.header === null;
    progress.header ??= '';
    for (const sink of outputs.sinks) if (isFirst || sink.isFolder) await sink.appendBefore(before);
  }
}
