// The tree by which the kernel writes rows as JSON: a node for each field of the schema. Every digit is kept: 64-bit integers, decimals
// and times are exact. A value has the same text whatever type its column has: a time in milliseconds that of the same time in
// nanoseconds, and the integer 1 that of the double 1, which columns of integers with nulls often are.

import type { SchemaElement } from 'hyparquet';
import type { ColumnAddress, KernelFunctions, NodeAddress } from './kernel.js';
import { type Field, hasWrappedElement, isText } from './schema.js';

/** The kinds of nodes, and the forms of values, by their numbers in the kernel. */
const kinds = { VALUE: 0, STRUCT: 1, LIST: 2, MAP: 3 } as const;

const forms = {
  BOOLEAN: 0,
  INTEGER: 1,
  UNSIGNED: 2,
  FLOAT: 3,
  DOUBLE: 4,
  HALF: 5,
  TEXT: 6,
  BYTES: 7,
  UUID: 8,
  DECIMAL: 9,
  DATE: 10,
  TIME: 11,
  TIMESTAMP: 12,
  INT96: 13,
} as const;

/** The way to write a stored value: a form of the kernel, its parameter, and the physical types that it is for. */
interface Form {
  readonly form: number;
  readonly parameter?: number;
  readonly types: readonly string[];
  /** The length of its values, where all have one. */
  readonly width?: number;
}

const whole = ['INT32', 'INT64'] as const;
const bytes = ['BYTE_ARRAY', 'FIXED_LEN_BYTE_ARRAY'] as const;
const unitDigits = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const;

type Unit = keyof typeof unitDigits;

/** The parameter of a time: the digits of its fraction, and whether it is in UTC. */
function timeParameter(unit: Unit, isUtc: boolean): number {
  return unitDigits[unit] * 2 + Number(isUtc);
}

function time(unit: Unit, isUtc: boolean): Form {
  return { form: forms.TIME, parameter: timeParameter(unit, isUtc), types: whole };
}

function timestamp(unit: Unit, isUtc: boolean): Form {
  return { form: forms.TIMESTAMP, parameter: timeParameter(unit, isUtc), types: ['INT64'] };
}

function unsigned(bits: number): Form {
  return { form: forms.UNSIGNED, parameter: bits, types: [bits === 64 ? 'INT64' : 'INT32'] };
}

function decimal(scale = 0): Form {
  return { form: forms.DECIMAL, parameter: Math.max(0, scale), types: [...whole, ...bytes] };
}

const date: Form = { form: forms.DATE, types: ['INT32'] };

/** Forms of the types that were annotated before logical types existed. */
function formOfConverted({ converted_type: converted, scale }: SchemaElement): Form | undefined {
  switch (converted) {
    case 'DECIMAL':
      return decimal(scale);
    case 'DATE':
      return date;
    case 'TIME_MILLIS':
      return time('MILLIS', false);
    case 'TIME_MICROS':
      return time('MICROS', false);
    case 'TIMESTAMP_MILLIS':
      return timestamp('MILLIS', true);
    case 'TIMESTAMP_MICROS':
      return timestamp('MICROS', true);
    case 'UINT_8':
    case 'UINT_16':
    case 'UINT_32':
    case 'UINT_64':
      return unsigned(Number(converted.slice('UINT_'.length)));
    default:
      return undefined;
  }
}

function formOfLogical({ logical_type: logical, type }: SchemaElement): Form | undefined {
  switch (logical?.type) {
    case 'TIMESTAMP':
      return timestamp(logical.unit, logical.isAdjustedToUTC);
    case 'TIME':
      return time(logical.unit, logical.isAdjustedToUTC);
    case 'DECIMAL':
      return decimal(logical.scale);
    case 'UUID':
      return { form: forms.UUID, types: bytes, width: 16 };
    case 'FLOAT16':
      return { form: forms.HALF, types: bytes, width: 2 };
    case 'DATE':
      return date;
    case 'INTEGER':
      return logical.isSigned ? undefined : unsigned(type === 'INT64' ? 64 : logical.bitWidth);
    default:
      return undefined;
  }
}

const formsOfStored: Readonly<Record<string, number>> = {
  BOOLEAN: forms.BOOLEAN,
  INT32: forms.INTEGER,
  INT64: forms.INTEGER,
  INT96: forms.INT96,
  FLOAT: forms.FLOAT,
  DOUBLE: forms.DOUBLE,
  BYTE_ARRAY: forms.BYTES,
  FIXED_LEN_BYTE_ARRAY: forms.BYTES,
};

function formOf(element: SchemaElement): Form {
  if (isText(element)) return { form: forms.TEXT, types: bytes };
  const stored = formsOfStored[element.type as string] as number;
  return formOfLogical(element) ?? formOfConverted(element) ?? { form: stored, types: [element.type as string] };
}

