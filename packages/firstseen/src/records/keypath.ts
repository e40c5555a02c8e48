// Paths to a value in a JSON object: user.id, items[0].sku, ["odd.key"], a["b c"][2]. A path such as items[*].sku has the values of all
// items of an array.

import { FirstseenError, optionName, phrase, shownValue } from '../base/errors.js';
import { hasLoneSurrogate } from '../base/utf8.js';

/** Segments from the outside in: a string is the key of an object, a number the index of an array, or `EVERY_ITEM`. */
export type KeyPath = readonly (string | number)[];

/** The segment for all items of an array, in place of an index. */
export const EVERY_ITEM = -1;

/** A plain name ends at the next dot or bracket. */
const PLAIN_NAME = /[^.[\]]+/y;
const BRACKET_EVERY = /\[\*\]/y;
const BRACKET_INDEX = /\[(0|[1-9][0-9]*)\]/y;
/** A name in brackets is a JSON string. */
const BRACKET_NAME = /\[("(?:[^"\\]|\\.)*")\]/y;
/** The largest index of an array or a column in the kernel. */
export const maximumIndex = 2 ** 32 - 2;

/** @throws FirstseenError E_USAGE about a character of a path. */
function fail(text: string, position: number, expected: string): never {
  const problem = phrase`${optionName('keys')} ${shownValue(text)} is invalid at character ${position + 1}`;
  throw new FirstseenError('E_USAGE', problem, {
    option: 'keys',
    given: text,
    expected,
    remedy: `give ${expected}, as in user.id, items[0].sku or ["odd.key"]`,
  });
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function parseJsonString(text: string, position: number, quotedText: string): string {
  let name: string;
  try {
    name = JSON.parse(quotedText) as string;
  } catch {
    return fail(text, position, 'a valid JSON string');
  }
  // No text that is valid UTF-8 has such a name, unless it is written as an escape, which is most likely a mistake.
  if (hasLoneSurrogate(name)) fail(text, position, 'both halves of a surrogate pair');
  return name;
}

/** The segment at `position`, and the position after it. */
function parseSegment(text: string, position: number): [string | number, number] {
  if (text[position] !== '[') {
    const name = matchAt(PLAIN_NAME, text, position) ?? fail(text, position, 'a name or a bracket');
    return [name[0], position + name[0].length];
  }
  const everyMatch = matchAt(BRACKET_EVERY, text, position);
  if (everyMatch !== null) return [EVERY_ITEM, position + everyMatch[0].length];
  const index = matchAt(BRACKET_INDEX, text, position);
  if (index !== null) {
    if (Number(index[1]) > maximumIndex) fail(text, position + 1, `an index of at most ${maximumIndex}`);
    return [Number(index[1]), position + index[0].length];
  }
  const name =
    matchAt(BRACKET_NAME, text, position) ?? fail(text, position, 'an index, * or a quoted name in brackets');
  return [parseJsonString(text, position + 1, name[1] ?? ''), position + name[0].length];
}

/** @throws FirstseenError E_USAGE for the notations of JSONPath and jq. A field named `$` is written `["$"]`. */
function checkNotation(text: string): void {
  const [, plainPath] = /^(?:\$\.|\$(?=\[)|\.)([^.].*)$/s.exec(text) ?? [];
  if (plainPath === undefined) return;
  const problem = phrase`${optionName('keys')} ${shownValue(text)} is invalid at character 1`;
  const notation = text.startsWith('$') ? 'JSONPath' : 'jq';
  throw new FirstseenError('E_USAGE', problem, {
    option: 'keys',
    given: text,
    expected: 'a name or a bracket',
    remedy: `paths have no ${text[0]} as in ${notation}: write ${plainPath}`,
  });
}

/**
 * Parses a path into its segments.
 * @throws FirstseenError E_USAGE with the position of the first error. A path cannot start with an array index, because a record
 * is an object.
 */
export function parseKeyPath(text: string): KeyPath {
  checkNotation(text);
  const segments: (string | number)[] = [];
  let position = 0;
  while (position < text.length || segments.length === 0) {
    if (segments.length > 0 && text[position] !== '[') {
      if (text[position] !== '.') fail(text, position, 'a dot or a bracket');
      position += 1;
      if (text[position] === '[') fail(text, position, 'a name after the dot');
    }
    const [segment, next] = parseSegment(text, position);
    if (segments.length === 0 && typeof segment === 'number') {
      fail(text, position, 'the name of a field, because a record is an object');
    }
    segments.push(segment);
    position = next;
  }
  return segments;
}

/** The inverse of `parseKeyPath`. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((segment, i) => {
      if (typeof segment === 'number') return segment === EVERY_ITEM ? '[*]' : `[${segment}]`;
      const isRoot = i === 0 && segment === '$';
      if (!isRoot && /^[^.[\]]+$/.test(segment)) return i === 0 ? segment : `.${segment}`;
      return `[${JSON.stringify(segment)}]`;
    })
    .join('');
}

/** Tells if a path has the values of all items of an array. */
export function hasEveryItem(path: KeyPath): boolean {
  return path.includes(EVERY_ITEM);
}

/** @throws FirstseenError E_USAGE for a path with several values, where one is needed. */
export function checkOneValue(path: KeyPath, option: string): void {
  if (!hasEveryItem(path)) return;
  const given = formatKeyPath(path);
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} ${shownValue(given)} has several values`, {
    ...{ option, given, expected: 'a path to one value' },
    remedy: `name one item of the array, such as ${given.replaceAll('[*]', '[0]')}`,
  });
}
