// The name of a record in the lines of spans, as JSON.

import type { Kernel } from '../../kernel/kernel.js';
import { resolveColumn } from '../../records/columns.js';
import type { Dialect } from '../../records/dialect.js';
import { fieldText } from '../../records/fields.js';
import { withoutTerminator } from '../../records/formats.js';
import { placeOf } from './place.js';

export interface NameOptions {
  kernel: Kernel;
  /** The address of the path of the name. */
  path: number;
  key: string;
}

export interface RecordNames {
  /** Takes the names of the columns of the inputs. @throws FirstseenError E_USAGE when none is that of the key. */
  checkHeader(names: readonly string[]): void;
  /** The name of a record of the batch, valid until the next one; undefined if it has none. */
  nameOf(index: number): Uint8Array | undefined;
}

/** Names in JSON, which are written as they are. */
export function jsonNames({ kernel, path }: NameOptions): RecordNames {
  return {
    checkHeader: () => undefined,
    nameOf(index) {
      const place = placeOf(kernel, path, index);
      return place && kernel.bytes.subarray(place.start, place.end);
    },
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Names in a column of a table, which become strings.
 * @throws FirstseenError E_USAGE if the table has no header and the key is not a column number.
 */
export function columnNames({ kernel, key }: NameOptions, dialect: Dialect, hasHeader: boolean): RecordNames {
  let column = hasHeader ? 0 : resolveColumn(key, undefined, 'idKey');
  return {
    checkHeader(names) {
      column = resolveColumn(key, names, 'idKey');
    },
    nameOf(index) {
      const record = kernel.bytes.subarray(kernel.recordStarts[index], kernel.recordEnds[index]);
      const text = fieldText(withoutTerminator(record), column, dialect, decoder);
      return text === undefined ? undefined : encoder.encode(JSON.stringify(text));
    },
  };
}
