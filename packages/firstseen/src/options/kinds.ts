// What the values of each kind are: how a flag reads them, what the library accepts, and how the help shows a default.

import { checkBytes, checkDuration, checkFunctions, checkWord, millisecondsOf } from '../base/check.js';
import { invalidOption } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import type { KindName, OptionRow, ValueOf } from './row.js';
import {
  addParameter,
  parseChoice,
  parseElements,
  parseGaps,
  parseNumber,
  parseSeed,
  parseThreads,
  parseWhole,
} from './values.js';

/** The text after a flag. */
export interface FlagText {
  text: string;
  /** The long flag, for errors. */
  flag: string;
  row: OptionRow;
  /** The words or names that the option takes, if they are known. */
  words: readonly string[];
  /** The value of the same flag before, if it was given before. */
  before: unknown;
}

interface Kind<Value> {
  /** Reads a value; absent if no flag has such a value. @throws FirstseenError that names the flag or the option. */
  read?(given: FlagText): Value;
  /** @throws FirstseenError E_USAGE for a value that is not of the kind. Absent where the library checks the value itself. */
  check?(row: OptionRow, value: unknown): void;
  /** The default as the help shows it; the value itself by default. */
  show?(value: Value): string;
}

function refuse(option: string, given: unknown, expected: string): never {
  throw invalidOption({ code: 'E_USAGE', option, given, expected });
}

/** Checks that a value has a type of JavaScript. */
function ofType(type: 'string' | 'number' | 'boolean', expected: string): NonNullable<Kind<never>['check']> {
  return ({ name }, value) => {
    if (typeof value !== type) refuse(name, value, expected);
  };
}

const bytesKind: Kind<number> = {
  read: ({ text, row }) => checkBytes(row.name, text),
  check: ofType('number', 'a number of bytes'),
  show: formatBytes,
};

function addText({ text, before = [] }: FlagText): string[] {
  return [...(before as string[]), text];
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

export const kinds: { readonly [Name in KindName]: Kind<ValueOf[Name]> } = {
  text: { read: ({ text }) => text, check: ofType('string', 'a text') },
  texts: {
    read: addText,
    check({ name }, value) {
      if (!isTexts(value)) refuse(name, value, 'a list of texts');
    },
  },
  fields: {
    read: addText,
    check({ name }, value) {
      const isNamed = typeof value === 'string' || (isTexts(value) && (value as string[]).length > 0);
      if (!isNamed) refuse(name, value, 'the name of a field, or a list of one or more');
    },
  },
  word: {
    read: ({ text, flag, words }) => parseChoice(text, flag, words),
    check: ({ name, words = [] }, value) => checkWord(name, value, words, 'E_USAGE'),
  },
  name: { read: ({ text, flag, words }) => parseChoice(text, flag, words) },
  number: { read: ({ text, flag }) => parseNumber(text, flag), check: ofType('number', 'a number') },
  whole: { read: ({ text, flag }) => parseWhole(text, flag, 1), check: ofType('number', 'a whole number') },
  elements: { read: ({ text, flag }) => parseElements(text, flag), check: ofType('number', 'a number of elements') },
  gaps: { read: ({ text, flag }) => parseGaps(text, flag) },
  seed: { read: ({ text, flag }) => parseSeed(text, flag) },
  size: { read: ({ text }) => text, show: (size) => (typeof size === 'number' ? formatBytes(size) : size) },
  bytes: bytesKind,
  duration: {
    read({ text, flag }) {
      checkDuration(flag, text, 'E_USAGE');
      return text;
    },
    check: ({ name }, value) => void millisecondsOf(name, value as number | string, 'E_USAGE'),
  },
  threads: { read: ({ text, flag }) => parseThreads(text, flag) },
  parameters: {
    read: ({ text, flag, before }) => addParameter(text, flag, before as Record<string, string> | undefined),
  },
  presence: { check: ofType('boolean', 'true or false') },
  signal: {},
  function: { check: ({ name }, value) => checkFunctions({ [name]: value }, 'E_USAGE') },
};

/** @throws FirstseenError E_USAGE for an option that is given with a value of another kind than its row says. */
export function checkKinds(rows: readonly OptionRow[], options: Readonly<Record<string, unknown>>): void {
  for (const row of rows) {
    const value = options[row.name];
    if (value !== undefined) kinds[row.kind].check?.(row, value);
  }
}
