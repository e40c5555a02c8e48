// The name of a record in the lines of spans, as JSON.

import type { Kernel } from '../../kernel/kernel.js';
import { resolveColumn } from '../../records/columns.js';
import type { Dialect } from '../../records/dialect.js';
import { fieldText } from '../../records/fields.js';
import { withoutTerminator } from '../../records/formats.js';

const PLACE_BYTES = 2 * Uint32Array.BYTES_PER_ELEMENT;

/** A batch of records whose names are found. */
export interface NamedBatch {
  kernel: Kernel;
  /** The address of the places of the names of its records, if they are in JSON. */
  names: number;
}

export interface RecordNames {
  /** Takes the names of the columns of the inputs. @throws FirstseenError E_USAGE when none is that of the key. */
  checkHeader(names: readonly string[]): void;
  /** The name of a record of a batch, valid as long as the batch; undefined if it has none. */
  nameOf(batch: NamedBatch, index: number): Uint8Array | undefined;
}

/** Names in JSON, which are written as they are. */
export const jsonNames: RecordNames = {
  checkHeader: () => undefined,
  nameOf({ kernel: { bytes }, names }, index) {
    const place = new Uint32Array(bytes.buffer, names + index * PLACE_BYTES, 2);
    return place[0] === 0 ? undefined : bytes.subarray(place[0], place[1]);
  },
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Names in a column of a table, which become strings.
 * @throws FirstseenError E_USAGE if the table has no header and the key is not a column number.
 */
export function columnNames(key: string, dialect: Dialect, hasHeader: boolean): RecordNames {
  let column = hasHeader ? 0 : resolveColumn(key, undefined, 'idKey');
  return {
    checkHeader(names) {
      column = resolveColumn(key, names, 'idKey');
    },
    nameOf({ kernel }, index) {
      const record = kernel.bytes.subarray(kernel.recordStarts[index], kernel.recordEnds[index]);
      const text = fieldText(withoutTerminator(record), column, dialect, decoder);
      return text === undefined ? undefined : encoder.encode(JSON.stringify(text));
    },
  };
}
