// The options of the records of an input, which a run and a stream of bytes have alike.

import type { ErrorPolicy } from './policies.js';

/** Options of the format of records, and of invalid ones. */
export interface RecordOptions {
  /** True if csv and tsv begin with a header; true by default. It is written before the records. */
  hasHeader?: boolean | undefined;
  /** The number of lines before the header, or before the first record, that are not records; 0 by default. Those of the first input are written. */
  skipLines?: number | undefined;
  /** The beginning of lines that are not records, such as `#`, in lines, csv, tsv and logfmt. They are written where they are, as blank lines are. */
  comment?: string | undefined;
  /** The character between two fields of csv or of lines, such as `;`, or `tab`; by default the comma in csv, and blanks in lines. */
  delimiter?: string | undefined;
  /** The character around a quoted field, `"` by default in csv, or `none`, the default in tsv. Two of them inside the field are one. */
  quote?: string | undefined;
  /** The character of csv or tsv that makes the next one a part of its field, such as `\\`; by default, only two quotes do that. */
  escape?: string | undefined;
  /** The types of WARC records that are compared, or `all`; `response`, `resource` and `conversion` by default. Other records pass. */
  warcTypes?: readonly string[] | undefined;
  /** The policy for an invalid or over-long record: `fail`, the default (E_RECORD), `pass` or `drop`. */
  onError?: ErrorPolicy | undefined;
  /** Validate whole records, not only up to the key; false by default. It requires the `Buffer` of Node, which browsers lack. */
  isStrict?: boolean | undefined;
  /** The maximum length of a record in bytes; 16 MiB by default. */
  maxRecordBytes?: number | undefined;
}
