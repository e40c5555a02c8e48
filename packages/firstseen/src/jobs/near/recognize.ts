// Recognizes files that are not one document of text: files of records, archives, files of other programs, and binary data.

import { isUtf8 } from 'node:buffer';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import { foreignContentOf } from '../../framing/content/content.js';

/** The number of bytes at the start of a file that are examined. */
const HEAD_BYTES = 65_536;
const NEWLINE = 0x0a;
const REPLACEMENT = '\ufffd';

/** A file with a larger share of characters that are not UTF-8 is not text. Latin-1 in western languages has fewer. */
const MAX_INVALID = 0.3;

export interface LookedAt {
  path: string;
  /** True if nobody said that each file is a document. */
  isGuessed: boolean;
}

interface Finding {
  what: string;
  remedy: Phrase;
}

function readAs(format: string): Phrase {
  return phrase`read its records with ${optionName('format')} ${format}`;
}

const LEFT_OUT = phrase`leave it out with ${optionName('exclude')}`;

/** Tells if a line is a JSON object. */
function isObject(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/** Tells if the first two lines are JSON objects, so that the file has records. */
function isNdjson(head: Uint8Array, isWhole: boolean): boolean {
  if (head[0] !== 0x7b) return false;
  const lines = new TextDecoder().decode(isWhole ? head : head.subarray(0, head.lastIndexOf(NEWLINE) + 1)).split('\n');
  const [first = '', second = ''] = lines.filter((line) => line.trim() !== '');
  return isObject(first) && isObject(second);
}

/** Tells if too many characters are not UTF-8 for a text. */
function isMostlyInvalid(head: Buffer): boolean {
  // Most files are valid, and counting takes much longer than this check.
  if (isUtf8(head) && !head.includes(REPLACEMENT)) return false;
  const text = new TextDecoder().decode(head);
  let invalid = 0;
  for (const character of text) if (character === REPLACEMENT) invalid++;
  return invalid > MAX_INVALID * text.length;
}

function findingOf(bytes: Uint8Array, isGuessed: boolean): Finding | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const content = foreignContentOf(head, true);
  if (content && content !== 'unknown') {
    const { what, format = content.fileFormat } = content;
    return { what, remedy: format ? readAs(format) : LEFT_OUT };
  }
  if (head.includes(0)) return { what: 'binary data', remedy: LEFT_OUT };
  if (isMostlyInvalid(head)) return { what: 'not text in UTF-8', remedy: LEFT_OUT };
  if (!isGuessed || !isNdjson(head, head.length === bytes.length)) return undefined;
  const asDocument = phrase`${optionName('format')} files if each file is a document`;
  return { what: 'records of JSON', remedy: phrase`${readAs('ndjson')}, or give ${asDocument}` };
}

/** @throws FirstseenError E_INPUT for a file that is not a document. */
export function checkDocument(bytes: Uint8Array, { path, isGuessed }: LookedAt): void {
  const finding = findingOf(bytes, isGuessed);
  if (!finding) return;
  throw new FirstseenError('E_INPUT', `${path} is not a document: it is ${finding.what}`, { remedy: finding.remedy });
}
