// The options of how records are laid out in an input: what is before them and between them, and how their fields are written.

import { type OptionRow, rowsWith } from './row.js';

/** Makes a row of how fields are written. */
const fieldsRow = /* @__PURE__ */ rowsWith({
  group: 'records',
  jobs: ['exact', 'near', 'passages', 'map', 'reduce'],
  agrees: 'record',
});

/** Makes a row of lines that are not records. */
const linesRow = /* @__PURE__ */ rowsWith({ group: 'records', jobs: ['exact', 'near', 'passages'] });

/** Makes a row of keys in lines without fields. */
const lineKeyRow = /* @__PURE__ */ rowsWith({ group: 'records', jobs: ['exact'], agrees: 'record' });

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

export const skipLines = /* @__PURE__ */ linesRow({
  name: 'skipLines',
  flag: '--skip-lines <number>',
  kind: 'whole',
  default: 0,
  help: 'lines before the header, or before the first record, that are not records',
});

export const comment = /* @__PURE__ */ linesRow({
  name: 'comment',
  flag: '--comment <prefix>',
  kind: 'text',
  help: 'lines that begin with this, such as #, are not records',
});

export const delimiter = /* @__PURE__ */ fieldsRow({
  name: 'delimiter',
  flag: '--delimiter <character>',
  kind: 'text',
  shownDefault: ', or blanks in lines',
  help: 'character between two fields of csv, or of lines with a key, or tab',
});

export const quote = /* @__PURE__ */ fieldsRow({
  name: 'quote',
  flag: '--quote <character>',
  kind: 'text',
  shownDefault: '", or none in tsv',
  help: 'character around a quoted field of csv or tsv, or none',
});

/** Named unlike the global function `escape`. */
export const escapeCharacter = /* @__PURE__ */ fieldsRow({
  name: 'escape',
  flag: '--escape <character>',
  kind: 'text',
  help: 'character of csv or tsv that makes the next one a part of its field, besides two quotes',
});

export const keyPattern = /* @__PURE__ */ lineKeyRow({
  name: 'keyPattern',
  flag: '--key-pattern <regex>',
  kind: 'text',
  help: 'key of a line: the groups of this pattern, those with names if there are some, or all that it finds',
});

export const keyChars = /* @__PURE__ */ lineKeyRow({
  name: 'keyChars',
  flag: '--key-chars <range>',
  kind: 'texts',
  help: 'key of a line: these characters, such as 1-20, 5 or 21-; repeatable, or with commas',
});
