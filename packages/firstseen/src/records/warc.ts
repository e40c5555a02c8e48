// The fields of a WARC record, and which records are compared.

import { invalidOption, optionName, phrase } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { WARC_BLOCK, WARC_PAYLOAD } from '../kernel/abi.js';
import type { FormatName } from './formats.js';
import type { KeyPath } from './keypath.js';

/** The key of the text of a record, and that of its name, if no others are asked for. */
export const WARC_TEXT = 'block';
export const WARC_NAME = 'url';

/** The parts of a record that are not in its header. */
const places: Readonly<Record<string, number>> = { block: WARC_BLOCK, payload: WARC_PAYLOAD };

/** Short names of fields. */
const names: Readonly<Record<string, string>> = {
  url: 'warc-target-uri',
  id: 'warc-record-id',
  digest: 'warc-payload-digest',
  type: 'warc-type',
  date: 'warc-date',
};

/**
 * The place of a field: the name of a field of the header, in small letters, or the number of the block or the payload.
 * @param option the option that names the field, for errors
 * @throws FirstseenError E_USAGE for what is not the name of a field.
 */
export function warcPlace(field: string, option: string): KeyPath {
  const name = field.toLowerCase();
  const place = places[name];
  if (place !== undefined) return [place];
  if (/^[!#-'*+.^_`|~0-9a-z-]+$/.test(name)) return [names[name] ?? name];
  const knownFields = [...Object.keys(names), ...Object.keys(places)].join(', ');
  throw invalidOption({
    ...{ code: 'E_USAGE', option, given: field },
    expected: `${knownFields}, or the name of a field in the headers of records, such as WARC-Refers-To`,
  });
}

/** The records with content of the web. The others tell of them, and refer to them. */
export const comparedTypes: readonly string[] = ['response', 'resource', 'conversion'];

/** The types of the standard (ISO 28500, section 6). */
const knownTypes: readonly string[] = [
  ...comparedTypes,
  ...['warcinfo', 'request', 'metadata', 'revisit', 'continuation'],
];

/** The word for records of every type, also types that the standard does not know. */
const ALL = 'all';

/**
 * The types whose records are compared; none for all. Records of other types pass.
 * @throws FirstseenError E_USAGE for types of records that have none, and for a type that the standard does not know.
 */
export function typesOf(askedTypes: readonly string[] | undefined, format: FormatName): readonly string[] | undefined {
  const option = 'warcTypes';
  if (askedTypes === undefined) return format === 'warc' ? comparedTypes : undefined;
  if (format !== 'warc') {
    const remedy = phrase`leave it out, or give ${optionName('format')} warc`;
    throw unfitOption(option, `the format is ${format}`, { given: askedTypes, remedy });
  }
  const unknownType = askedTypes.find((type) => ![...knownTypes, ALL].includes(type.toLowerCase()));
  if (askedTypes.length === 0 || unknownType !== undefined) {
    // A type that no record has would let all records pass.
    const expected = `one or more of ${knownTypes.join(', ')}, or ${ALL}`;
    throw invalidOption({ code: 'E_USAGE', option, given: unknownType ?? askedTypes, expected });
  }
  return askedTypes.some((type) => type.toLowerCase() === ALL) ? [] : askedTypes;
}
