// The settings of the scanner for records with these keys.

import { defined } from '../base/defined.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { checkEquality } from '../records/equality.js';
import { fieldPlace } from '../records/fieldplace.js';
import type { FormatName } from '../records/formats.js';
import type { KeyPath } from '../records/keypath.js';
import type { LineKeys } from '../records/linekeys.js';
import type { KeyRules } from '../records/policies.js';
import type { ScanSettings } from '../records/settings.js';

export interface KeyedScan
  extends Pick<ScanSettings, 'fingerprint' | 'maxRecordBytes' | 'dialect' | 'comment' | 'equality' | 'types'> {
  format: FormatName;
  keys: readonly string[];
  rules: KeyRules;
  /** The finder of keys that are not fields. */
  lineKeys?: LineKeys | undefined;
}

/** Returns the places at which the scanner finds these fields. @param option the option that names them, for errors */
function placesOf(format: FormatName, fields: readonly string[], option: string): (KeyPath | number)[] {
  return fields.map((field, i) => fieldPlace(format, field, option, i)).filter((place) => place !== undefined);
}

/**
 * Columns are resolved by the header of each input; until then only their number counts.
 * @throws FirstseenError E_USAGE for an invalid key, or one of records without fields; as `checkEquality`.
 */
export function keyedScan({
  format,
  fingerprint,
  maxRecordBytes,
  dialect,
  comment,
  equality,
  keys,
  rules,
  types,
  lineKeys,
}: KeyedScan): ScanSettings {
  checkEquality(equality, format, keys);
  const policy = { findsEmptyKeys: rules.emptyKey !== 'key', nulls: rules.nullKey };
  const settings = {
    format,
    fingerprint,
    maxRecordBytes,
    ...defined({ dialect, comment, equality, types }),
    ...policy,
  };
  const { keyExcept } = equality ?? {};
  if (keyExcept) return { ...settings, except: placesOf(format, keyExcept, 'keyExcept') };
  if (lineKeys) return { ...settings, lineKeyCount: lineKeys.partCount };
  if (keys.length === 0) return settings;
  const places = placesOf(format, keys, 'keys');
  if (typeof places[0] === 'number') return { ...settings, columns: places as number[] };
  if (places[0] !== undefined) return { ...settings, paths: places as KeyPath[] };
  throw new FirstseenError('E_USAGE', `records of format ${format} have no fields, so the whole record is the key`, {
    option: 'keys',
    given: keys,
    remedy: phrase`leave ${optionName('keys')} out, or give another ${optionName('format')}`,
  });
}
