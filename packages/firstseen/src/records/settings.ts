// Encodes the settings of the kernel's scanner, which assembly/scan/settings.ts reads.

import { checkWhole } from '../base/check.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { type FingerprintName, fingerprintForms } from '../fingerprint/fingerprint.js';
import {
  COMPOSITE_LENGTH_BYTES,
  EQUAL_GROWTH,
  EQUAL_SPARE_BYTES,
  FORMAT_KEYED_LINES,
  KEY_SPANS,
  SCAN_COMMENT_BYTES_FIELD,
  SCAN_COMMENT_FIELD,
  SCAN_DELIMITER_FIELD,
  SCAN_EMPTY_FIELD,
  SCAN_EQUAL_FIELD,
  SCAN_ESCAPE_FIELD,
  SCAN_EXCEPT_COUNT_FIELD,
  SCAN_EXCEPT_FIELD,
  SCAN_FINGERPRINT_FIELD,
  SCAN_FORMAT_FIELD,
  SCAN_HAS_RANK,
  SCAN_HAS_TIME,
  SCAN_HEADER_BYTES,
  SCAN_KEY_COUNT_FIELD,
  SCAN_KEYS_MAXIMUM,
  SCAN_LISTS_FIELD,
  SCAN_MAX_RECORD_BYTES_FIELD,
  SCAN_NULL_FIELD,
  SCAN_QUOTE_FIELD,
  SCAN_SALT_FIELD,
  SCAN_SCRATCH_BYTES_FIELD,
  SCAN_SCRATCH_OFFSET_FIELD,
  SCAN_SETTINGS_BYTES,
  SCAN_STRINGS_FIELD,
  SCAN_TEXTS_FIELD,
  SCAN_TIME_COUNT_FIELD,
  SCAN_TIME_FIELD,
  SCAN_TIME_PROGRAM_FIELD,
  SCAN_TIMES_MAXIMUM,
  SCAN_TYPE_COUNT_FIELD,
  SCAN_TYPES_FIELD,
  U64_RECORD_BYTES,
  WARC_BLOCK,
} from '../kernel/abi.js';
import type { Kernel } from '../kernel/kernel.js';
import { commentPrefix } from './comments.js';
import { type Dialect, defaultDialect } from './dialect.js';
import { encodePath, padded } from './encodedpath.js';
import { type Equality, equalityBits } from './equality.js';
import { type FormatName, type RecordFormat, recordFormats } from './formats.js';
import { checkOneValue, formatKeyPath, hasEveryItem, type KeyPath } from './keypath.js';
import { type NullMeaning, nullMeanings } from './nulls.js';
import { checkColumns, checkPaths, refuseKeys } from './places.js';
import type { JoinedTexts } from './texts.js';

export interface ScanSettings {
  format: FormatName;
  /**
   * The output of the scanner for a key: its fingerprint, or with `spans` its span, which is valid until the next scan.
   */
  fingerprint: FingerprintName | 'spans';
  /** The maximum length of a record without its terminator: 1 to 2^31 - 1. */
  maxRecordBytes: number;
  /** Paths in each object of ndjson, names of logfmt, or places in a record of warc; none for the whole line, or the block. */
  paths?: readonly KeyPath[];
  /** Columns of csv, tsv and fields, from 0; none for the whole row. */
  columns?: readonly number[];
  /** The number of keys that the host finds in each line (linekeys.ts), in place of columns of fields. */
  lineKeyCount?: number | undefined;
  /** The dialect; that of the format by default. */
  dialect?: Dialect | undefined;
  /** The beginning of lines that are not records (comments.ts); all lines are records by default. */
  comment?: string | undefined;
  /** True if a key whose parts are all empty has a class of its own; false by default. */
  findsEmptyKeys?: boolean;
  /** The meaning of a JSON null as a key: a value like any other, the default, empty, or no key at all. */
  nulls?: NullMeaning;
  /** The texts that become one; each key is a part of its own by default. */
  texts?: JoinedTexts | undefined;
  /** The rules by which keys are equal that are not the same bytes; none by default. */
  equality?: Equality | undefined;
  /** The paths or columns that whole records are without, like the keys of the format; none by default. */
  except?: readonly (KeyPath | number)[] | undefined;
  /** The types of warc whose records are compared; all by default. */
  types?: readonly string[] | undefined;
  /**
   * The number that is mixed into fingerprints, so that equal keys of inputs with other salts differ; none by default.
   * It cannot be given with `spans`.
   */
  salt?: bigint | undefined;
  /**
   * The parts of the time of a record, whose texts a blank joins: paths or columns, like the keys of the format. They may also be keys.
   * There are none for records without times.
   */
  times?: readonly (KeyPath | number)[];
  /**
   * The value that ranks a record: a path or a column, like the keys of the format. The scanner leaves its span in place of a time, so
   * a record has no time then. It may also be a key.
   */
  rank?: KeyPath | number;
  /**
   * The program that reads the text of a time (timeformat.ts); seconds or milliseconds since 1970, or RFC 3339, by
   * default.
   */
  timeProgram?: Uint32Array | undefined;
}

