// The options of passages that look for test items in texts: where the items are, how much of one counts, and what is removed around it.

import type { OptionRow } from './row.js';

export const against = {
  name: 'against',
  flag: '--against <file>',
  group: 'similarity',
  kind: 'texts',
  help: 'look for the n-grams of the records of this file or folder, such as test sets; repeatable',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const itemShare = {
  name: 'itemShare',
  flag: '--item-share <share>',
  group: 'similarity',
  kind: 'number',
  shownDefault: 'any n-gram',
  help: 'with --against: share of the n-grams of an item from which on a text contains it',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const itemTextKey = {
  name: 'itemTextKey',
  flag: '--item-text-key <key>',
  group: 'records',
  kind: 'fields',
  shownDefault: 'that of --text-key',
  help: 'with --against: text of an item; repeatable',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const itemIdKey = {
  name: 'itemIdKey',
  flag: '--item-id-key <key>',
  group: 'records',
  kind: 'text',
  shownDefault: 'id, or the number of the item if it has none',
  help: 'with --against: name of an item',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const margin = {
  name: 'margin',
  flag: '--margin <n>',
  group: 'output',
  kind: 'number',
  default: 200,
  help: 'with --against and --emit rewritten: characters that are removed on either side of n-grams',
  jobs: ['passages'],
} as const satisfies OptionRow;

export const itemOptions = [against, itemShare] as const;

export const itemRecordOptions = [itemTextKey, itemIdKey] as const;
