// The options of passages that look for test items in texts: where the items are, how much of one counts, and what is removed around it.

import { rowsWith } from './row.js';

/** Makes a row of what passages are compared with, and how. */
export const comparisonRow = /* @__PURE__ */ rowsWith({ group: 'similarity', jobs: ['passages'] });

/** Makes a row of what a run over passages writes. */
export const passageOutputRow = /* @__PURE__ */ rowsWith({ group: 'output', jobs: ['passages'] });

/** Makes a row of how test items are found. */
const itemRow = /* @__PURE__ */ rowsWith({ group: 'records', jobs: ['passages'] });

export const against = /* @__PURE__ */ comparisonRow({
  name: 'against',
  flag: '--against <file>',
  kind: 'texts',
  help: 'look for the n-grams of the records of this file or folder, such as test sets; repeatable',
});

export const itemShare = /* @__PURE__ */ comparisonRow({
  name: 'itemShare',
  flag: '--item-share <share>',
  kind: 'number',
  shownDefault: 'any n-gram',
  help: 'with --against: share of the n-grams of an item from which on a text contains it',
});

export const itemTextKey = /* @__PURE__ */ itemRow({
  name: 'itemTextKey',
  flag: '--item-text-key <key>',
  kind: 'fields',
  shownDefault: 'that of --text-key',
  help: 'with --against: text of an item; repeatable',
});

export const itemIdKey = /* @__PURE__ */ itemRow({
  name: 'itemIdKey',
  flag: '--item-id-key <key>',
  kind: 'text',
  shownDefault: 'id, or the number of the item if it has none',
  help: 'with --against: name of an item',
});

export const margin = /* @__PURE__ */ passageOutputRow({
  name: 'margin',
  flag: '--margin <n>',
  kind: 'number',
  default: 200,
  help: 'with --against and --emit rewritten: characters that are removed on either side of n-grams',
});

export const itemOptions = [against, itemShare] as const;

export const itemRecordOptions = [itemTextKey, itemIdKey] as const;
