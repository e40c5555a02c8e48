// The scanner's settings, as the host writes them at SCAN_OFFSET (src/records/settings.ts):
//
//   the header, u32 each: format, fingerprint kind, number of keys, maximum bytes of a record, scratch offset, scratch
//   bytes, 1 if records have times, 2 if they have ranks, else 0, 1 if empty keys have a class of their own, else 0, the meaning of a JSON
//   null as a key, the offset of the program for times (timeformats.ts) from SCAN_OFFSET, 0 for none, the bytes between and around
//   fields, the one before a byte that is content, NO_BYTE for none, the rules by which keys are equal (equal.ts), and the number of fields that whole records are without, and their
//   offset from SCAN_OFFSET, and the number of types whose records are compared, 0 for all, and their offset, a salt of 64 bits that
//   fingerprints are mixed with, the number of keys that are texts and become one, 0 for none, 1 if only strings of JSON are texts, else 0,
//   1 if a path has the values of all items of an array, else 0, and the bytes of what lines that are not records begin with, 0 for no
//   such lines, and its offset from SCAN_OFFSET, and the number of parts that the time has; then the keys,
//   followed by the locations of the parts of the time in the form of
//   more keys, by format:
//     (a rank takes the place of a time)
//     csv, tsv, fields   one column each, ascending: u32 column, u32 index of the key among the keys
//     ndjson, logfmt     one path each: u32 segments, then each segment as u32 kind (0 object key, 1 array index, 2 every
//                        item of an array), u32 length of the key's bytes, the index itself or 0, and the bytes, padded to
//                        a multiple of 4;
//                        a name of logfmt is one segment
//     keyed lines        none: the host finds the keys
//     warc               one path each, of one segment: a name of a field in small letters, or an index (warckeys.ts); at least one
//   then the fields that whole records are without: u32 columns, ascending, or paths of object keys
//   then the types: u32 length of each, and its bytes in small letters, padded to a multiple of 4
//   then what lines that are not records begin with

import { prepareFingerprints } from '../lib/fingerprint';
import { SCAN_BYTES, SCAN_OFFSET } from '../lib/memory';

export const FORMAT_LINES: u32 = 0;
export const FORMAT_U64: u32 = 1;
export const FORMAT_NDJSON: u32 = 2;
export const FORMAT_CSV: u32 = 3;
export const FORMAT_TSV: u32 = 4;
export const FORMAT_NUL: u32 = 5;
export const FORMAT_FIELDS: u32 = 6;
export const FORMAT_LOGFMT: u32 = 7;
export const FORMAT_WARC: u32 = 8;
/** Lines in which the host finds the keys (linekeys.ts). */
export const FORMAT_KEYED_LINES: u32 = 9;

export const SCAN_KEYS_MAXIMUM: u32 = 16;
export const SCAN_TIMES_MAXIMUM: u32 = 4;

/** The parts of one record's key, and of its time: start and end of each, after the settings in the same region. */
export const PART_BYTES: u32 = 8;
const PARTS_BYTES: u32 = (SCAN_KEYS_MAXIMUM + SCAN_TIMES_MAXIMUM) * PART_BYTES;
/**
 * Space after the parts for the text of a time whose parts were joined, for parts whose escapes were decoded, and for the first text of
 * a scan that is not valid: enough for a time that consists of escapes only.
 */
export const TIME_TEXT_BYTES: u32 = 256;
export const SCAN_SETTINGS_BYTES: u32 = SCAN_BYTES - PARTS_BYTES - 3 * TIME_TEXT_BYTES;
export const PARTS_OFFSET: u32 = SCAN_OFFSET + SCAN_SETTINGS_BYTES;
export const TIME_TEXT_OFFSET: u32 = PARTS_OFFSET + PARTS_BYTES;
export const TIME_DECODED_OFFSET: u32 = TIME_TEXT_OFFSET + TIME_TEXT_BYTES;
export const TIME_INVALID_OFFSET: u32 = TIME_DECODED_OFFSET + TIME_TEXT_BYTES;

