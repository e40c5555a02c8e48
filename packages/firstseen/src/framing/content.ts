// Recognizes inputs that are not text in UTF-8, by their first bytes: compressions that are not read, archives, files of other programs,
// and text in an encoding of two or four bytes. Their records would come out corrupt.

import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { FormatName } from '../records/formats.js';

/** Content that is not read, recognized by its first bytes. */
export interface ForeignContent {
  /** What an input is, in a message. */
  readonly what: string;
  /** The endings of the names of such files, if outputs of these names would be expected to have such content. */
  readonly endings?: readonly string[];
  /** Where the bytes are that show it. */
  readonly at?: number;
  /** The bytes themselves; undefined where any byte may be. */
  readonly bytes: readonly (number | undefined)[];
  /** A program that writes the content as text in UTF-8, before the name of the file. */
  readonly command?: string;
  /** What the user should do, for content that no command converts. */
  readonly remedy?: string;
  /** The format of records as which such content is read. */
  readonly format?: FormatName;
}

const bytesOf = (text: string) => [...text].map((character) => character.charCodeAt(0));

const ANY = undefined;

/** The sizes of a content, in eight bytes of a header of LZMA: unknown, or less than 256 GiB. */
const lzmaSizes = [Array(8).fill(0xff), [ANY, ANY, ANY, ANY, ANY, 0, 0, 0]];

export const foreignContents: readonly ForeignContent[] = [
  // The .xz file format, section 2.1.1.1.
  { what: 'compressed with xz', endings: ['.xz'], bytes: [0xfd, ...bytesOf('7zXZ'), 0], command: 'xz -dc' },
  // The usual properties, the size of a dictionary of whole 64 KiB, the size of the content, and the first byte of the code, which is 0.
  ...lzmaSizes.map((size) => ({
    ...{ what: 'compressed with lzma', endings: ['.lzma'], command: 'xz -dc' },
    bytes: [0x5d, 0, 0, ANY, ANY, ...size, 0],
  })),
  // "BZh", a level, and the number of a block; the level is not compared.
  ...Array.from({ length: 9 }, (_, level) => ({
    ...{ what: 'compressed with bzip2', endings: ['.bz2'], command: 'bzip2 -dc' },
    bytes: [...bytesOf(`BZh${level + 1}`), 0x31, 0x41, 0x59, 0x26, 0x53, 0x59],
  })),
  // What is compressed once is read.
  { what: 'compressed twice, with gzip inside', bytes: [0x1f, 0x8b, 8], command: 'gzip -dc' },
  { what: 'compressed twice, with zstd inside', bytes: [0x28, 0xb5, 0x2f, 0xfd], command: 'zstd -dc' },
  { what: 'compressed with lz4', endings: ['.lz4'], bytes: [0x04, 0x22, 0x4d, 0x18], command: 'lz4 -dc' },
  { what: 'compressed with lzip', endings: ['.lz'], bytes: [...bytesOf('LZIP'), 1], command: 'lzip -dc' },
  { what: 'compressed with compress', endings: ['.Z'], bytes: [0x1f, 0x9d], command: 'gzip -dc' },
  { what: 'compressed with lzop', endings: ['.lzo'], bytes: [0x89, ...bytesOf('LZO'), 0], command: 'lzop -dc' },
  { what: 'compressed with snappy', bytes: [0xff, 6, 0, 0, ...bytesOf('sNaPpY')], command: 'snzip -dc' },
  { what: 'a zip archive', endings: ['.zip'], bytes: [...bytesOf('PK'), 3, 4], command: 'unzip -p' },
  { what: 'a 7z archive', endings: ['.7z'], bytes: [...bytesOf('7z'), 0xbc, 0xaf, 0x27, 0x1c], command: '7z x -so' },
  { what: 'a rar archive', endings: ['.rar'], bytes: [...bytesOf('Rar!'), 0x1a, 7], command: 'unrar p -inul' },
  { what: 'a tar archive', endings: ['.tar'], at: 257, bytes: bytesOf('ustar'), command: 'tar -xOf' },
  // A file begins with a page, whose header begins with a field of type i32 (Thrift's compact protocol).
  { what: 'Parquet', bytes: [...bytesOf('PAR1'), 0x15], remedy: 'give it as a file whose name ends in .parquet' },
  { what: 'Avro', bytes: [...bytesOf('Obj'), 1], command: 'avro-tools tojson' },
  // The version, and the end of its line (ISO 28500, section 4).
  { what: 'a WARC archive', format: 'warc', bytes: [...bytesOf('WARC/1.'), ANY, 0x0d, 0x0a] },
  {
    what: 'an SQLite database',
    bytes: [...bytesOf('SQLite format 3'), 0],
    remedy: 'export a table, with sqlite3 -csv',
  },
  // The mark of UTF-32 begins like that of UTF-16.
  { what: 'text in UTF-32', bytes: [0xff, 0xfe, 0, 0], command: 'iconv -f UTF-32 -t UTF-8' },
  { what: 'text in UTF-32', bytes: [0, 0, 0xfe, 0xff], command: 'iconv -f UTF-32 -t UTF-8' },
  { what: 'text in UTF-16', bytes: [0xff, 0xfe], command: 'iconv -f UTF-16 -t UTF-8' },
  { what: 'text in UTF-16', bytes: [0xfe, 0xff], command: 'iconv -f UTF-16 -t UTF-8' },
];

