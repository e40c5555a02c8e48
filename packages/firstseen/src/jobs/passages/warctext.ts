// A WARC record without parts of its block. The length in its header is that of the new block. Digests of the old one are left out.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { joinBytes } from '../../base/utf8.js';
import type { SeenPassage } from '../../passages/found.js';
import { WARC_TEXT } from '../../records/warc.js';
import { headOf } from './recordname.js';

/** The types whose blocks are texts, and not messages of HTTP, which would be damaged. */
const rewritableTypes: readonly string[] = ['conversion', 'resource'];

/** The texts that crawlers extract. */
const REWRITTEN_TYPES: readonly string[] = ['conversion'];

const DIGESTS = /^warc-(?:block|payload)-digest$/i;
const LENGTH = /^content-length$/i;

/** A field of a header, with the lines on which it goes on. */
const FIELD = /[^\n]*\n(?:[ \t][^\n]*\n)*/g;

/** The name of a field. */
const NAME = /^[^:\n]*?(?=[ \t]*:)/;

function lengthIn(fields: readonly string[]): number {
  const field = fields.find((one) => LENGTH.test(NAME.exec(one)?.[0] ?? '')) as string;
  return Number(field.slice(field.indexOf(':') + 1));
}

/** The field in the header of a record whose block has another length. */
function fieldFor(field: string, length: number): string {
  const name = NAME.exec(field)?.[0] ?? '';
  if (DIGESTS.test(name)) return '';
  return LENGTH.test(name) ? `${name}: ${length}${field.endsWith('\r\n') ? '\r\n' : '\n'}` : field;
}

/** A record whose block is as long as its header says, without the passages of its block that were seen. */
export function recordWithout(record: Uint8Array, seenPassages: readonly SeenPassage[]): Uint8Array {
  const head = headOf(record);
  const fields = Buffer.from(head).toString('latin1').match(FIELD) ?? [];
  const blockEnd = head.length + lengthIn(fields);
  const parts: Uint8Array[] = [];
  let at = head.length;
  for (const { startByte, endByte } of seenPassages) {
    parts.push(record.subarray(at, head.length + startByte));
    at = head.length + endByte;
  }
  parts.push(record.subarray(at, blockEnd));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const header = Buffer.from(fields.map((field) => fieldFor(field, length)).join(''), 'latin1');
  return joinBytes([header, ...parts, record.subarray(blockEnd)]);
}

function refuse(option: string, given: string, expected: string): never {
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('emit')} rewritten changes the blocks of WARC records that are texts, but ${optionName(option)} ${given} was given`,
    {
      ...{ option, given, expected },
      remedy: phrase`leave ${optionName(option)} out, or use ${optionName('emit')} spans or documents`,
    },
  );
}

/**
 * The types of the records that are rewritten; the others pass.
 * @throws FirstseenError E_USAGE for texts in messages of HTTP.
 */
export function rewrittenTypes(textKeys: readonly string[], asked = REWRITTEN_TYPES): readonly string[] {
  const otherKey = textKeys.find((key) => key.toLowerCase() !== WARC_TEXT);
  if (otherKey !== undefined) refuse('textKey', otherKey, WARC_TEXT);
  const other = asked.find((type) => !rewritableTypes.includes(type.toLowerCase()));
  if (other !== undefined) refuse('warcTypes', other, rewritableTypes.join(' or '));
  return asked;
}