/** The fields of the header, by their offsets. */
export const SCAN_FORMAT_FIELD: u32 = 0;
export const SCAN_FINGERPRINT_FIELD: u32 = 4;
export const SCAN_KEY_COUNT_FIELD: u32 = 8;
export const SCAN_MAX_RECORD_BYTES_FIELD: u32 = 12;
export const SCAN_SCRATCH_OFFSET_FIELD: u32 = 16;
export const SCAN_SCRATCH_BYTES_FIELD: u32 = 20;
export const SCAN_TIME_FIELD: u32 = 24;
export const SCAN_EMPTY_FIELD: u32 = 28;
export const SCAN_NULL_FIELD: u32 = 32;
export const SCAN_TIME_PROGRAM_FIELD: u32 = 36;
export const SCAN_DELIMITER_FIELD: u32 = 40;
export const SCAN_QUOTE_FIELD: u32 = 44;
export const SCAN_ESCAPE_FIELD: u32 = 48;
export const SCAN_EQUAL_FIELD: u32 = 52;
export const SCAN_EXCEPT_COUNT_FIELD: u32 = 56;
export const SCAN_EXCEPT_FIELD: u32 = 60;
export const SCAN_TYPE_COUNT_FIELD: u32 = 64;
export const SCAN_TYPES_FIELD: u32 = 68;
export const SCAN_SALT_FIELD: u32 = 72;
export const SCAN_TEXTS_FIELD: u32 = 80;
export const SCAN_STRINGS_FIELD: u32 = 84;
export const SCAN_LISTS_FIELD: u32 = 88;
export const SCAN_COMMENT_BYTES_FIELD: u32 = 92;
export const SCAN_COMMENT_FIELD: u32 = 96;
export const SCAN_TIME_COUNT_FIELD: u32 = 100;
export const SCAN_HEADER_BYTES: u32 = 104;

/** In place of a byte of a dialect that it does not have. No byte is equal to it, and no code of a character in JavaScript. */
export const NO_BYTE: u32 = 0x10000;

/** The address of the first key. */
export const SCAN_KEYS_OFFSET: u32 = SCAN_OFFSET + SCAN_HEADER_BYTES;

/** The meanings of the last part of a record, if it is not of its key. */
export const SCAN_HAS_TIME: u32 = 1;
export const SCAN_HAS_RANK: u32 = 2;

/** A path's segment is an object's key, an array's index, or all indexes of an array. */
export const SEGMENT_KEY: u32 = 0;
export const SEGMENT_INDEX: u32 = 1;
export const SEGMENT_EVERY: u32 = 2;

/** A JSON null as a key is a value like any other, is empty, or makes the key missing. */
export const NULL_VALUE: u32 = 0;
export const NULL_EMPTY: u32 = 1;
export const NULL_MISSING: u32 = 2;

/** The wanted column number `key` of csv, tsv or fields, in ascending order. */
export function keyColumn(key: u32): u32 {
  return load<u32>(SCAN_KEYS_OFFSET + (key << 3));
}

/** The index of that column among the keys in the order they were given; `keyCount` and more for the parts of the time. */
export function keyIndex(key: u32): u32 {
  return load<u32>(SCAN_KEYS_OFFSET + (key << 3), 4);
}

export let format: u32 = 0;
export let fingerprintKind: u32 = 0;
export let keyCount: u32 = 0;
/** Number of keys, plus the parts of the time, or one for a rank, which are the last parts. */
export let partCount: u32 = 0;
/** Number of parts of the time; several are joined. */
export let timeCount: u32 = 0;
export let hasTime: bool = false;
/** True if the last part is a value that ranks the record. The scanner leaves its span in place of a time. */
export let hasRank: bool = false;
/** True if a key that is empty has a class of its own. */
export let findsEmptyKeys: bool = false;
export let nullMeaning: u32 = NULL_VALUE;
/** The address of the program for times; 0 if there is none. */
export let timeProgram: u32 = 0;
/** The byte between two fields, `NO_BYTE` for blanks, and the one around a quoted field of csv. */
export let delimiter: u32 = 0;
export let quote: u32 = 0;
/** The byte before a byte of csv that is content; `NO_BYTE` if two quotes are the only escape. */
export let escapeByte: u32 = 0;
/** The rules by which keys are equal; 0 for keys of the same bytes. */
export let equalRules: u32 = 0;
/** The number of fields that whole records are without, and the address of their places. */
export let exceptCount: u32 = 0;
export let exceptPlaces: u32 = 0;
/** The number of types of warc whose records are compared, 0 for all, and the address of the types. */
export let typeCount: u32 = 0;
export let typesOffset: u32 = 0;
/** The number that is mixed into fingerprints, so that equal keys of inputs with other salts differ. */
export let salt: u64 = 0;
/** The number of keys, the first ones, that are texts and become one; 0 if texts are keys like all others. */
export let textCount: u32 = 0;
/** True if only strings of JSON are texts. */
export let takesStrings: bool = false;
/** True if a path has the values of all items of an array. */
export let hasLists: bool = false;
/** The bytes that a line begins with which is not a record, and their number; 0 if all lines are records. */
export let commentStart: u32 = 0;
export let commentBytes: u32 = 0;
export let maximumRecordBytes: u32 = 0;
export let scratchOffset: u32 = 0;
export let scratchBytes: u32 = 0;

