// The header of csv and tsv.

import { csvFields } from './csvfields.js';
import type { Dialect } from './dialect.js';
import { ordinaryNames, type TableFormat } from './ordinary.js';

/** The names in a header record, without its terminator and byte order mark. Invalid UTF-8 becomes U+FFFD. */
export function headerNames(format: TableFormat, content: Uint8Array, dialect?: Dialect): string[] {
  return ordinaryNames(format, content, dialect) ?? csvFields(new TextDecoder().decode(content), false, dialect);
}