/** A region of kernel memory for decoded and composite keys. */
export interface ScratchRegion {
  offset: number;
  /** At least `scratchBytesFor` the same settings. */
  bytes: number;
}

const MAXIMUM_RECORD_BYTES = 2 ** 31 - 1;
const KEYS = /* @__PURE__ */ optionName('keys');
const FORMAT = /* @__PURE__ */ optionName('format');
const FINGERPRINT = /* @__PURE__ */ optionName('fingerprint');

/** The places of the keys that have paths. The block is the key of a record of warc without others. */
function pathsOf({ format, paths = [] }: ScanSettings): readonly KeyPath[] {
  return format === 'warc' && paths.length === 0 ? [[WARC_BLOCK]] : paths;
}

function keyCountOf(settings: ScanSettings): number {
  return pathsOf(settings).length || settings.columns?.length || settings.lineKeyCount || 0;
}

/**
 * The scratch bytes that a record can need. Keys, and the names on the way to them or to the time, never overlap, so decoded
 * they fit in the bytes of one record, and so do the values of all items of an array. A composite key is a second copy with a length
 * of 8 bytes before each part, and several texts are copied once more to become one.
 */
export function scratchBytesFor(settings: ScanSettings): number {
  return unequalScratchBytes(settings) + equalScratchBytes(settings, settings.maxRecordBytes, 1);
}

/** Counts how often the bytes of the keys of a record are copied. */
function copiesOf({ texts }: ScanSettings, keyCount: number): number {
  if (keyCount <= 1) return 1;
  return texts ? 3 : 2;
}

function unequalScratchBytes(settings: ScanSettings): number {
  const keyCount = keyCountOf(settings);
  // What records have without some fields, and a name whose escapes are decoded.
  if (settings.except) return 2 * settings.maxRecordBytes;
  if (keyCount === 0 && timesOf(settings).length === 0) return 0;
  const copies = copiesOf(settings, keyCount);
  return copies * settings.maxRecordBytes + (copies > 1 ? keyCount * COMPOSITE_LENGTH_BYTES : 0);
}

/** The same for all records of a scan of this length, if their keys must remain, and their ranks, which may be keys too. */
export function scratchBytesForSpans(settings: ScanSettings, scannedBytes: number, maxRecords: number): number {
  return unequalSpansBytes(settings, scannedBytes, maxRecords) + equalScratchBytes(settings, scannedBytes, maxRecords);
}

/**
 * Returns the scratch bytes that rules of equal keys add: each part as the rules make it, and a composite key of these
 * parts.
 */
function equalScratchBytes(settings: ScanSettings, recordBytes: number, records: number): number {
  if (!settings.equality) return 0;
  const parts = Math.max(1, keyCountOf(settings)) * records;
  return 2 * (EQUAL_GROWTH * recordBytes + parts * (EQUAL_SPARE_BYTES + COMPOSITE_LENGTH_BYTES));
}

