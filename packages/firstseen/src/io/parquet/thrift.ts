// The compact protocol of Thrift, in which Parquet has its index and the heads of its pages. Values are read with their place, so that
// those which stay are copied as they are.

/** The types of values, by their numbers in the protocol. */
export const thriftTypes = {
  TRUE: 1,
  FALSE: 2,
  BYTE: 3,
  I16: 4,
  I32: 5,
  I64: 6,
  DOUBLE: 7,
  BINARY: 8,
  LIST: 9,
  SET: 10,
  MAP: 11,
  STRUCT: 12,
} as const;

/** A value, and its place: the bytes [start, end) without the head of its field. */
export interface ThriftValue {
  readonly type: number;
  readonly start: number;
  readonly end: number;
  /** A number, true or false; NaN for others. */
  readonly number: number;
  /** The fields of a struct by their numbers. */
  readonly fields?: ThriftFields;
  /** The elements of a list. */
  readonly elements?: readonly ThriftValue[];
}

export type ThriftFields = ReadonlyMap<number, ThriftValue>;

class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new EndOfThrift();
    return byte;
  }

  varint(): number {
    let number = 0;
    let factor = 1;
    for (;;) {
      const byte = this.byte();
      number += (byte & 0x7f) * factor;
      if (byte < 0x80) return number;
      factor *= 128;
    }
  }

  zigzag(): number {
    const number = this.varint();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }

  value(type: number, isElement: boolean): ThriftValue {
    const start = this.at;
    switch (type) {
      case thriftTypes.TRUE:
      case thriftTypes.FALSE: {
        // An element has a byte, a field has its value in its type.
        const isTrue = isElement ? this.byte() === thriftTypes.TRUE : type === thriftTypes.TRUE;
        return { type, start, end: this.at, number: Number(isTrue) };
      }
      case thriftTypes.BYTE:
        this.at += 1;
        break;
      case thriftTypes.I16:
      case thriftTypes.I32:
      case thriftTypes.I64: {
        const number = this.zigzag();
        return { type, start, end: this.at, number };
      }
      case thriftTypes.DOUBLE:
        this.at += 8;
        break;
      case thriftTypes.BINARY: {
        const length = this.varint();
        this.at += length;
        break;
      }
      case thriftTypes.LIST:
      case thriftTypes.SET: {
        const elements = this.#elements();
        return { type, start, end: this.at, number: Number.NaN, elements };
      }
      case thriftTypes.MAP:
        this.#skipMap();
        break;
      case thriftTypes.STRUCT: {
        const fields = this.fields();
        return { type, start, end: this.at, number: Number.NaN, fields };
      }
      default:
        throw new Error(`it has a value of the unknown type ${type}`);
    }
    if (this.at > this.#bytes.length) throw new EndOfThrift();
    return { type, start, end: this.at, number: Number.NaN };
  }

  fields(): ThriftFields {
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const head = this.byte();
      if (head === 0) return fields;
      id = head >> 4 === 0 ? this.zigzag() : id + (head >> 4);
      fields.set(id, this.value(head & 15, false));
    }
  }

  #elements(): ThriftValue[] {
    const head = this.byte();
    const count = head >> 4 === 15 ? this.varint() : head >> 4;
    const elements: ThriftValue[] = [];
    for (let i = 0; i < count; i++) elements.push(this.value(head & 15, true));
    return elements;
  }

  #skipMap(): void {
    const count = this.varint();
    if (count === 0) return;
    const kinds = this.byte();
    for (let i = 0; i < count; i++) {
      this.value(kinds >> 4, true);
      this.value(kinds & 15, true);
    }
  }
}

/** The bytes end before a value does. */
export class EndOfThrift extends Error {
  constructor() {
    super('it ends too early');
  }
}

/** Reads a struct, which begins at `at`. @throws EndOfThrift, or an Error for what is not of the protocol. */
export function readStruct(bytes: Uint8Array, at = 0): { fields: ThriftFields; end: number } {
  const reader = new Reader(bytes, at);
  const fields = reader.fields();
  return { fields, end: reader.at };
}
