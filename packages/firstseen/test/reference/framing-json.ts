// Extracts the values of a valid JSON line by path, from a complete tree. Text is represented as a string with one
// character per byte, so that bytes that are not UTF-8 are preserved. JSON.parse decides what is valid.

import { recordClasses } from '../../src/records/classes.ts';
import { EVERY_ITEM, type KeyPath } from '../../src/records/keypath.ts';
import type { JoinedTexts } from '../../src/records/texts.ts';

interface JsonNode {
  /** Where its text begins and ends. */
  start: number;
  end: number;
  /** The unchanged text of the value. */
  text: string;
  members?: [name: string, value: JsonNode, start: number][];
  items?: JsonNode[];
}

/** The result for a record's content: the parts of its key, or the class that explains why there are none. */
export type KeyParts = Uint8Array[] | number;

export function binaryString(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function binaryBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'latin1'));
}

/** Three bytes for a lone surrogate, which TextEncoder would replace. */
function encodeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0xd800 || code > 0xdfff) return binaryString(new TextEncoder().encode(character));
  return String.fromCharCode(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}

const ESCAPE = /(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}|\\./g;

/** The content of a string, with each escape replaced by its UTF-8 bytes. */
export function decodeEscapes(content: string): string {
  return content.replace(ESCAPE, (sequence) => encodeCharacter(JSON.parse(`"${sequence}"`) as string));
}

class TreeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #skipBlanks(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? '?')) this.#at++;
  }

  #take(pattern: RegExp): string {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#text)?.[0];
    if (found === undefined) throw new Error(`the reference reader cannot continue at ${this.#at} in ${this.#text}`);
    this.#at += found.length;
    return found;
  }

  /** Reads the elements between brackets one by one with `read`. */
  #list<T>(close: string, read: () => T): T[] {
    const elements: T[] = [];
    this.#at++;
    for (this.#skipBlanks(); this.#text[this.#at] !== close; this.#skipBlanks()) {
      if (elements.length > 0) this.#take(/,/);
      this.#skipBlanks();
      elements.push(read());
    }
    this.#at++;
    return elements;
  }

  #member(): [string, JsonNode, number] {
    const start = this.#at;
    const name = this.#take(/"(?:[^"\\]|\\.)*"/).slice(1, -1);
    this.#skipBlanks();
    this.#take(/:/);
    return [decodeEscapes(name), this.value(), start];
  }

  value(): JsonNode {
    this.#skipBlanks();
    const start = this.#at;
    const first = this.#text[start];
    const node: JsonNode = { text: '', start, end: start };
    if (first === '{') node.members = this.#list('}', () => this.#member());
    else if (first === '[') node.items = this.#list(']', () => this.value());
    else this.#take(/"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+/);
    node.end = this.#at;
    node.text = this.#text.slice(start, this.#at);
    return node;
  }
}

function follow(root: JsonNode, path: KeyPath): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const segment of path) {
    if (typeof segment === 'number') node = node?.items?.[segment];
    else {
      const name = binaryString(new TextEncoder().encode(segment));
      node = node?.members?.find(([candidate]) => candidate === name)?.[1];
    }
  }
  return node;
}

/** The nodes at a path, several ones if it has all items of an array; undefined if one of them is missing and `mayMiss` is false. */
function followAll(root: JsonNode, path: KeyPath, mayMiss: boolean): JsonNode[] | undefined {
  const at = path.indexOf(EVERY_ITEM);
  const node = follow(root, at === -1 ? path : path.slice(0, at));
  if (at === -1 && node) return [node];
  const items = at === -1 ? undefined : node?.items;
  if (items === undefined) return mayMiss ? [] : undefined;
  const below = items.map((item) => followAll(item, path.slice(at + 1), mayMiss));
  return below.includes(undefined) ? undefined : (below as JsonNode[][]).flat();
}

const decodedText = (text: string) => (text.startsWith('"') ? `"${decodeEscapes(text.slice(1, -1))}"` : text);

/** The part of a key at a path; undefined if it is missing. */
function partAt(root: JsonNode, path: KeyPath): string | undefined {
  const nodes = followAll(root, path, false) ?? [];
  if (nodes.length === 0) return undefined;
  return path.includes(EVERY_ITEM) ? `[${nodes.map(({ text }) => text).join(',')}]` : decodedText(nodes[0]?.text ?? '');
}

