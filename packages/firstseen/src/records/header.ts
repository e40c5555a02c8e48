// The header of csv and tsv.

import { csvFields } from './csvfields.js';
import { ordinaryNames, type TableFormat } from './ordinary.js';

/** The names in a header record, without its terminator and byte order mark. Invalid UTF-8 becomes U+FFFD. */
export function headerNames(format: TableFormat, content: Uint8Array): string[] {
  return ordinaryNames(format, content) ?? csvFields(new TextDecoder().decode(content), false);
}