function unequalSpansBytes(settings: ScanSettings, scannedBytes: number, maxRecords: number): number {
  const keyCount = keyCountOf(settings);
  if (keyCount === 0 && !settings.except && lastPartsOf(settings).length === 0) return 0;
  const rankBytes = settings.rank === undefined ? 0 : scannedBytes;
  if (settings.except) return 2 * scannedBytes + rankBytes;
  const copies = copiesOf(settings, keyCount);
  const keyBytes = copies * scannedBytes + (copies > 1 ? maxRecords * keyCount * COMPOSITE_LENGTH_BYTES : 0);
  return keyBytes + rankBytes;
}

/** Tells if the scanner finds the fields of this kind by their paths or their columns. */
function isFoundBy(by: 'paths' | 'columns', kind: RecordFormat['keys']): boolean {
  const isColumn = kind === 'columns' || kind === 'numbers';
  return by === 'paths' ? kind !== 'none' && !isColumn : isColumn;
}

function checkSettings(settings: ScanSettings): void {
  const { format, fingerprint, maxRecordBytes, paths = [], columns = [] } = settings;
  const kind = recordFormats[format].keys;
  if (maxRecordBytes > MAXIMUM_RECORD_BYTES) {
    const givenText = formatBytes(maxRecordBytes);
    const expected = `less than ${formatBytes(MAXIMUM_RECORD_BYTES + 1)}`;
    throw invalidOption({ option: 'maxRecordBytes', given: maxRecordBytes, givenText, expected });
  }
  checkWhole('maxRecordBytes', maxRecordBytes, { least: 1, most: MAXIMUM_RECORD_BYTES });
  if (format === 'u64' && maxRecordBytes < U64_RECORD_BYTES) {
    const expected = `at least ${U64_RECORD_BYTES} for format u64`;
    throw invalidOption({ code: 'E_USAGE', option: 'maxRecordBytes', given: maxRecordBytes, expected });
  }
  if ((paths.length > 0 && !isFoundBy('paths', kind)) || (columns.length > 0 && !isFoundBy('columns', kind))) {
    const kindGiven = paths.length > 0 ? 'key paths' : 'key columns';
    refuseKeys(`format ${format} has no ${kindGiven}`, phrase`leave ${KEYS} out, or choose another ${FORMAT}`);
  }
  const keyCount = keyCountOf(settings);
  if (keyCount > SCAN_KEYS_MAXIMUM) {
    refuseKeys(`${keyCount} keys were given, but the limit is ${SCAN_KEYS_MAXIMUM}`, 'give fewer keys');
  }
  if (keyCount > 1 && fingerprint === 'identity') {
    const problem = phrase`${FINGERPRINT} identity requires a single key, but ${keyCount} were given`;
    refuseKeys(problem, phrase`give one key, or choose ${FINGERPRINT} xxh64`);
  }
  checkPaths(paths);
  checkColumns(columns);
  checkLastParts(settings);
  checkExcept(settings);
}

function timesOf({ times = [] }: ScanSettings): readonly (KeyPath | number)[] {
  return times;
}

/** The fields of a record that are not of its key: those of its time, or what ranks it. */
function lastPartsOf(settings: ScanSettings): readonly (KeyPath | number)[] {
  const times = timesOf(settings);
  return times.length > 0 || settings.rank === undefined ? times : [settings.rank];
}

/** @throws FirstseenError E_USAGE for fields that records cannot be without. */
function checkExcept({ except = [] }: ScanSettings): void {
  const paths = except.filter((place) => typeof place !== 'number');
  checkColumns(except.filter((place) => typeof place === 'number'));
  checkPaths(paths);
  const item = paths.find((path) => path.some((segment) => typeof segment === 'number'));
  if (!item) return;
  const problem = phrase`${optionName('keyExcept')} ${formatKeyPath(item)} is in an array, of which nothing can be left out`;
  throw new FirstseenError('E_USAGE', problem, { option: 'keyExcept', remedy: 'name a member of an object' });
}