/** The values at paths as one text; undefined if there is none at one of them. */
function textAt(root: JsonNode, paths: readonly KeyPath[], areStrings: boolean): string | undefined {
  const found = paths.map((path) => followAll(root, path, true) ?? []);
  if (found.some(({ length }) => length === 0)) return undefined;
  const texts = found.flat().map(({ text }) => decodedText(text));
  const valid = texts.filter((text) => text !== 'null');
  // The last other value of the last text that has one.
  const other = areStrings ? valid.findLast((text) => !text.startsWith('"')) : undefined;
  if (other !== undefined || valid.length === 0) return other ?? 'null';
  return `"${valid.map((text) => (text.startsWith('"') ? text.slice(1, -1) : text)).join('\u001f')}"`;
}

const isBlank = (character: string) => ' \t\r'.includes(character);

/** The objects on a line. */
export interface LineObjects {
  /** The offsets of those that follow another one. */
  next: number[];
  /** The class of the last one, or of a line without objects; KEYED if nothing but blanks is after it. */
  last: number;
}

/** What may be before an object in a sequence of JSON texts (RFC 8142). */
const SEPARATOR = '\u001e';
// biome-ignore lint/suspicious/noControlCharactersInRegex: The separator is one.
const SEPARATORS = /^[ \t\r\u001e]*\u001e/;

/** A line without the separators before its object. */
function withoutSeparators(line: string): string {
  return line.replace(SEPARATORS, '');
}

/** The objects on a line. Only an object that is closed can be followed by one, with nothing but blanks or a separator between them. */
export function lineObjects(line: Uint8Array): LineObjects {
  const next: number[] = [];
  let place: 'before' | 'object' | 'string' | 'escape' | 'after' | 'none' | 'broken' | 'text' = 'before';
  let depth = 0;
  for (const [at, character] of [...binaryString(line)].entries()) {
    if (place === 'escape') place = 'string';
    else if (place === 'string') {
      if (character === '\\') place = 'escape';
      if (character === '"') place = 'object';
    } else if (place === 'object') {
      if (character === '"') place = 'string';
      if (character === '\\') place = 'broken';
      if ('{['.includes(character)) depth++;
      if ('}]'.includes(character)) depth--;
      if (depth === 0) place = character === '}' ? 'after' : 'broken';
    } else if ((place === 'before' || place === 'after') && !isBlank(character)) {
      if (place === 'after' && (character === '{' || character === SEPARATOR)) next.push(at);
      if (character === '{') place = 'object';
      else if (character === SEPARATOR) place = 'before';
      else place = place === 'after' ? 'text' : 'none';
      depth = 1;
    }
  }
  const classes = {
    before: recordClasses.BLANK,
    after: recordClasses.KEYED,
    none: recordClasses.NOT_AN_OBJECT,
    text: recordClasses.TEXT_AFTER_OBJECT,
    object: recordClasses.BAD_STRUCTURE,
    broken: recordClasses.BAD_STRUCTURE,
    string: recordClasses.UNTERMINATED_STRING,
    escape: recordClasses.UNTERMINATED_STRING,
  };
  return { next, last: classes[place].code };
}

/** The parts of the key of a line that JSON.parse accepts as an object. */
export function jsonKeyParts(content: Uint8Array, paths: readonly KeyPath[], texts?: JoinedTexts): KeyParts {
  const root = new TreeReader(withoutSeparators(binaryString(content))).value();
  const count = texts?.count ?? 0;
  const joined = texts ? [textAt(root, paths.slice(0, count), texts.areStrings)] : [];
  const parts = [...joined, ...paths.slice(count).map((path) => partAt(root, path))];
  if (parts.includes(undefined)) return recordClasses.KEY_MISSING.code;
  return parts.map((part) => binaryBytes(part as string));
}

/** A line that is compared as a whole. */
export function jsonWhole(content: Uint8Array): Uint8Array {
  return binaryBytes(withoutSeparators(binaryString(content)));
}

/** The text of an object without the members at a path. */
function withoutPath(text: string, path: KeyPath): string {
  const object = follow(new TreeReader(text).value(), path.slice(0, -1));
  const wanted = binaryString(new TextEncoder().encode(path.at(-1) as string));
  const members = object?.members ?? [];
  const staying = members.filter(([name]) => name !== wanted);
  const [first, last] = [members[0], members.at(-1)];
  if (!first || !last || staying.length === members.length) return text;
  const pieces = staying.map((member, i) => {
    // What follows a member, up to the next one, stays with it, unless it is now the last.
    const next = members[members.indexOf(member) + 1]?.[2] ?? 0;
    return text.slice(member[2], i === staying.length - 1 ? member[1].end : next);
  });
  return text.slice(0, first[2]) + pieces.join('') + text.slice(last[1].end);
}

/** A line that JSON.parse accepts as an object without the members at some paths. */
export function jsonWithout(content: Uint8Array, paths: readonly KeyPath[]): Uint8Array {
  return binaryBytes(paths.reduce(withoutPath, withoutSeparators(binaryString(content))));
}