/** A value cannot be of the type that its column is annotated with. */
export class OtherType extends Error {
  constructor(name: string, { type }: SchemaElement) {
    super(`column ${name} is stored as ${type}`);
  }
}

function checkForm({ name, element }: Field, { types, width }: Form): void {
  const isOfWidth = width === undefined || (element.type === 'FIXED_LEN_BYTE_ARRAY' && element.type_length === width);
  if (!types.includes(element.type as string) || !isOfWidth) throw new OtherType(name, element);
}

/** Levels of the fields around one. */
interface Levels {
  readonly definition: number;
  readonly repetition: number;
}

function levelsIn({ element }: Field, { definition, repetition }: Levels): Levels {
  const { repetition_type: kind } = element;
  return {
    definition: definition + (kind === 'REQUIRED' ? 0 : 1),
    repetition: repetition + (kind === 'REPEATED' ? 1 : 0),
  };
}

/** Makes the nodes of fields in a kernel. */
export class NodeMaker {
  readonly #kernel: KernelFunctions;
  /** The columns of the kernel, in the order of the schema. */
  readonly #columns: ReadonlyMap<Field, ColumnAddress>;

  constructor(kernel: KernelFunctions, columns: ReadonlyMap<Field, ColumnAddress>) {
    this.#kernel = kernel;
    this.#columns = columns;
  }

  /** The node of rows. @throws OtherType */
  root(fields: readonly Field[]): NodeAddress {
    return this.#struct(fields, 0, { definition: 0, repetition: 0 });
  }

  /** The node of a field as a member of a struct. */
  #member(field: Field, isFirst: boolean, around: Levels): NodeAddress {
    const node = this.#field(field, around);
    const name = Buffer.from(`${isFirst ? '{' : ','}${JSON.stringify(field.name)}:`);
    const at = this.#kernel.region(name.length);
    new Uint8Array(this.#kernel.memory.buffer, at).set(name);
    this.#kernel.setName(node, at, name.length);
    return node;
  }

  #field(field: Field, around: Levels): NodeAddress {
    const levels = levelsIn(field, around);
    if (field.element.repetition_type !== 'REPEATED') {
      return this.#one(field, field.element.repetition_type === 'OPTIONAL' ? levels.definition : 0, levels);
    }
    // A field that is repeated outside a list is a list of its own.
    const list = this.#node(kinds.LIST, field, { nullLevel: 0, ...levels });
    this.#kernel.setChild(list, this.#one(field, 0, levels));
    return list;
  }

  /** The node of one value of a field, which is null below a definition level. */
  #one(field: Field, nullLevel: number, levels: Levels): NodeAddress {
    if (field.kind === 'struct') return this.#struct(field.children, nullLevel, levels);
    if (field.kind !== 'value') return this.#entries(field, nullLevel, levels);
    const node = this.#node(kinds.VALUE, field, { nullLevel, ...levels });
    const form = formOf(field.element);
    checkForm(field, form);
    this.#kernel.setForm(node, form.form, form.parameter ?? 0);
    return node;
  }

  #struct(fields: readonly Field[], nullLevel: number, levels: Levels): NodeAddress {
    const node = this.#node(kinds.STRUCT, fields[0], { nullLevel, ...levels });
    this.#setChildren(
      node,
      fields.map((field, i) => this.#member(field, i === 0, levels)),
    );
    return node;
  }

  #entries(field: Field, nullLevel: number, levels: Levels): NodeAddress {
    const [group] = field.children as [Field];
    const inside = levelsIn(group, levels);
    const isMap = field.kind === 'map';
    const node = this.#node(isMap ? kinds.MAP : kinds.LIST, field, { nullLevel, ...inside });
    if (isMap) {
      this.#setChildren(
        node,
        group.children.map((child) => this.#field(child, inside)),
      );
    } else if (hasWrappedElement(field)) this.#setChildren(node, [this.#field(group.children[0] as Field, inside)]);
    else this.#setChildren(node, [this.#one(group, 0, inside)]);
    return node;
  }

  #setChildren(node: NodeAddress, children: readonly NodeAddress[]): void {
    const [first] = children;
    if (first !== undefined) this.#kernel.setChild(node, first);
    for (const [i, child] of children.slice(1).entries()) {
      this.#kernel.setSibling(children[i] as NodeAddress, child);
    }
  }

  #node(
    kind: number,
    field: Field | undefined,
    { nullLevel, definition, repetition }: Levels & { nullLevel: number },
  ): NodeAddress {
    const column = field === undefined ? 0 : this.#firstColumn(field);
    return this.#kernel.newNode(kind, nullLevel, definition, repetition, column);
  }

  #firstColumn(field: Field): ColumnAddress {
    const [first] = field.children;
    return first ? this.#firstColumn(first) : (this.#columns.get(field) as ColumnAddress);
  }
}