function checkLastParts(settings: ScanSettings): void {
  const { length } = timesOf(settings);
  if (length > SCAN_TIMES_MAXIMUM) {
    const problem = phrase`${optionName('timeKey')} was given ${length} times, but the limit is ${SCAN_TIMES_MAXIMUM}`;
    throw new FirstseenError('E_USAGE', problem, { option: 'timeKey', remedy: 'name fewer fields' });
  }
  for (const last of lastPartsOf(settings)) checkLastPart(settings.format, last, length > 0);
}

function checkLastPart(format: FormatName, last: KeyPath | number, isTime: boolean): void {
  const [subject, option] = isTime ? ['time', 'timeKey'] : ['rank', 'keep'];
  if (!isFoundBy(typeof last === 'number' ? 'columns' : 'paths', recordFormats[format].keys)) {
    throw new FirstseenError('E_USAGE', `records in format ${format} have no ${subject}`, {
      option,
      remedy: phrase`leave ${optionName(option)} out, or choose another ${FORMAT}`,
    });
  }
  if (typeof last === 'number') {
    checkColumns([last]);
    return;
  }
  checkPaths([last]);
  checkOneValue(last, option);
}

function encodeWords(words: readonly number[]): Uint8Array {
  const encoded = new Uint8Array(words.length * 4);
  const view = new DataView(encoded.buffer);
  for (const [i, word] of words.entries()) view.setUint32(i * 4, word, true);
  return encoded;
}

/** The columns in ascending order, each with its index among the keys. Those of the time or the rank follow the keys. */
function encodeColumns(settings: ScanSettings): Uint8Array {
  const { columns: keys = [] } = settings;
  const columns = [...keys, ...lastPartsOf(settings).filter((last) => typeof last === 'number')];
  const indexed = columns.map((column, index) => [column, index] as const).sort(([left], [right]) => left - right);
  return encodeWords(indexed.flat());
}

/** The fields that whole records are without: paths one after the other, or columns in ascending order. */
function encodeExcept({ except = [] }: ScanSettings): Uint8Array[] {
  const columns = except.filter((place) => typeof place === 'number').sort((left, right) => left - right);
  return columns.length > 0 ? [encodeWords(columns)] : except.map((path) => encodePath(path as KeyPath));
}

/** A type of warc: its length and its bytes. */
function encodeType(type: string): Uint8Array {
  const bytes = new TextEncoder().encode(type.toLowerCase());
  const encoded = new Uint8Array(4 + padded(bytes.length));
  new DataView(encoded.buffer).setUint32(0, bytes.length, true);
  encoded.set(bytes, 4);
  return encoded;
}

/** Encodes the beginning of comments. */
function encodeComment({ comment }: ScanSettings): Uint8Array {
  const prefix = commentPrefix(comment);
  const encoded = new Uint8Array(padded(prefix.length));
  encoded.set(prefix);
  return encoded;
}

