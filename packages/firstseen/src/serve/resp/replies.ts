// Replies as values, which the writer turns into the bytes of either version of the protocol.

abstract class TextReply {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A line that is not a bulk string, such as OK. */
export class Status extends TextReply {}

/** An error. Its first word is the kind of the error, in capitals. */
export class ErrorReply extends TextReply {}

/** Text for people: a verbatim string, or a bulk string in version 2. */
export class Verbatim extends TextReply {}

/** A number that may have a fraction: a double, or a bulk string in version 2. */
export class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A number is an integer, a text a bulk string. A map is a list of keys and values in version 2, and true is 1. */
export type Reply =
  | Status
  | ErrorReply
  | Double
  | Verbatim
  | number
  | bigint
  | boolean
  | string
  | Uint8Array
  | null
  | readonly Reply[]
  | ReadonlyMap<string | Status, Reply>;

export const OK = new Status('OK');

/** The reply for data such as a description: objects are maps, and numbers with a fraction are doubles. */
export function replyOfData(data: unknown): Reply {
  if (data === null || data === undefined) return null;
  if (typeof data === 'number') return Number.isSafeInteger(data) ? data : new Double(data);
  if (typeof data === 'boolean' || typeof data === 'string' || typeof data === 'bigint') return data;
  if (Array.isArray(data)) return data.map(replyOfData);
  const entries = Object.entries(data).filter(([, value]) => value !== undefined);
  return new Map(entries.map(([key, value]) => [key, replyOfData(value)]));
}
