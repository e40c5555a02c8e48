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
