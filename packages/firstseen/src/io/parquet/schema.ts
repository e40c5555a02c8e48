// The schema of a Parquet file as a tree of fields, and the schema by which its values are read as they are stored.

import type { SchemaElement } from 'hyparquet';

/** The content of a field: one stored value, a list of one element, entries of key and value, or named fields. */
export type FieldKind = 'value' | 'list' | 'map' | 'struct';

export interface Field {
  readonly element: SchemaElement;
  readonly name: string;
  readonly kind: FieldKind;
  readonly children: readonly Field[];
}

function isList({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'LIST' || logical?.type === 'LIST';
}

function isMap({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'MAP' || converted === 'MAP_KEY_VALUE' || logical?.type === 'MAP';
}

function kindOf(element: SchemaElement, children: readonly Field[]): FieldKind {
  if (children.length === 0) return 'value';
  const [only] = children;
  const isRepeated = children.length === 1 && only?.element.repetition_type === 'REPEATED';
  if (isRepeated && isList(element)) return 'list';
  return isRepeated && isMap(element) && only.children.length === 2 ? 'map' : 'struct';
}

/** The fields of a schema, which lists each group before its children. */
export function fieldsOf(schema: readonly SchemaElement[]): readonly Field[] {
  let next = 0;
  const take = (): Field => {
    const element = schema[next++] as SchemaElement;
    const children = Array.from({ length: element.num_children ?? 0 }, take);
    return { element, name: element.name, children, kind: kindOf(element, children) };
  };
  return take().children;
}

/** Tells if each element of a list is wrapped in a group of its own, as the format prescribes today. */
export function hasWrappedElement({ children }: Field): boolean {
  return children[0]?.children.length === 1;
}

/** Tells if the stored bytes of a value are text in UTF-8. */
export function isText({ type, converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  if (type !== 'BYTE_ARRAY') return false;
  if (logical) return ['STRING', 'ENUM', 'JSON'].includes(logical.type);
  return ['UTF8', 'ENUM', 'JSON'].includes(converted ?? '');
}

/**
 * The schema without the meaning of values, so that the reader gives each value as it is stored, and the writer stores it so.
 * @param keeps the meaning that an element keeps
 */
export function storedSchema(
  schema: readonly SchemaElement[],
  keeps: (element: SchemaElement) => Pick<SchemaElement, 'converted_type'>,
): SchemaElement[] {
  return schema.map((element) => {
    const {
      converted_type: _converted,
      logical_type: _logical,
      scale: _scale,
      precision: _precision,
      ...plainElement
    } = element;
    return { ...plainElement, ...keeps(element) };
  });
}

const LIST = { converted_type: 'LIST' } as const;

/** Values as they are stored, but text as the reader's `stringFromBytes` makes it. */
export function readingSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  return storedSchema(schema, (element) => {
    if (element.type === undefined) return isList(element) ? LIST : {};
    return isText(element) ? { converted_type: 'UTF8' } : {};
  });
}

/** Values as they are stored. Maps are lists of entries, as in the reading schema. */
export function copyingSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  return storedSchema(schema, (element) => (element.type === undefined && isList(element) ? LIST : {}));
}

/** The copying schema as the writer needs it. */
export function writingSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  return storedSchema(schema, (element) => {
    if (element.type !== undefined) return {};
    if (isList(element)) return LIST;
    return isMap(element) ? { converted_type: 'MAP' } : {};
  });
}

/**
 * The schema as the writer writes it into the index of a file. hyparquet-writer 0.17 gives the width of an annotated integer four
 * bytes, where the format has one, and no other program reads such a file. The older annotation means the same.
 */
export function indexSchema(schema: readonly SchemaElement[]): SchemaElement[] {
  return schema.map((element) => {
    const { logical_type: logical, ...rest } = element;
    if (logical?.type !== 'INTEGER') return element;
    return { ...rest, converted_type: `${logical.isSigned ? 'INT' : 'UINT'}_${logical.bitWidth as 8 | 16 | 32 | 64}` };
  });
}
