// Paths to a value inside a JSON object: user.id, items[0].sku, ["odd.key"], a["b c"][2].

import { FirstseenError } from '../errors.js';

/** From the outside in: a string is an object's key, a number an array's index. */
export type KeyPath = readonly (string | number)[];

/** A plain name runs up to the next dot or bracket. */
const PLAIN_NAME = /[^.[\]]+/y;
const BRACKET_INDEX = /\[(0|[1-9][0-9]*)\]/y;
/** A name in brackets is a JSON string. */
const BRACKET_NAME = /\[("(?:[^"\\]|\\.)*")\]/y;
/** A name with one would be looked for as U+FFFD, which is another name: UTF-8 has no bytes for it. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** The largest index of an array, or of a column, that the kernel takes. */
export const maximumIndex = 2 ** 32 - 2;

function fail(text: string, position: number, expected: string): never {
  throw new FirstseenError(
    'E_USAGE',
    `key path ${JSON.stringify(text)} is wrong at character ${position + 1}: expected ${expected}, ` +
      'as in user.id, items[0].sku or ["odd.key"]',
  );
}

function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function parseJsonString(text: string, position: number, quoted: string): string {
  let name: string;
  try {
    name = JSON.parse(quoted) as string;
  } catch {
    return fail(text, position, 'a valid JSON string');
  }
  if (LONE_SURROGATE.test(name)) fail(text, position, 'both halves of a surrogate pair');
  return name;
}

/** The segment at `position`, and the position behind it. */
function parseSegment(text: string, position: number): [string | number, number] {
  if (text[position] !== '[') {
    const name = matchAt(PLAIN_NAME, text, position) ?? fail(text, position, 'a name or a bracket');
    return [name[0], position + name[0].length];
  }
  const index = matchAt(BRACKET_INDEX, text, position);
  if (index !== null) {
    if (Number(index[1]) > maximumIndex) fail(text, position + 1, `an index of at most ${maximumIndex}`);
    return [Number(index[1]), position + index[0].length];
  }
  const name = matchAt(BRACKET_NAME, text, position) ?? fail(text, position, 'an index or a quoted name in brackets');
  return [parseJsonString(text, position + 1, name[1] ?? ''), position + name[0].length];
}

/**
 * The segments of a path.
 * @throws FirstseenError E_USAGE with the position where the path stops making sense, or when it starts with an array's
 * index: a record is an object.
 */
export function parseKeyPath(text: string): KeyPath {
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
      fail(text, position, 'the name of a field, since a record is an object and no array');
    }
    segments.push(segment);
    position = next;
  }
  return segments;
}

/** The text that `parseKeyPath` reads as this path. */
export function formatKeyPath(path: KeyPath): string {
  return path
    .map((segment, i) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (/^[^.[\]]+$/.test(segment)) return i === 0 ? segment : `.${segment}`;
      return `[${JSON.stringify(segment)}]`;
    })
    .join('');
}
