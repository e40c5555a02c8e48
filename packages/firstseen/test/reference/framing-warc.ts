// Records of WARC in the simplest form: the rest of the input as a text with one character per byte, and regular expressions.

import { WARC_SPARE_BYTES } from '../../src/kernel/abi.ts';
import { recordClasses } from '../../src/records/classes.ts';
import type { KeyPath } from '../../src/records/keypath.ts';
import { binaryBytes, binaryString, type KeyParts } from './framing-json.ts';

type Field = readonly [name: string, value: string];

export interface WarcFrame {
  start: number;
  end: number;
  /** The class of a record without a key. */
  class?: number;
  fields: readonly Field[];
  block: string;
  /** Whether it is too long and its length leads to no end of a record, so that to drop it is an error. */
  isLost?: boolean;
}

/** A record without a place in the input. */
type Found = Omit<WarcFrame, 'start'>;

const {
  BLANK,
  TOO_LONG,
  WARC_BAD_END,
  WARC_BAD_LENGTH,
  WARC_CUT,
  WARC_NO_LENGTH,
  WARC_NO_VERSION,
  NOT_COMPARED,
  KEY_MISSING,
} = recordClasses;

const VERSION_LINE = /^WARC\/1\.[0-9][ \t\r]*\n/;

/** Whether a text without a newline may be the beginning of a line with a version. */
function mayBeVersion(text: string): boolean {
  return 'WARC/1.'.startsWith(text) || /^WARC\/1\.[0-9][ \t\r]*$/.test(text);
}

/** Whether a record of which this is the rest of the input may end there. */
function mayFollow(text: string): boolean {
  return /^[\r\n]/.test(text) || text.startsWith('WARC/1.') || 'WARC/1.'.startsWith(text);
}

function trimmed(text: string): string {
  return text.replace(/^[ \t\r\n]+/, '').replace(/[ \t\r\n]+$/, '');
}

/** The fields of a header, with the lines of each joined by spaces. */
function fieldsOf(head: string): Field[] {
  const lines = head.split('\n').slice(0, -1);
  const fields: [string, string[]][] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (last && /^[ \t]/.test(line)) {
      last[1].push(trimmed(line));
      continue;
    }
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    fields.push([name.replace(/[ \t]+$/, '').toLowerCase(), [trimmed(value)]]);
  }
  return fields.map(([name, values]) => {
    const value = values.filter((one) => one !== '').join(' ');
    return [name, name === 'warc-target-uri' ? value.replace(/^<(.*)>$/s, '$1') : value];
  });
}

/** A record that ends before the next version that a line ends with. */
function invalid(text: string, from: number, found: number, most: number): Found {
  const next = /WARC\/1\.[0-9]\r?\n/.exec(text.slice(from));
  const end = next ? from + next.index : text.length;
  return { end, class: end > most ? TOO_LONG.code : found, fields: [], block: '' };
}

/** The length in a header, or the class of a record without one. */
function lengthOf(fields: readonly Field[]): { length: number } | { class: number } {
  const given = fields.find(([name]) => name === 'content-length');
  if (!given) return { class: WARC_NO_LENGTH.code };
  return /^0*\d{1,18}$/.test(given[1]) ? { length: Number(given[1]) } : { class: WARC_BAD_LENGTH.code };
}

/** The record at the start of the text that is left of the input. @param most the greatest length of a record */
function recordAt(text: string, most: number): Found {
  const blank = /^\r?\n/.exec(text);
  if (blank) return { end: blank[0].length, class: BLANK.code, fields: [], block: '' };
  const isLong = text.length > most + WARC_SPARE_BYTES;
  const known = text.slice(0, most + WARC_SPARE_BYTES);
  const [version = ''] = VERSION_LINE.exec(known) ?? [];
  if (version === '' && !mayBeVersion(known)) return invalid(text, 1, WARC_NO_VERSION.code, most);
  const [head] = /^(?:[^\n]*\n)*?\r?\n/.exec(known.slice(version.length)) ?? [];
  if (version === '' || head === undefined) return invalid(text, 1, (isLong ? TOO_LONG : WARC_CUT).code, most);
  const start = version.length + head.length;
  const fields = fieldsOf(head.replace(/\r?\n$/, ''));
  const found = lengthOf(fields);
  if ('class' in found) return invalid(text, start, found.class, most);
  const blockEnd = start + found.length;
  const [lineEnds = ''] = /^(?:\r?\n){0,2}/.exec(text.slice(blockEnd)) ?? [];
  const end = Math.min(text.length, blockEnd + lineEnds.length);
  const count = lineEnds.split('\n').length - 1;
  const isTooLong = blockEnd > most;
  const isRight = blockEnd <= text.length && count === 2 && mayFollow(text.slice(end));
  if (isTooLong && (isLong || isRight)) return { end, class: TOO_LONG.code, fields, block: '', isLost: !isRight };
  if (!isTooLong && blockEnd <= text.length && count === 2) return { end, fields, block: text.slice(start, blockEnd) };
  const isCut = blockEnd > text.length || (count < 2 && /^\r?$/.test(text.slice(end)));
  return invalid(text, start, (isCut ? WARC_CUT : WARC_BAD_END).code, most);
}

/** All records of an input. */
export function warcFrames(input: Uint8Array, most: number): WarcFrame[] {
  const text = binaryString(input);
  const frames: WarcFrame[] = [];
  for (let start = 0; start < text.length; ) {
    const found = recordAt(text.slice(start), most);
    const end = start + found.end;
    frames.push({ ...found, start, end });
    start = end;
  }
  return frames;
}

function payloadOf({ fields, block }: WarcFrame): string {
  const type = fields.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (!/^application\/http/i.test(type)) return block;
  const [head] = /^(?:[^\n]*\n)*?\r?\n/.exec(block) ?? [];
  return head === undefined ? '' : block.slice(head.length);
}

/** The parts of the key of a record, or the class of one without a key. */
export function warcKeyParts(
  frame: WarcFrame,
  paths: readonly KeyPath[],
  types: readonly string[] | undefined,
): KeyParts {
  const fieldNamed = (name: string) => frame.fields.find(([one]) => one === name)?.[1];
  const type = fieldNamed('warc-type')?.toLowerCase();
  if (types && types.length > 0 && !types.some((one) => one.toLowerCase() === type)) return NOT_COMPARED.code;
  if (paths.length === 0) return [binaryBytes(frame.block)];
  const parts = paths.map(([place]) => {
    if (typeof place === 'string') return fieldNamed(place);
    return place === 0 ? frame.block : payloadOf(frame);
  });
  if (parts.some((part) => part === undefined)) return KEY_MISSING.code;
  return parts.map((part) => binaryBytes(part as string));
}