/** Bytes of a text in UTF-16 without a mark by which it is recognized: eight characters of Latin-1. */
const LEAST_WIDE_BYTES = 16;
/** Bytes by which a text of other scripts is recognized, or all of a shorter one. Even, as each character has two. */
const MOST_WIDE_BYTES = 512;
const NEWLINE = 0x0a;

/** Text in UTF-16 without a mark: which of the two bytes of a character is the high one, which is zero in Latin-1. */
const wideContents = [
  { high: 1, content: { what: 'text in UTF-16', bytes: [], command: 'iconv -f UTF-16LE -t UTF-8' } },
  { high: 0, content: { what: 'text in UTF-16', bytes: [], command: 'iconv -f UTF-16BE -t UTF-8' } },
] as const;

/** Control characters that no text in UTF-8 has. In UTF-16, they are high bytes of Greek, Cyrillic, Hebrew, Arabic and others. */
function isControl(byte: number): boolean {
  return byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d;
}

/** Whether each of the first characters is one of Latin-1; `unknown` while there are too few. */
function isLatin(head: Uint8Array, high: number): boolean | 'unknown' {
  const first = head.subarray(0, LEAST_WIDE_BYTES);
  if (!first.every((byte, i) => (byte === 0) === (i % 2 === high))) return false;
  return first.length === LEAST_WIDE_BYTES || 'unknown';
}

/** Whether bytes are characters of two bytes, as far as zeros and newlines show it. */
function areWide(head: Uint8Array, high: number): boolean {
  return head.every((byte, i) => {
    if (byte === 0) return i % 2 === high;
    if (byte !== NEWLINE) return true;
    const partner = i + 2 * high - 1;
    return i % 2 !== high && (partner >= head.length || head[partner] === 0);
  });
}

/**
 * Whether the first line ends with a newline of two bytes and has bytes that only UTF-16 has, and what follows may be UTF-16; `unknown`
 * while more bytes may show that it is not. A first line without such bytes decides alone, so that it does not have to wait.
 */
function hasWideLines(head: Uint8Array, high: number, isFinal: boolean): boolean | 'unknown' {
  const bytes = head.subarray(0, MOST_WIDE_BYTES);
  const newline = bytes.indexOf(NEWLINE);
  const line = newline === -1 ? bytes : bytes.subarray(0, Math.max(0, newline - (1 - high)));
  if (!areWide(bytes, high) || !line.some(isControl)) return false;
  if (bytes.length < MOST_WIDE_BYTES && !isFinal) return 'unknown';
  return newline !== -1 && bytes.length % 2 === 0;
}

/** Whether the first bytes agree with the content, as far as they are there. */
function mayBe(head: Uint8Array, { at = 0, bytes }: ForeignContent): boolean {
  return bytes.every((byte, i) => byte === ANY || at + i >= head.length || head[at + i] === byte);
}

/** The field of the name in a header of tar, which is filled with zeros. A text has a newline before any zero. */
const NAME_BYTES = 100;

/** Whether content that is not shown by its first bytes may follow them. */
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
  const possible = foreignContents
    .map((content) => ({ content, neededBytes: (content.at ?? 0) + content.bytes.length }))
    .filter(({ content }) => mayBe(head, content) && mayFollow(head, content));
  const wide = hasZeros
    ? []
    : wideContents.flatMap(({ high, content }) =>
        [isLatin(head, high), hasWideLines(head, high, isFinal)].map((isShown) => ({ content, isShown })),
      );
  const isUnknown =
    possible.some(({ neededBytes }) => head.length < neededBytes) || wide.some(({ isShown }) => isShown === 'unknown');
  if (!isFinal && isUnknown) return 'unknown';
  const shown = possible.find(({ neededBytes }) => head.length >= neededBytes);
  return (shown ?? wide.find(({ isShown }) => isShown === true))?.content;
}

/** The error for an input of such content. `path` is its file, if it has one. */
export function foreignContentError(
  { what, command, remedy, format }: ForeignContent,
  { name, path }: { name: string; path: string | undefined },
): FirstseenError {
  const file = path === undefined ? '' : ` ${path}`;
  const asRecords = format && phrase`read its records with ${optionName('format')} ${format}`;
  return new FirstseenError('E_INPUT', `cannot read ${name}: it is ${what}`, {
    remedy: asRecords ?? remedy ?? `give what this prints as standard input: ${command}${file}`,
  });
}
