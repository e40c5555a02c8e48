// Writes values in the compact protocol of Thrift.

import { type ThriftValue, thriftTypes } from './thrift.js';

/** A struct that is written field by field, in the order of their numbers. */
export class ThriftWriter {
  #bytes = Buffer.alloc(256);
  #length = 0;
  /** The last field of each struct that is open. */
  readonly #fields: number[] = [0];

  /** The bytes that were written. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  i32(id: number, number: number): void {
    this.#head(id, thriftTypes.I32);
    this.#zigzag(number);
  }

  i64(id: number, number: number): void {
    this.#head(id, thriftTypes.I64);
    this.#zigzag(number);
  }

  binary(id: number, bytes: Uint8Array): void {
    this.#head(id, thriftTypes.BINARY);
    this.#varint(bytes.length);
    this.raw(bytes);
  }

  /** A value as it was read. */
  copied(id: number, { type, start, end }: ThriftValue, source: Uint8Array): void {
    this.#head(id, type);
    this.raw(source.subarray(start, end));
  }

  /** Begins a struct that is a field. */
  begin(id: number): void {
    this.#head(id, thriftTypes.STRUCT);
    this.beginElement();
  }

  /** Begins a struct that is an element of a list. */
  beginElement(): void {
    this.#fields.push(0);
  }

  end(): void {
    this.#byte(0);
    this.#fields.pop();
  }

  /** The head of a list; its elements follow. */
  list(id: number, type: number, count: number): void {
    this.#head(id, thriftTypes.LIST);
    if (count < 15) this.#byte((count << 4) | type);
    else {
      this.#byte(0xf0 | type);
      this.#varint(count);
    }
  }

  /** An element of a list of integers. */
  number(number: number): void {
    this.#zigzag(number);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #head(id: number, type: number): void {
    const before = this.#fields.at(-1) as number;
    this.#fields[this.#fields.length - 1] = id;
    if (id > before && id - before < 16) this.#byte(((id - before) << 4) | type);
    else {
      this.#byte(type);
      this.#zigzag(id);
    }
  }

  #zigzag(number: number): void {
    this.#varint(number < 0 ? -number * 2 - 1 : number * 2);
  }

  #varint(number: number): void {
    let left = number;
    for (; left >= 128; left = Math.floor(left / 128)) this.#byte((left % 128) | 128);
    this.#byte(left);
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + bytes));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