function encodeScanHeader(settings: ScanSettings, scratch: ScratchRegion): Uint8Array {
  const { format, fingerprint, maxRecordBytes, rank, findsEmptyKeys = false, nulls = 'value' } = settings;
  const timeCount = timesOf(settings).length;
  const header = new DataView(new ArrayBuffer(SCAN_HEADER_BYTES));
  const hasLineKeys = settings.lineKeyCount !== undefined;
  header.setUint32(SCAN_FORMAT_FIELD, hasLineKeys ? FORMAT_KEYED_LINES : recordFormats[format].id, true);
  header.setUint32(
    SCAN_FINGERPRINT_FIELD,
    fingerprint === 'spans' ? KEY_SPANS : fingerprintForms[fingerprint].id,
    true,
  );
  header.setUint32(SCAN_KEY_COUNT_FIELD, keyCountOf(settings), true);
  header.setUint32(SCAN_MAX_RECORD_BYTES_FIELD, maxRecordBytes, true);
  header.setUint32(SCAN_SCRATCH_OFFSET_FIELD, scratch.offset, true);
  header.setUint32(SCAN_SCRATCH_BYTES_FIELD, scratch.bytes, true);
  const rankFlag = rank === undefined ? 0 : SCAN_HAS_RANK;
  header.setUint32(SCAN_TIME_FIELD, timeCount === 0 ? rankFlag : SCAN_HAS_TIME, true);
  header.setUint32(SCAN_TIME_COUNT_FIELD, timeCount, true);
  header.setUint32(SCAN_EMPTY_FIELD, findsEmptyKeys ? 1 : 0, true);
  const { dialect = defaultDialect(format) } = settings;
  header.setUint32(SCAN_DELIMITER_FIELD, dialect.delimiter, true);
  header.setUint32(SCAN_QUOTE_FIELD, dialect.quote, true);
  header.setUint32(SCAN_ESCAPE_FIELD, dialect.escape, true);
  header.setUint32(SCAN_NULL_FIELD, nullMeanings[nulls], true);
  header.setUint32(SCAN_EQUAL_FIELD, equalityBits(settings.equality), true);
  header.setUint32(SCAN_EXCEPT_COUNT_FIELD, settings.except?.length ?? 0, true);
  header.setUint32(SCAN_TYPE_COUNT_FIELD, settings.types?.length ?? 0, true);
  header.setUint32(SCAN_TEXTS_FIELD, settings.texts?.count ?? 0, true);
  header.setUint32(SCAN_STRINGS_FIELD, settings.texts?.areStrings ? 1 : 0, true);
  header.setUint32(SCAN_LISTS_FIELD, pathsOf(settings).some(hasEveryItem) ? 1 : 0, true);
  header.setUint32(SCAN_COMMENT_BYTES_FIELD, commentPrefix(settings.comment).length, true);
  header.setBigUint64(SCAN_SALT_FIELD, settings.salt ?? 0n, true);
  return new Uint8Array(header.buffer);
}

/**
 * Encodes the settings for the scanner.
 * @throws FirstseenError E_USAGE for keys that the format does not have, too many or overlapping keys, several keys with identity,
 * or a record size that excludes records of u64; E_PARAMETER for a record size out of range.
 */
export function encodeScanSettings(settings: ScanSettings, scratch: ScratchRegion): Uint8Array {
  checkSettings(settings);
  const { timeProgram } = settings;
  const paths = pathsOf(settings);
  const allPaths = [...paths, ...lastPartsOf(settings).filter((last) => typeof last === 'object')];
  const parts = [encodeScanHeader(settings, scratch), encodeColumns(settings), ...allPaths.map(encodePath)];
  const header = new DataView((parts[0] as Uint8Array).buffer);
  const lengthOf = () => parts.reduce((sum, part) => sum + part.length, 0);
  header.setUint32(SCAN_EXCEPT_FIELD, lengthOf(), true);
  parts.push(...encodeExcept(settings));
  header.setUint32(SCAN_TYPES_FIELD, lengthOf(), true);
  parts.push(...(settings.types ?? []).map(encodeType));
  header.setUint32(SCAN_COMMENT_FIELD, lengthOf(), true);
  parts.push(encodeComment(settings));
  if (timesOf(settings).length > 0 && timeProgram) {
    header.setUint32(SCAN_TIME_PROGRAM_FIELD, lengthOf(), true);
    parts.push(encodeWords([...timeProgram]));
  }
  const encoded = new Uint8Array(lengthOf());
  let at = 0;
  for (const part of parts) {
    encoded.set(part, at);
    at += part.length;
  }
  return encoded;
}

/**
 * Writes the settings into the kernel, and the scanner reads them. The detector's seed must already be in the kernel.
 * @throws FirstseenError as `encodeScanSettings`, and E_USAGE when the key paths are too long for the kernel.
 */
export function configureScan(kernel: Kernel, settings: ScanSettings, scratch: ScratchRegion): void {
  const encoded = encodeScanSettings(settings, scratch);
  if (encoded.length > SCAN_SETTINGS_BYTES) {
    const problem = `the key paths take ${encoded.length} bytes, but the limit is ${SCAN_SETTINGS_BYTES}`;
    refuseKeys(problem, 'give fewer or shorter keys');
  }
  kernel.scanSettings.set(encoded);
  kernel.exports.scanConfigure();
}
