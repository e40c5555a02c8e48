// Copies rows from Parquet files to a new one of the same schema. Values are copied as they are stored, so nothing is rounded.

import type { DecodedArray, FileMetaData, SchemaElement } from 'hyparquet';
import type { ParquetWriter, Writer } from 'hyparquet-writer';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Piece } from './file.js';
import { loadWriting } from './packages.js';
import { type Field, fieldsOf, hasWrappedElement, indexSchema, isText, writingSchema } from './schema.js';

/** The most of a row group. */
const GROUP_ROWS = 131_072;
const GROUP_BYTES = 64 * 2 ** 20;

/** Types whose order is that of their stored values, so that the bounds of stored values are right. */
const orderedTypes: ReadonlySet<string> = new Set(['BOOLEAN', 'INT32', 'INT64', 'FLOAT', 'DOUBLE']);

/** Returns the reason why the writer cannot write a field; undefined if it can. */
function obstacle(field: Field): string | undefined {
  const { element, kind, children, name } = field;
  if (element.repetition_type === 'REPEATED') return `${name} is repeated outside a list`;
  if (kind === 'value') {
    if (element.type === 'INT96') return `${name} has the old type INT96`;
    return element.type === undefined ? `${name} has no type` : undefined;
  }
  if (kind === 'struct') return firstObstacle(children);
  const entries = (children[0] as Field).children;
  if (kind === 'list') return hasWrappedElement(field) ? firstObstacle(entries) : `${name} has an old layout of lists`;
  const isNamed = entries[0]?.name === 'key' && entries[1]?.name === 'value';
  return isNamed ? firstObstacle(entries) : `${name} has an old layout of maps`;
}

function firstObstacle(fields: readonly Field[]): string | undefined {
  for (const field of fields) {
    const found = obstacle(field);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** @throws FirstseenError E_OUTPUT when a column has a type that the writer lacks. */
export function checkWritable(path: string, fields: readonly Field[]): void {
  const found = firstObstacle(fields);
  if (found === undefined) return;
  throw new FirstseenError('E_OUTPUT', `cannot write ${path}: column ${found}, which the writer of Parquet lacks`, {
    remedy: phrase`write lines: give ${optionName('output')} with a name that ends in .ndjson`,
  });
}

type Convert = (value: unknown) => unknown;

function orAbsent(convert: Convert): Convert {
  return (value) => (value === null || value === undefined ? value : convert(value));
}

/** Converts what the reader gives to what the writer takes; undefined if both are the same. */
function conversionOf(field: Field): Convert | undefined {
  const { kind, children } = field;
  if (kind === 'value') return undefined;
  if (kind === 'struct') return structConversion(children);
  const [group] = children as [Field];
  if (kind === 'list') {
    const convert = conversionOf(group.children[0] as Field);
    return convert && orAbsent((list) => Array.from(list as ArrayLike<unknown>, convert));
  }
  const convert = structConversion(group.children) ?? ((entry: unknown) => entry);
  return orAbsent((map) =>
    Array.from((map as Readonly<Record<string, ArrayLike<unknown>>>)[group.name] as ArrayLike<unknown>, convert),
  );
}

function structConversion(fields: readonly Field[]): Convert | undefined {
  const conversions = fields.flatMap((field) => {
    const convert = conversionOf(field);
    return convert ? [{ name: field.name, convert }] : [];
  });
  if (conversions.length === 0) return undefined;
  return orAbsent((struct) => {
    const members = { ...(struct as Record<string, unknown>) };
    for (const { name, convert } of conversions) members[name] = convert(members[name]);
    return members;
  });
}

/** The value without the page that its bytes are a part of. */
function detached(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return value.map(detached);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, detached(member)]));
}

function hasBounds({ kind, element }: Field): boolean {
  if (kind !== 'value') return false;
  const { type, converted_type: converted = '', logical_type: logical } = element;
  if (isText(element)) return true;
  const isUnsigned = converted.startsWith('UINT_') || (logical?.type === 'INTEGER' && !logical.isSigned);
  const isDecimal = converted === 'DECIMAL' || logical?.type === 'DECIMAL';
  return orderedTypes.has(type ?? '') && !isUnsigned && !isDecimal;
}

/** The function that takes the bytes of a file, in order. */
export type Append = (bytes: Uint8Array) => Promise<void>;

interface Column {
  readonly name: string;
  readonly statistics: boolean;
  readonly convert: Convert;
  data: unknown[];
}

/** Writes rows of files with one schema. */
export class RowCopy {
  readonly #writer: ParquetWriter;
  readonly #schema: SchemaElement[];
  readonly #columns: readonly Column[];
  #rows = 0;
  #bytes = 0;

  private constructor(writer: ParquetWriter, { schema }: FileMetaData) {
    this.#writer = writer;
    this.#schema = schema;
    this.#columns = fieldsOf(schema).map((field) => ({
      name: field.name,
      statistics: hasBounds(field),
      convert: conversionOf(field) ?? ((value) => value),
      data: [],
    }));
  }

  /**
   * @param metadata that of a file with the same schema
   * @throws FirstseenError E_PACKAGE when a package is not installed.
   */
  static async begin(metadata: FileMetaData, append: Append): Promise<RowCopy> {
    const { ByteWriter, ParquetWriter } = await loadWriting();
    const { schema, key_value_metadata: kvMetadata } = metadata;
    const writer: Writer = new ByteWriter();
    const bytes = writer as Writer & { index: number };
    const flush = async () => {
      await append(writer.getBytes());
      bytes.index = 0;
    };
    Object.assign(writer, { flush, finish: flush });
    const options = {
      writer,
      schema: writingSchema(schema),
      createdBy: 'firstseen',
      ...(kvMetadata && { kvMetadata }),
    };
    return new RowCopy(new ParquetWriter(options), metadata);
  }

  /** Adds the rows of a piece that are selected. */
  async add(columns: readonly DecodedArray[], { start, end, bytes }: Piece, isSelected: Uint8Array): Promise<void> {
    const rows = end - start;
    const selectedRows = isSelected.reduce((sum, flag) => sum + flag, 0);
    // Few values must not keep the pages that they are in.
    const keep: Convert = selectedRows < rows / 2 ? detached : (value) => value;
    for (const [i, { data, convert }] of this.#columns.entries()) {
      const values = columns[i] as DecodedArray;
      for (let row = 0; row < rows; row++) if (isSelected[row]) data.push(convert(keep(values[row])));
    }
    this.#rows += selectedRows;
    this.#bytes += (bytes * selectedRows) / rows;
    if (this.#rows >= GROUP_ROWS || this.#bytes >= GROUP_BYTES) await this.#writeGroup();
  }

  /** Writes the last rows and the index. */
  async finish(): Promise<void> {
    await this.#writeGroup();
    // The index gives the values the meaning that they have in the inputs.
    this.#writer.schema = indexSchema(this.#schema);
    await this.#writer.finish();
  }

  async #writeGroup(): Promise<void> {
    if (this.#rows === 0) return;
    const columnData = this.#columns.map(({ name, statistics, data }) => ({ name, statistics, data }));
    await this.#writer.write({ columnData, rowGroupSize: this.#rows });
    for (const column of this.#columns) column.data = [];
    this.#rows = 0;
    this.#bytes = 0;
  }
}
