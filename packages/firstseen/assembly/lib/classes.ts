// One byte for each record of a batch: first the class that the scanner gives it, then its verdict. src/records/classes.ts
// names the reason of each class in words.

/** Verdicts of a detector. */
export const DISTINCT: u32 = 0;
export const DUPLICATE: u32 = 1;
/** Distinct, but its key does not occur as often as asked for, so no output gets it. */
export const UNCHOSEN: u32 = 2;

// Classes.

/** The record has a key, and its fingerprint is in the batch. */
export const KEYED: u32 = 0;
/** An empty line, in a format in which empty lines are not records: all text with fields. */
export const BLANK: u32 = 1;
export const KEY_MISSING: u32 = 2;
export const TOO_LONG: u32 = 3;

/** Invalid records, by reason. */
export const NOT_AN_OBJECT: u32 = 4;
export const UNTERMINATED_STRING: u32 = 5;
export const BAD_STRUCTURE: u32 = 6;
export const BAD_ESCAPE: u32 = 7;
export const UNTERMINATED_QUOTE: u32 = 8;
export const TEXT_AFTER_QUOTE: u32 = 9;
export const NOT_AN_INTEGER: u32 = 10;
export const TRUNCATED: u32 = 11;
/** The record's time is missing or unreadable. */
export const TIME_UNREADABLE: u32 = 12;
/** The record's time is later than the host allows. */
export const TIME_AHEAD: u32 = 13;
/** The record has a key that is empty, and the host decides on such records. */
export const KEY_EMPTY: u32 = 14;
/** The record's key belongs to another shard. */
export const OTHER_SHARD: u32 = 15;
/** The value that ranks the record is too long. */
export const RANK_TOO_LONG: u32 = 16;
/** Invalid records of warc: without a version, without a length, with a length that is not a number, cut, or longer than the length says. */
export const WARC_NO_VERSION: u32 = 17;
export const WARC_NO_LENGTH: u32 = 18;
export const WARC_BAD_LENGTH: u32 = 19;
export const WARC_CUT: u32 = 20;
export const WARC_BAD_END: u32 = 21;
/** The record is of a type whose records are not compared. */
export const NOT_COMPARED: u32 = 22;
/** Something else than an object follows an object on its line. */
export const TEXT_AFTER_OBJECT: u32 = 23;

/** The host's decision on a record without a key. It overwrites the class, and so the verdict. */
export const PASSED: u32 = 0xf0;
export const DROPPED: u32 = 0xf1;
/** Copied to the output but not a record: it has no line among the verdicts. */
export const COPIED: u32 = 0xf2;
/** Left to another shard: it goes nowhere and is not counted as a record. */
export const SKIPPED: u32 = 0xf3;
