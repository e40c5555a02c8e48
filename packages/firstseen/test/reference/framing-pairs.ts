// The parts of keys of lines with fields and of logfmt, with regular expressions. Text is represented as a string with one character per
// byte, so that bytes that are not UTF-8 are preserved.

import { NO_BYTE } from '../../src/kernel/abi.ts';
import { recordClasses } from '../../src/records/classes.ts';
import type { KeyPath } from '../../src/records/keypath.ts';
import { binaryBytes, binaryString, decodeEscapes, type KeyParts } from './framing-json.ts';

/** The fields of a line, with a byte between two of them, or with runs of spaces and tabs between them and around them. */
export function fieldsOf(content: Uint8Array, delimiter: number): string[] {
  const text = binaryString(content);
  return delimiter === NO_BYTE ? (text.match(/[^ \t]+/g) ?? []) : text.split(String.fromCharCode(delimiter));
}

const [UNTERMINATED, AFTER] = [recordClasses.UNTERMINATED_QUOTE.code, recordClasses.TEXT_AFTER_QUOTE.code];
const JSON_ESCAPES = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/s;

/** The pairs of a line one after the other, each with its text and the blanks after it, with wanted values decoded; the class of an error where the line is broken. */
function* pairsOf(
  text: string,
  isWanted: (name: string) => boolean,
): Generator<[name: string, value: string, text: string] | number> {
  let rest = text.replace(/^[\0- ]+/, '');
  while (rest !== '') {
    const before = rest;
    const [name = ''] = /^[^\0- =]*/.exec(rest) ?? [];
    rest = rest.slice(name.length);
    let value = '';
    if (rest.startsWith('="')) {
      const quoted = /^="((?:[^"\\]|\\.)*)"/s.exec(rest);
      if (!quoted) return yield UNTERMINATED;
      rest = rest.slice(quoted[0].length);
      if (/^[^\0- ]/.test(rest)) return yield AFTER;
      [, value = ''] = quoted;
      // Only of a wanted value are the escapes looked at.
      if (isWanted(name) && !JSON_ESCAPES.test(value)) return yield recordClasses.BAD_ESCAPE.code;
      if (isWanted(name)) value = decodeEscapes(value);
    } else if (rest.startsWith('=')) {
      [value = ''] = /^[^\0- ]*/.exec(rest.slice(1)) ?? [];
      rest = rest.slice(1 + value.length);
    }
    rest = rest.replace(/^[\0- ]+/, '');
    yield [name, value, before.slice(0, before.length - rest.length)];
  }
}

/** The parts of the key of a line of logfmt, up to the last of them. */
export function logfmtKeyParts(content: Uint8Array, paths: readonly KeyPath[]): KeyParts {
  const names = paths.map(([name]) => binaryString(new TextEncoder().encode(name as string)));
  const found = new Map<string, string>();
  const isWanted = (name: string) => names.includes(name) && !found.has(name);
  for (const pair of pairsOf(binaryString(content), isWanted)) {
    if (typeof pair === 'number') return pair;
    if (!found.has(pair[0])) found.set(pair[0], pair[1]);
    if (names.every((name) => found.has(name))) break;
  }
  const parts = names.map((name) => found.get(name));
  if (parts.some((part) => part === undefined)) return recordClasses.KEY_MISSING.code;
  return parts.map((part) => binaryBytes(part as string));
}

/** A line without some fields, as it is written. */
export function lineWithout(content: Uint8Array, columns: readonly number[], delimiter: number): Uint8Array {
  const text = binaryString(content);
  const without = (field: string, column: number) => (columns.includes(column) ? '' : field);
  const separator = String.fromCharCode(delimiter);
  if (delimiter !== NO_BYTE) return binaryBytes(text.split(separator).map(without).join(separator));
  let column = 0;
  return binaryBytes(text.replace(/[^ \t]+/g, (field) => without(field, column++)));
}

/** A line of logfmt without some pairs, as it is written; the class of an error where the line is broken. */
export function logfmtWithout(content: Uint8Array, paths: readonly KeyPath[]): Uint8Array | number {
  const names = paths.map(([name]) => binaryString(new TextEncoder().encode(name as string)));
  const text = binaryString(content);
  const pairs = [...pairsOf(text, () => false)];
  const error = pairs.find((pair) => typeof pair === 'number');
  if (error !== undefined) return error;
  const isCut = (pair: (typeof pairs)[number] | undefined) => typeof pair === 'object' && names.includes(pair[0]);
  const texts = pairs.filter((pair) => !isCut(pair)).map((pair) => (pair as [string, string, string])[2]);
  const rest = (/^[\0- ]*/.exec(text)?.[0] ?? '') + texts.join('');
  return binaryBytes(isCut(pairs.at(-1)) ? rest.replace(/[\0- ]+$/, '') : rest);
}
