// By which rules keys are equal that are not the same bytes (docs/decisions/077-equal-keys.md).

import { checkBoolean, checkWord } from '../base/check.js';
import { type ErrorCode, invalidOption } from '../base/errors.js';
import { unfitOption } from '../base/unfitoption.js';
import { EQUAL_CASE, EQUAL_NFC, EQUAL_NFKC, EQUAL_NUMBERS, EQUAL_ORDER, EQUAL_TRIM } from '../kernel/abi.js';
import { normalFormWords } from '../options/records.js';
import { type FormatName, recordFormats } from './formats.js';

/** A form of Unicode. */
export type NormalForm = (typeof normalFormWords)[number];

/** The rules by which keys are equal. All are off by default: keys are equal if their bytes are. */
export interface EqualityOptions {
  /** Fields that are left out of whole records, named as keys are: records that differ only in these are equal. None by default. */
  keyExcept?: readonly string[] | undefined;
  /** Capital and small letters are equal, in every script; false by default. */
  ignoresCase?: boolean | undefined;
  /** White space before and after a key does not count; false by default. */
  trims?: boolean | undefined;
  /** Characters are equal whose form in Unicode is: `nfc` for composed and decomposed accents, `nfkc` for variants such as full-width letters too. */
  normalize?: NormalForm | undefined;
  /** Numbers are equal whose values are: 1, 1.0 and 1e0; false by default. A JSON text such as "1" is not a number. */
  numbersByValue?: boolean | undefined;
  /** JSON objects are equal whose members are, in any order and with any blanks; false by default. Their numbers are compared by value. */
  ignoresOrder?: boolean | undefined;
}

type Switch = Exclude<keyof EqualityOptions, 'normalize' | 'keyExcept'>;

/** The rules of keys. What is not asked for is absent. */
export type Equality = { readonly [Name in Switch]?: true } & {
  /** The form in which texts are compared. */
  readonly normalize?: NormalForm;
  /** The fields that are left out of whole records. */
  readonly keyExcept?: readonly string[];
};

const switches: readonly [Switch, bit: number, words: string][] = [
  ['ignoresCase', EQUAL_CASE, 'without regard to case'],
  ['trims', EQUAL_TRIM, 'without white space around them'],
  ['numbersByValue', EQUAL_NUMBERS, 'with numbers by value'],
  ['ignoresOrder', EQUAL_ORDER, 'with members in any order'],
];

/** Tells if a value is a list of names of fields. */
export function isFieldList(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((name) => typeof name === 'string');
}

/** The fields that are left out of records; undefined if there are none. */
function exceptOf(given: unknown, code: ErrorCode): readonly string[] | undefined {
  if (given === undefined) return undefined;
  if (!isFieldList(given))
    throw invalidOption({ code, option: 'keyExcept', given, expected: 'a list of names of fields' });
  return given.length === 0 ? undefined : [...given];
}

/** The rules that are asked for; undefined if there are none. @throws FirstseenError of the code for a value of another kind. */
export function equalityOf(options: EqualityOptions, code: ErrorCode = 'E_PARAMETER'): Equality | undefined {
  const askedSwitches = switches.filter(([name]) => options[name] !== undefined && checkBoolean(name, options[name]));
  const form = options.normalize;
  if (form !== undefined) checkWord('normalize', form, normalFormWords, code);
  const except = exceptOf(options.keyExcept, code);
  if (askedSwitches.length === 0 && form === undefined && !except) return undefined;
  return {
    ...Object.fromEntries(askedSwitches.map(([name]) => [name, true])),
    ...(form && { normalize: form }),
    ...(except && { keyExcept: except }),
  };
}

/** The fields that keys name, or that are left out of whole records. */
export function fieldsOf(keys: readonly string[] = [], equality?: Equality): readonly string[] {
  return [...keys, ...(equality?.keyExcept ?? [])];
}

/** The rules as the kernel has them. */
export function equalityBits(equality: Equality | undefined): number {
  if (!equality) return 0;
  const form = { nfc: EQUAL_NFC, nfkc: EQUAL_NFKC };
  const bits = switches.reduce((sum, [name, bit]) => sum | (equality[name] ? bit : 0), 0);
  return bits | (equality.normalize ? form[equality.normalize] : 0);
}

/** The rules in words. */
export function equalityText(equality: Equality): string {
  const form = equality.normalize ? [`in ${equality.normalize.toUpperCase()}`] : [];
  const except = equality.keyExcept ? [`without ${equality.keyExcept.join(', ')}`] : [];
  return [...except, ...switches.flatMap(([name, , words]) => (equality[name] ? [words] : [])), ...form].join(', ');
}

/** Tells if a value that was read has the form of rules. */
export function isEquality(value: unknown): value is Equality {
  if (typeof value !== 'object' || value === null) return false;
  const entries = Object.entries(value);
  const isForm = (form: unknown) => normalFormWords.some((word) => word === form);
  const isRule = ([name, ruleValue]: [string, unknown]) => {
    if (name === 'normalize') return isForm(ruleValue);
    if (name === 'keyExcept') return isFieldList(ruleValue) && ruleValue.length > 0;
    return ruleValue === true && switches.some(([switchName]) => switchName === name);
  };
  return entries.length > 0 && entries.every(isRule);
}

function refuse(option: keyof EqualityOptions, problem: string, remedy: string): never {
  throw unfitOption(option, problem, { remedy });
}

/** @throws FirstseenError E_USAGE for rules that have no meaning for the keys. */
export function checkEquality(equality: Equality | undefined, format: FormatName, keys: readonly string[]): void {
  const names = Object.keys(equality ?? {}) as (keyof EqualityOptions)[];
  const isJson = recordFormats[format].keys === 'paths';
  for (const name of names) {
    if (format === 'u64' && name !== 'keyExcept')
      refuse(name, 'binary integers are equal by their bits', 'leave it out');
    if (name === 'keyExcept') {
      if (keys.length > 0) refuse(name, 'the key has no other fields than its own', 'leave it out, or name no key');
      if (recordFormats[format].keys === 'headers')
        refuse(name, 'the key of a WARC record is its block', 'leave it out, or name the key of the records');
      if (recordFormats[format].keys === 'none')
        refuse(name, `records of format ${format} have no fields`, 'leave it out, or give another format');
    } else if (name === 'ignoresOrder') {
      if (!isJson) refuse(name, `records of format ${format} have no members`, 'leave it out, or read ndjson');
    } else if (isJson && keys.length === 0) {
      refuse(name, 'a whole JSON record is not a text or a number', 'name the key of the records');
    }
  }
}
