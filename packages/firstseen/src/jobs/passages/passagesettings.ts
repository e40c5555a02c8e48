// The settings of passages: checked, and compared with those of a state.

import { defined } from '../../base/defined.js';
import { differencesOf } from '../../base/differences.js';
import { FirstseenError, optionName, type Phrase, phrase } from '../../base/errors.js';
import type { JobNote } from '../../checkpoint/jobnote.js';
import { stateDiffers } from '../../checkpoint/resume.js';
import { checkCutting, checkLeast, checkShare, noEffect, withoutEffect } from '../../passages/cutting.js';
import { noteOfPassages, PASSAGES } from '../../passages/note.js';
import { keysOfTexts } from '../../records/texts.js';
import { pathOf, pathOfOne } from '../../run/missingkeys.js';
import { type PassageOptions, passageDefaults } from './passageoptions.js';

/** The options of the job itself. */
type Own =
  | ('by' | 'separator' | 'ngram' | 'overlap' | 'minLength' | 'minWords' | 'skipEmpty' | 'idKey')
  | ('emit' | 'attribute' | 'minDocument' | 'documentShare' | 'dolmaQuirks' | 'itemShare' | 'margin');

/** The settings that decide which passages are seen and what is written. */
export type PassageSettings = { [Name in Own]: Exclude<PassageOptions[Name], undefined> } & {
  /** The keys of the texts of a record. */
  textKeys: readonly string[];
};

/** The share of an item of which a text has any n-gram. */
const ANY_NGRAM = 0;

/** The options that have an effect only if texts are compared with each other. */
const amongTexts = [
  ...(['by', 'separator', 'overlap', 'minLength', 'skipEmpty', 'documentShare', 'dolmaQuirks'] as const),
  ...(['state', 'isReadOnly', 'isNewRun', 'checkpoint', 'secretFile', 'isUntrusted'] as const),
];

/** The options that have an effect only if texts are compared with items. */
const amongItems = ['itemShare', 'itemTextKey', 'itemIdKey', 'margin'] as const;

/** @throws FirstseenError E_USAGE for an option that has no effect if texts are compared with items, or if they are not. */
function checkUsefulAgainst(options: PassageOptions): void {
  const { against, detector = {} } = options;
  const names: readonly (keyof PassageOptions)[] = against ? amongTexts : amongItems;
  const option = names.find((name) => options[name] !== undefined) ?? (against && Object.keys(defined(detector)).at(0));
  if (option === undefined) return;
  if (against) {
    const optionText = phrase`${optionName('against')}`;
    throw noEffect({ code: 'E_USAGE', option, given: options[option as keyof PassageOptions], beside: optionText });
  }
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} requires ${optionName('against')}`, {
    option,
    remedy: phrase`give ${optionName('against')}, or leave ${optionName(option)} out`,
  });
}

/** @throws FirstseenError E_USAGE for an option that has no effect beside the others. */
function checkUseful(options: PassageOptions, { by, emit }: PassageSettings): void {
  checkUsefulAgainst(options);
  const withBy = phrase`${optionName('by')} ${by}`;
  const withEmit = phrase`${optionName('emit')} ${emit}`;
  const needs: readonly (readonly [keyof PassageOptions, boolean, Phrase])[] = [
    ...(options.against ? [] : withoutEffect(by).map((option) => [option, false, withBy] as const)),
    ['idKey', emit === 'spans', withEmit],
    ['attribute', emit === 'spans', withEmit],
    ['dolmaQuirks', emit === 'spans', withEmit],
    ['minDocument', emit === 'rewritten', withEmit],
    ['documentShare', emit === 'documents', withEmit],
    ['margin', emit === 'rewritten', withEmit],
    ['duplicatesTo', emit !== 'spans', phrase`${withEmit}, which drops no record`],
  ];
  for (const [option, isUseful, beside] of needs) {
    if (options[option] === undefined || isUseful) continue;
    throw noEffect({ code: 'E_USAGE', option, given: options[option], beside });
  }
}

/** A separator with its escapes replaced: a command line cannot hold every character. */
function unescaped(text: string): string {
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };
  return text.replace(/\\([nrt\\])/g, (_, letter: string) => escapes[letter] as string);
}

/** @throws FirstseenError E_PARAMETER for a number out of range; E_USAGE for an option without effect, or a key that is not a path. */
export function settlePassages(options: PassageOptions): PassageSettings {
  const { textKey: _defaultKey, ...defaults } = passageDefaults;
  const textKeys = keysOfTexts(options.textKey ?? passageDefaults.textKey);
  const request: PassageSettings = {
    ...defaults,
    itemShare: options.itemShare ?? ANY_NGRAM,
    ...definedOf(options),
    textKeys,
  };
  const settings = { ...request, separator: unescaped(request.separator) };
  checkCutting(settings);
  checkLeast('minDocument', settings.minDocument);
  checkShare('documentShare', settings.documentShare);
  if (options.itemShare !== undefined) checkShare('itemShare', options.itemShare);
  checkLeast('margin', settings.margin);
  for (const key of textKeys) pathOf(key, 'textKey');
  pathOfOne(settings.idKey, 'idKey');
  checkUseful(options, settings);
  return settings;
}

function definedOf(given: PassageOptions): Partial<PassageSettings> {
  const own = Object.keys(passageDefaults).filter((name) => name !== 'textKey');
  const names = own.filter((name) => given[name as keyof PassageOptions] !== undefined);
  return Object.fromEntries(names.map((name) => [name, given[name as keyof PassageOptions]]));
}

/** @throws FirstseenError E_STATE_DIFFERS when the table of the state has other elements. */
export function checkNoteOf(note: JobNote | undefined, settings: PassageSettings, state: string | undefined): void {
  if (note?.name !== PASSAGES) return;
  const before = note.settings;
  const now = noteOfPassages(settings);
  const names = before.by === now.by ? Object.keys(now) : ['by'];
  const show = (value: unknown) =>
    value === settings.by || value === before.by ? String(value) : JSON.stringify(value);
  const found = differencesOf(names.map((what) => ({ what, inState: before[what], given: now[what], show })));
  if (found.length > 0) throw stateDiffers(state as string, found);
}
