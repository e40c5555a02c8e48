// The options of a detector as the note of a state keeps them, and how the current options differ from them.

import { formatCounted } from '../base/count.js';
import { defined } from '../base/defined.js';
import { differencesOf } from '../base/differences.js';
import { formatBytes, parseBytes } from '../base/memory.js';
import type { DetectorFamily, ParameterValue } from '../detectors/contract.js';
import { detectorFamilies } from '../detectors/registry.js';
import {
  asksWindow,
  type DetectorSettings,
  ownParameters,
  resolveOfFamily,
  type SettingName,
  settingValues,
} from '../detectors/settings.js';
import { resolveWitnessBytes } from '../detectors/witness.js';
import { RANDOM_SECRET, Secret } from '../fingerprint/secret.js';
import { DEFAULT_TARGET_FPR, memory, parameters } from '../options/detector.js';
import { optionsOf } from '../options/rows.js';
import { AUTO, AUTO_MEMORY, isAuto, type PlannedOptions, windowSettings } from '../plan/auto.js';
import { planSettings } from '../plan/autosettings.js';
import { boundOf } from '../plan/bound.js';
import type { AutoPromise } from '../plan/contract.js';

/** Options of a detector as JSON, without the secret, which the state keeps once, in its header. */
export type AskedNote = Readonly<Record<string, unknown>>;

/** Options as the note of a state keeps them, in an order that does not depend on that of the options. */
export function askedNote({ secret: _secret, witness: _witness, ...options }: PlannedOptions): AskedNote {
  const { algorithm, layout, fpr, fingerprint, parameters, partitions, memory, seed, ...others } = options;
  return defined({
    ...{ algorithm, layout, fpr, fingerprint, parameters },
    ...others,
    partitions,
    memory: memory === undefined || memory === AUTO_MEMORY ? memory : parseBytes(memory),
    seed: seed === undefined ? undefined : String(seed),
  });
}

/** Tells if all current options were given in the same words when the state was made. The default algorithm need not be named. */
function wasAsked(before: AskedNote, now: AskedNote): boolean {
  const all: AskedNote = { algorithm: AUTO, ...before };
  return Object.entries(now).every(([name, value]) => JSON.stringify(all[name]) === JSON.stringify(value));
}

/** Tells if a state was made with the same options, all of them in the same words. */
export function isAskedAlike(before: AskedNote, now: AskedNote): boolean {
  return wasAsked(before, now) && wasAsked(now, before);
}

/** The detector of a state, and the options from which it was made. */
export interface SavedDetector {
  settings: DetectorSettings;
  asked: AskedNote;
}

/**
 * The options that differ from the state, one line each; absent options are taken from the state. If the state was made with
 * all of these options, the two records agree and nothing is planned. Otherwise, as in states without a record of their options,
 * the options are compared with the resolved settings.
 */
export function differences(saved: SavedDetector, options: PlannedOptions): string[] {
  const { settings, asked: before } = saved;
  if (wasAsked(before, askedNote(options))) return ownDifferences(settings, options);
  if (options.algorithm !== undefined) return differencesTo(settings, asPlanned(options, saved));
  // The state may have been made with the algorithm named, so it is enough if that algorithm resolves the options to the same.
  const named = differencesTo(settings, options);
  if (named.length === 0) return named;
  const planned = differencesTo(settings, asPlanned(options, saved));
  return planned.length < named.length ? planned : named;
}

/** A number of bytes with a unit, unless that would round it. */
function showExactBytes(bytes: unknown): string {
  const shown = formatBytes(Number(bytes));
  return parseBytes(shown) === bytes ? shown : formatCounted(Number(bytes), 'byte');
}

/** Differences that do not depend on how the options were worded: the secret, and the memory of the witness. */
function ownDifferences(saved: DetectorSettings, { secret, witness }: PlannedOptions): string[] {
  const given = typeof witness === 'object' ? resolveWitnessBytes(witness) : undefined;
  return [
    ...secretDifferences(saved.secret, secret),
    ...differencesOf([{ what: 'memory of the witness', inState: saved.witnessBytes, given, show: showExactBytes }]),
  ];
}

/** The settings of a state. Its family may be the one that replaces the named family when there is a window. */
function valuesInState(saved: DetectorSettings, { algorithm }: PlannedOptions): Record<SettingName, unknown> {
  const values = settingValues(saved);
  const isReplaced = detectorFamilies.some(
    ({ name, withWindow }) => name === algorithm && withWindow === saved.family.name,
  );
  return isReplaced ? { ...values, algorithm } : values;
}

