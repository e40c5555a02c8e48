// Finds the text and the name of a document in the span of a key from the scanner.

import { FirstseenError } from '../../base/errors.js';
import type { Kernel } from '../../kernel/kernel.js';

/** A document in the kernel's memory. */
export interface DocumentSpan {
  start: number;
  end: number;
  /** The span of its name, if it has one. */
  id?: [start: number, end: number];
  /** True if its name is a text, not a number or another value of JSON; true by default. */
  isIdText?: boolean;
  /** The file that it is, if it is one. */
  file?: DocumentFile | undefined;
}

/** A document that is a file. */
export interface DocumentFile {
  path: string;
  bytes: Uint8Array;
}

/** The form in which a key holds a document. */
export interface SpanForm {
  /** True if strings have quotes, and a text may be null. */
  isJson: boolean;
  /** True if the text is followed by a name, each after its length, as in composite keys. */
  hasId: boolean;
}

export type SpanReader = (start: number, end: number) => DocumentSpan;

const QUOTE = 0x22;
const LENGTH_BYTES = 8;
/** JSON's null, which means that there is no text. */
const NULL = new TextEncoder().encode('null');

function isNull(kernel: Kernel, start: number, end: number): boolean {
  return end - start === NULL.length && NULL.every((byte, i) => kernel.bytes[start + i] === byte);
}

/** The contents of a JSON string without its quotes, escapes already decoded; any other value as it is written. */
function withoutQuotes(kernel: Kernel, start: number, end: number): [number, number] {
  const isString = end - start >= 2 && kernel.bytes[start] === QUOTE;
  return isString ? [start + 1, end - 1] : [start, end];
}

/**
 * A function that reads a key, in the same way as the kernel (assembly/near/documents/batch.ts). It throws FirstseenError
 * E_KEY_MISSING for a text that is null.
 */
export function spanReader(kernel: Kernel, { isJson, hasId }: SpanForm): SpanReader {
  const bare = (start: number, end: number): [number, number] =>
    isJson ? withoutQuotes(kernel, start, end) : [start, end];
  const textAt = (start: number, end: number): [number, number] => {
    if (isJson && isNull(kernel, start, end))
      throw new FirstseenError('E_KEY_MISSING', 'the text of the record is null');
    return bare(start, end);
  };
  if (!hasId) {
    return (start, end) => {
      const [textStart, textEnd] = textAt(start, end);
      return { start: textStart, end: textEnd };
    };
  }
  const view = new DataView(kernel.bytes.buffer);
  return (start, end) => {
    const textStart = start + LENGTH_BYTES;
    const textEnd = textStart + view.getUint32(start, true);
    const [from, to] = textAt(textStart, textEnd);
    const idStart = textEnd + LENGTH_BYTES;
    const id = bare(idStart, end);
    return { start: from, end: to, id, isIdText: !isJson || id[0] > idStart };
  };
}
