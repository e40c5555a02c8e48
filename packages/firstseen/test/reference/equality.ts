// Rules of equal keys in the simplest form: the key of a value as a text that is equal for equal keys.

import type { Equality } from '../../src/records/equality.js';

/** A number as its coefficient, which does not end with a zero, and its exponent of ten. */
function numberOf(text: string): string | undefined {
  const parts = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  if (BigInt(exponent.replace(/^\+/, '')) >= 10n ** 12n || BigInt(exponent.replace(/^\+/, '')) <= -(10n ** 12n))
    return undefined;
  let coefficient = BigInt(whole + fraction);
  let scale = BigInt(exponent.replace(/^\+/, '')) - BigInt(fraction.length);
  if (coefficient === 0n) return 'number 0';
  while (coefficient % 10n === 0n) {
    coefficient /= 10n;
    scale++;
  }
  return `number ${sign === '-' ? '-' : ''}${coefficient} e ${scale}`;
}

/** Bytes as a text of as many characters, if they are not UTF-8. */
function decoded(bytes: Uint8Array): { text: string; isText: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), isText: true };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), isText: false };
  }
}

function textOf(bytes: Uint8Array, { ignoresCase, trims, normalize }: Equality): string {
  const { text, isText } = decoded(bytes);
  if (!isText) {
    const trimmed = trims ? text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '') : text;
    return `bytes ${ignoresCase ? trimmed.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : trimmed}`;
  }
  const form = (one: string) => (normalize ? one.normalize(normalize.toUpperCase()) : one);
  const trimmed = trims ? form(text).trim() : form(text);
  return `text ${ignoresCase ? form(trimmed.toUpperCase().toLowerCase()) : trimmed}`;
}

/** The key of a field, or of a line. */
export function fieldKey(bytes: Uint8Array, equality: Equality): string {
  const text = textOf(bytes, equality);
  const number = equality.numbersByValue && text.startsWith('text ') ? numberOf(text.slice(5)) : undefined;
  return number ?? text;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return { members: members.sort(([a], [b]) => (a < b ? -1 : 1)) };
}

/** The key of a JSON value as it is written, whose objects have each name once and whose numbers are short. */
export function jsonKey(token: string, equality: Equality): string {
  const value: unknown = JSON.parse(token);
  if (typeof value === 'string') return `string ${textOf(Buffer.from(value), equality)}`;
  if (typeof value === 'number') return (equality.numbersByValue && numberOf(token)) || `as written ${token}`;
  if (typeof value !== 'object' || value === null || !equality.ignoresOrder) return `as written ${token}`;
  return `${Array.isArray(value) ? 'array' : 'object'} ${JSON.stringify(sorted(value))}`;
}