/** Reads the settings. Must be called after any change of them or of the seed, and before `scan`. */
export function scanConfigure(): void {
  format = load<u32>(SCAN_OFFSET, SCAN_FORMAT_FIELD);
  fingerprintKind = load<u32>(SCAN_OFFSET, SCAN_FINGERPRINT_FIELD);
  keyCount = load<u32>(SCAN_OFFSET, SCAN_KEY_COUNT_FIELD);
  const last = load<u32>(SCAN_OFFSET, SCAN_TIME_FIELD);
  hasTime = last == SCAN_HAS_TIME;
  hasRank = last == SCAN_HAS_RANK;
  timeCount = hasTime ? load<u32>(SCAN_OFFSET, SCAN_TIME_COUNT_FIELD) : 0;
  partCount = keyCount + (hasTime ? timeCount : u32(hasRank));
  findsEmptyKeys = load<u32>(SCAN_OFFSET, SCAN_EMPTY_FIELD) != 0;
  nullMeaning = load<u32>(SCAN_OFFSET, SCAN_NULL_FIELD);
  const program = load<u32>(SCAN_OFFSET, SCAN_TIME_PROGRAM_FIELD);
  timeProgram = program == 0 ? 0 : SCAN_OFFSET + program;
  delimiter = load<u32>(SCAN_OFFSET, SCAN_DELIMITER_FIELD);
  quote = load<u32>(SCAN_OFFSET, SCAN_QUOTE_FIELD);
  escapeByte = load<u32>(SCAN_OFFSET, SCAN_ESCAPE_FIELD);
  equalRules = load<u32>(SCAN_OFFSET, SCAN_EQUAL_FIELD);
  exceptCount = load<u32>(SCAN_OFFSET, SCAN_EXCEPT_COUNT_FIELD);
  exceptPlaces = SCAN_OFFSET + load<u32>(SCAN_OFFSET, SCAN_EXCEPT_FIELD);
  typeCount = load<u32>(SCAN_OFFSET, SCAN_TYPE_COUNT_FIELD);
  typesOffset = SCAN_OFFSET + load<u32>(SCAN_OFFSET, SCAN_TYPES_FIELD);
  salt = load<u64>(SCAN_OFFSET, SCAN_SALT_FIELD);
  textCount = load<u32>(SCAN_OFFSET, SCAN_TEXTS_FIELD);
  takesStrings = load<u32>(SCAN_OFFSET, SCAN_STRINGS_FIELD) != 0;
  hasLists = load<u32>(SCAN_OFFSET, SCAN_LISTS_FIELD) != 0;
  commentBytes = load<u32>(SCAN_OFFSET, SCAN_COMMENT_BYTES_FIELD);
  commentStart = SCAN_OFFSET + load<u32>(SCAN_OFFSET, SCAN_COMMENT_FIELD);
  maximumRecordBytes = load<u32>(SCAN_OFFSET, SCAN_MAX_RECORD_BYTES_FIELD);
  scratchOffset = load<u32>(SCAN_OFFSET, SCAN_SCRATCH_OFFSET_FIELD);
  scratchBytes = load<u32>(SCAN_OFFSET, SCAN_SCRATCH_BYTES_FIELD);
  prepareFingerprints(fingerprintKind);
}