function differencesTo(settings: DetectorSettings, options: PlannedOptions): string[] {
  const values = { ...options, memory: options.memory === undefined ? undefined : parseBytes(options.memory) };
  const rows = Object.entries(valuesInState(settings, options)).map(([what, inState]) => ({
    ...{ what, inState, given: values[what as SettingName] },
    show: what === memory.name ? showExactBytes : undefined,
  }));
  const differences = [...differencesOf(rows), ...ownDifferences(settings, options)];
  if (differences.length > 0) return differences;
  const letters = Object.entries(askedParameters(settings, options));
  return differencesOf(
    letters.map(([letter, given]) => ({ what: `parameter ${letter}`, inState: parameterOf(settings, letter), given })),
  );
}

/** Says that secrets differ, but never shows them. A request for a random secret accepts the one in the state. */
function secretDifferences(saved: Secret | undefined, secret: PlannedOptions['secret']): string[] {
  if (secret === undefined) return [];
  if (!saved) return ['the state is not keyed'];
  return secret === RANDOM_SECRET || saved.equals(new Secret(secret)) ? [] : ['the state has another secret'];
}

/** The options from which `auto` plans the settings of a detector. */
const hintNames: readonly string[] = optionsOf('exact')
  .filter(({ isOwn, agrees, name }) => isOwn && agrees === 'following' && name !== parameters.name)
  .map(({ name }) => name);

/**
 * The options as `auto` resolves them. `auto` by itself, without hints, leaves everything to the state. So do hints of a state without a
 * record of its options: the planner of its version may have chosen otherwise than that of today. For a window, too, that version may
 * have taken another family, which is the preferred one here.
 */
function asPlanned(options: PlannedOptions, { settings, asked: savedOptions }: SavedDetector): PlannedOptions {
  if (!isAuto(options)) return options;
  const isHint = ([name, value]: [string, unknown]) => hintNames.includes(name) && value !== undefined;
  const isOther = ([name]: [string, unknown]) => name !== 'algorithm' && !hintNames.includes(name);
  const otherOptions: PlannedOptions = Object.fromEntries(Object.entries(options).filter(isOther));
  if (!Object.entries(options).some(isHint)) return otherOptions;
  const isWindow = asksWindow(options);
  if (!isWindow && Object.keys(savedOptions).length === 0) return otherOptions;
  const plan = isWindow
    ? windowSettings(options, settings.family)
    : planSettings(options, promiseOf(settings, options));
  const { family, memoryBytes: memory, layout } = plan;
  return { ...otherOptions, algorithm: family.name, memory, layout, parameters: ownParameters(plan) };
}

/** Returns the promise that a detector was chosen to keep: a detector without a bound relies on its hints. */
function promiseOf(settings: DetectorSettings, { fpr = DEFAULT_TARGET_FPR }: PlannedOptions): AutoPromise {
  return (boundOf(settings) ?? 1) <= fpr && settings.family.name !== 'exact' ? 'every stream' : 'expected stream';
}

/** Parameters that are given, and if a rate, gaps or a window is given, all numeric ones, which follow from it. */
function askedParameters(settings: DetectorSettings, options: PlannedOptions) {
  // The fingerprint does not affect parameters, and naming one here could lack the secret, which is in the state. Expectations of a
  // stream are for `auto` only.
  const {
    fingerprint: _fingerprint,
    secret: _secret,
    distinctElements: _d,
    lengthElements: _l,
    algorithm: _algorithm,
    ...otherOptions
  } = options;
  const resolvedSettings = resolveOfFamily(settings.family, {
    ...otherOptions,
    memory: settings.memoryBytes,
    layout: settings.layout,
    partitions: settings.partitions?.count ?? 1,
  });
  const isPlanned = [options.fpr, options.gapsElements, options.window, options.windowSlack].some(
    (value) => value !== undefined,
  );
  const plannedParameters = settings.family.parameters.filter(({ words, derived }) => isPlanned && !words && !derived);
  const letters = [
    ...plannedParameters.map(({ letter }) => letter),
    ...givenLetters(settings.family, options.parameters),
  ];
  return Object.fromEntries(
    [...letters, ...(options.refresh === undefined ? [] : ['refresh'])].map((letter) => [
      letter,
      parameterOf(resolvedSettings, letter),
    ]),
  );
}

/** Letters of the parameters that are given by letter or by name. */
function givenLetters(family: DetectorFamily, given: PlannedOptions['parameters'] = {}): string[] {
  return family.parameters.filter(({ letter, name }) => letter in given || name in given).map(({ letter }) => letter);
}

/** The value of a parameter by letter, 0 for an optional one without a value. */
function parameterOf({ family, parameters }: DetectorSettings, letter: string): ParameterValue | undefined {
  const isOptional = family.parameters.some((parameter) => parameter.letter === letter && parameter.optional);
  return parameters.values[letter] ?? (isOptional ? 0 : undefined);
}
