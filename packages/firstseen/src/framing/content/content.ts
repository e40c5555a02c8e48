// Recognizes inputs that are not text in UTF-8, by their first bytes. Their records would come out corrupt.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { type ForeignContent, foreignContents } from './foreigncontents.js';
import { isControl, wideContentsOf } from './widetext.js';

const NEWLINE = 0x0a;

/** Bytes after those that show a content, among which a control character shows that they do not begin a text. */
const SHOWING_BYTES = 64;

/** Bytes of a zip archive that are there before it is decided what it is. */
const ZIP_BYTES = 512;

/** The offset of the file's name in the header of a file in a zip archive. */
const NAME_OFFSET = 30;

/** The bytes that have to be there to tell that they are such a content. */
function neededBytes({ at = 0, bytes = [], mayBeText = false, file, bit }: ForeignContent): number {
  if (file !== undefined) return ZIP_BYTES;
  return Math.max(at + bytes.length + (mayBeText ? SHOWING_BYTES : 0), (bit?.[0] ?? -1) + 1);
}

/** Tells if the first bytes agree with the content, as far as they are there. */
function mayBe(head: Uint8Array, { at = 0, bytes, bit: [place, mask] = [0, 0] }: ForeignContent): boolean {
  if (bytes === undefined) return false;
  const isBitSet = place >= head.length || ((head[place] as number) & mask) === mask;
  return isBitSet && bytes.every((byte, i) => byte === undefined || at + i >= head.length || head[at + i] === byte);
}

/** Tells if a zip archive has a file whose name begins so, as far as its bytes are there. */
function hasFile(head: Uint8Array, bytes: readonly (number | undefined)[], file: string): boolean {
  for (let at = 0; at !== -1; at = head.indexOf(bytes[0] as number, at + 1)) {
    const isHeader = bytes.every((byte, i) => head[at + i] === byte);
    const name = [...file].every((character, i) => head[at + NAME_OFFSET + i] === character.charCodeAt(0));
    if (isHeader && name) return true;
  }
  return false;
}

/** Tells if what agrees with the first bytes is this content, once all bytes that can show it are there. */
function isShown(head: Uint8Array, { bytes = [], mayBeText = false, file }: ForeignContent): boolean {
  if (file !== undefined) return hasFile(head, bytes, file);
  return !mayBeText || head.subarray(bytes.length, bytes.length + SHOWING_BYTES).some(isControl);
}

/** The field of the name in a header of tar, which is filled with zeros. A text has a newline before any zero. */
const NAME_BYTES = 100;

/** Tells if content that is not shown by its first bytes may follow them. */
function mayFollow(head: Uint8Array, { at = 0 }: ForeignContent): boolean {
  if (at === 0) return true;
  const name = head.subarray(0, NAME_BYTES);
  const first = name.findIndex((byte) => byte === 0 || byte === NEWLINE);
  return first === -1 ? name.length < NAME_BYTES : name[first] === 0;
}

/**
 * The content that the first bytes of an input show. `unknown` if more bytes are needed, which are there if the input goes on.
 * @param hasZeros whether zero bytes end the records of the input, so that they do not show a text in UTF-16
 */
export function foreignContentOf(
  head: Uint8Array,
  isFinal: boolean,
  hasZeros = false,
): ForeignContent | 'unknown' | undefined {
  const possibleContents = foreignContents.filter((content) => mayBe(head, content) && mayFollow(head, content));
  const wideMatches = hasZeros ? [] : wideContentsOf(head, isFinal);
  const isUnknown =
    possibleContents.some((content) => head.length < neededBytes(content)) ||
    wideMatches.some(({ isShown: answer }) => answer === 'unknown');
  if (!isFinal && isUnknown) return 'unknown';
  const isThere = ({ at = 0, bytes = [] }: ForeignContent) => head.length >= at + bytes.length;
  const shownContent = possibleContents.find((content) => isThere(content) && isShown(head, content));
  return shownContent ?? wideMatches.find(({ isShown: isWide }) => isWide === true)?.content;
}

/** The names by which messages call an input: its name, and its path, if it has one. */
export interface InputName {
  readonly name: string;
  readonly path: string | undefined;
}

/** The error for an input of such content. `path` is its file, if it has one. */
export function foreignContentError(
  { what, command, remedy, format }: ForeignContent,
  { name, path }: InputName,
): FirstseenError {
  const file = path === undefined ? '' : ` ${path}`;
  const asRecords = format && phrase`read its records with ${optionName('format')} ${format}`;
  return new FirstseenError('E_INPUT', `cannot read ${name}: it is ${what}`, {
    remedy: asRecords ?? remedy ?? `give what this prints as standard input: ${command}${file}`,
  });
}
