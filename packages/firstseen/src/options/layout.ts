// The options of how records are laid out in an input: what is before them and between them, and how their fields are written.

import type { OptionRow } from './row.js';

export const hasHeader = {
  name: 'hasHeader',
  flag: '--no-header',
  group: 'records',
  kind: 'presence',
  gives: false,
  default: true,
  help: 'csv and tsv start with a record, not with a header',
  jobs: ['exact', 'near', 'passages', 'map'],
} as const satisfies OptionRow;

export const skipLines = {
  name: 'skipLines',
  flag: '--skip-lines <number>',
  group: 'records',
  kind: 'whole',
  default: 0,
  help: 'lines before the header, or before the first record, that are not records',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const comment = {
  name: 'comment',
  flag: '--comment <prefix>',
  group: 'records',
  kind: 'text',
  help: 'lines that begin with this, such as #, are not records',
  jobs: ['exact', 'near', 'passages'],
} as const satisfies OptionRow;

export const delimiter = {
  name: 'delimiter',
  flag: '--delimiter <character>',
  group: 'records',
  kind: 'text',
  shownDefault: ', or blanks in lines',
  help: 'character between two fields of csv, or of lines with a key, or tab',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const quote = {
  name: 'quote',
  flag: '--quote <character>',
  group: 'records',
  kind: 'text',
  shownDefault: '", or none in tsv',
  help: 'character around a quoted field of csv or tsv, or none',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

/** Named unlike the global function `escape`. */
export const escapeCharacter = {
  name: 'escape',
  flag: '--escape <character>',
  group: 'records',
  kind: 'text',
  help: 'character of csv or tsv that makes the next one a part of its field, besides two quotes',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'record',
} as const satisfies OptionRow;

export const keyPattern = {
  name: 'keyPattern',
  flag: '--key-pattern <regex>',
  group: 'records',
  kind: 'text',
  help: 'key of a line: the groups of this pattern, those with names if there are some, or all that it finds',
  jobs: ['exact'],
  agrees: 'record',
} as const satisfies OptionRow;

export const keyChars = {
  name: 'keyChars',
  flag: '--key-chars <range>',
  group: 'records',
  kind: 'texts',
  help: 'key of a line: these characters, such as 1-20, 5 or 21-; repeatable, or with commas',
  jobs: ['exact'],
  agrees: 'record',
} as const satisfies OptionRow;
