// Resolves the options of a detector to settings: everything that decides its answers.

import { checkBoolean, checkBytes, checkGaps, checkRate, checkSeed, checkTargetFpr, checkWord } from '../base/check.js';
import { parseMilliseconds } from '../base/duration.js';
import { FirstseenError, invalidOption, optionName, phrase, shownName, shownValue } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import { parseDecimal, parseMeasure } from '../base/number.js';
import { unfitOption } from '../base/unfitoption.js';
import { type FingerprintName, fingerprintForms, fingerprintNames } from '../fingerprint/fingerprint.js';
import { Secret } from '../fingerprint/secret.js';
import { CACHE_LINE_BYTES, type DetectorName } from '../kernel/abi.js';
import { type KernelOptions, wholeCacheLines } from '../kernel/kernel.js';
import type { detectorOptions } from '../options/detector.js';
import { DEFAULT_MEMORY_BYTES, DEFAULT_PARTITIONS, DEFAULT_SEED } from '../options/detector.js';
import type { KeyScheme } from '../records/keyscheme.js';
import type {
  DetectorFamily,
  FamilyParameter,
  LayoutName,
  ParameterRequest,
  ParameterValue,
  ResolvedParameters,
  Window,
} from './contract.js';
import {
  bandOfPartitions,
  checkPartitionCount,
  type Partitions,
  partitionsBytes,
  windowOfPartition,
} from './partitions.js';
import { defaultFamily, detectorFamilies, familyNamed, windowFamily } from './registry.js';
import { resolveWitnessBytes } from './witness.js';

export const MIN_MEMORY_BYTES = 1024;
const WORD_BYTES = 8;

/** The options of a detector. All are optional. */
export interface DetectorOptions {
  /** A name of the registry. The default is `qht`, or `apbf` with `window` or `refresh`. */
  algorithm?: DetectorName | undefined;
  /** Bytes of the detector's cells, as a number or as text such as `64MiB`, the default. */
  memory?: number | string | undefined;
  /** `blocked`: one cache line per element; `classic`: the layout of the papers. Each family has its default. */
  layout?: LayoutName | undefined;
  /** Target rate of false positives, between 0 and 1. docs/ALGORITHMS.md says how each family uses it. */
  fpr?: number | undefined;
  /** 0 to 2^64 - 1; the default is 0. The same seed and input give the same answers. */
  seed?: number | bigint | undefined;
  /** The default is `xxh64`, or `siphash` with a secret. */
  fingerprint?: FingerprintName | undefined;
  /**
   * The key of a keyed detector: 16 bytes, 32 hexadecimal digits, or `random`. Only someone who knows it can craft input that fools
   * the detector (docs/SECURITY.md). Snapshots contain it.
   */
  secret?: Uint8Array | string | undefined;
  /**
   * Parameters of the family by letter or by name, such as `{ K: 2, P: 4 }` or `{ hashCount: 2, victimCount: 4 }`. They
   * replace the values that the family would choose.
   */
  parameters?: Readonly<Record<string, ParameterValue>> | undefined;
  /** Gaps of the stream's duplicates, in elements. `sbf` chooses Max and K by them. */
  gapsElements?: readonly number[] | undefined;
  /**
   * The age up to which repeats are always found, for a family with a window: a number of elements, as a number or as
   * text, or a duration such as `500ms`, `90s`, `30m`, `1h`, `1d`. The time is that of the clock: `clock` and `now`.
   */
  window?: number | string | undefined;
  /**
   * The widest band of ages in which an element may or may not be remembered, as a share of the window: 0.02 for 2 %. The
   * sharper the window, the more memory it takes.
   */
  windowSlack?: number | undefined;
  /** True if a repeat restarts the window of its element. */
  refresh?: boolean | undefined;
  /**
   * Parts that the detector consists of: a power of two up to 4096; 1 by default. Each part takes the elements whose hash falls
   * in its share of the hashes, and has an equal share of the memory. Answers depend on the number. The parts can be separated,
   * used in different processes, and joined again.
   */
  partitions?: number | undefined;
  /**
   * True if a witness measures the error rates of the detector (docs/WITNESS.md). Its memory is 512KiB, or `memory`.
   * By default there is none. A witness does not change any answer.
   */
  witness?: boolean | { memory: number | string } | undefined;
}

/** Everything that decides a detector's answers, and the witness. Detectors with equal settings give equal answers. */
export interface DetectorSettings {
  /** The algorithm. */
  family: DetectorFamily;
  /** Bytes asked for. */
  memoryBytes: number;
  /** The arrangement of the cells in memory. */
  layout: LayoutName;
  /** The seed of all randomness. */
  seed: bigint;
  /** The hash function from a key to 64 bits. */
  fingerprint: FingerprintName;
  /** The secret of a keyed detector. */
  secret?: Secret;
  /** The parameters of the detector; with partitions, those of each partition. */
  parameters: ResolvedParameters;
  /** The partitions, if there are several. */
  partitions?: Partitions;
  /** Bytes of the witness; 0 without one. */
  witnessBytes: number;
  /** The scheme by which the keys are made from records, if that was said. */
  keyScheme?: KeyScheme;
}

/** @throws FirstseenError E_PARAMETER for what has no letters with values. */
export function checkedParameters(parameters: DetectorOptions['parameters']): Readonly<Record<string, ParameterValue>> {
  if (parameters === undefined) return {};
  if (typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)) return parameters;
  throw invalidOption({ option: 'parameters', given: parameters, expected: 'an object with values by their letters' });
}

/** @throws FirstseenError E_ALGORITHM, E_MEMORY or E_PARAMETER. */
export function resolveSettings(options: DetectorOptions = {}): DetectorSettings {
  return resolveOfFamily(familyFor(options), options);
}

/** As `resolveSettings`, of a family whatever the name in the options. */
export function resolveOfFamily(family: DetectorFamily, options: DetectorOptions): DetectorSettings {
  const memoryBytes = checkBytes('memory', options.memory ?? DEFAULT_MEMORY_BYTES, MIN_MEMORY_BYTES);
  const layout = checkLayout(options.layout ?? layoutForSlack(options, family), family);
  const isKeyed = options.secret !== undefined;
  const fingerprint = checkFingerprint(options.fingerprint ?? (isKeyed ? 'siphash' : 'xxh64'), isKeyed);
  checkHasWindow(options, family);
  const partitions = resolvePartitions(options.partitions, memoryBytes);
  const parameters = family.resolve({
    memoryBytes: Math.floor(memoryBytes / (partitions?.count ?? 1)),
    layout,
    fingerprint,
    ...givenParameters(checkedParameters(options.parameters), family),
    ...(options.fpr === undefined ? {} : { fpr: checkTargetFpr(options.fpr) }),
    ...(options.gapsElements === undefined ? {} : { gapsElements: checkGaps('gapsElements', options.gapsElements) }),
    ...(options.window === undefined
      ? {}
      : { window: windowOfPartition(checkWindow(options.window), partitions?.count ?? 1) }),
    ...(options.windowSlack === undefined ? {} : { windowSlack: checkRate('windowSlack', options.windowSlack, '0.1') }),
    ...(options.refresh === undefined ? {} : { refresh: checkBoolean('refresh', options.refresh) }),
  });
  const seed = checkSeed('seed', options.seed ?? DEFAULT_SEED);
  const secret = options.secret === undefined ? {} : { secret: new Secret(options.secret) };
  const witnessBytes = resolveWitnessBytes(options.witness ?? false);
  const settingsOfAll = { family, memoryBytes, layout, seed, fingerprint, ...secret, witnessBytes };
  if (!partitions) return { ...settingsOfAll, parameters };
  return { ...settingsOfAll, parameters: { ...parameters, ...bandOfPartitions(parameters, partitions) }, partitions };
}

function resolvePartitions(partitions: number | undefined, memoryBytes: number): Partitions | undefined {
  const count = checkPartitionCount(partitions ?? DEFAULT_PARTITIONS);
  if (count === 1) return undefined;
  if (memoryBytes / count >= MIN_MEMORY_BYTES) return { count, first: 0, held: count };
  throw invalidOption({
    code: 'E_MEMORY',
    option: 'memory',
    given: memoryBytes,
    expected: `at least ${formatBytes(count * MIN_MEMORY_BYTES)} for ${count} partitions`,
  });
}

/** Returns the bytes asked for, for one partition. */
export function memoryBytesOfPartition({
  memoryBytes,
  partitions,
}: Pick<DetectorSettings, 'memoryBytes' | 'partitions'>): number {
  return Math.floor(memoryBytes / (partitions?.count ?? 1));
}

/**
 * Returns the bytes of the cells of a detector, or of one partition: what the family says, or whole words in `classic`
 * and whole cache lines in `blocked`.
 */
export function cellsBytesOfPartition(settings: DetectorSettings): number {
  if (settings.parameters.cellsBytes !== undefined) return settings.parameters.cellsBytes;
  const unitBytes = settings.layout === 'blocked' ? CACHE_LINE_BYTES : WORD_BYTES;
  return Math.floor(memoryBytesOfPartition(settings) / unitBytes) * unitBytes;
}

/** Returns the bytes of the cells of all partitions held; each begins at a cache line. */
export function cellsBytesOf(settings: DetectorSettings): number {
  const { partitions } = settings;
  const ownBytes = cellsBytesOfPartition(settings);
  return partitions ? partitions.held * wholeCacheLines(ownBytes) : ownBytes;
}

/** Returns the sizes of the parts of the kernel's memory. */
export function kernelSizes(
  settings: DetectorSettings,
): Required<Pick<KernelOptions, 'cellsBytes' | 'partitionsBytes' | 'witnessBytes'>> {
  const { partitions, witnessBytes } = settings;
  return {
    cellsBytes: cellsBytesOf(settings),
    partitionsBytes: partitions ? partitionsBytes(partitions) : 0,
    witnessBytes,
  };
}

/** The options that are settings of a detector: a state, a snapshot of a pool and a named detector are compared by them. */
export type SettingName = Extract<(typeof detectorOptions)[number], { readonly agrees: 'setting' }>['name'];

/** Returns the settings of a detector by the names of their options. The compiler refuses a row without a value. */
export function settingValues(settings: DetectorSettings): Record<SettingName, unknown> {
  const { family, memoryBytes, layout, partitions, seed, fingerprint } = settings;
  return {
    ...{ algorithm: family.name, memory: memoryBytes, layout },
    ...{ partitions: partitions?.count ?? DEFAULT_PARTITIONS, seed, fingerprint },
  };
}

/** The parameters that are not derived, by letter. Given as options they make the same detector. */
export function ownParameters(settings: DetectorSettings): Record<string, ParameterValue> {
  const own: Record<string, ParameterValue> = {};
  for (const { letter, derived } of settings.family.parameters) {
    const value = settings.parameters.values[letter];
    if (!derived && value !== undefined) own[letter] = value;
  }
  return own;
}

/** Tells if options ask for a window. */
export function asksWindow({
  window,
  windowSlack,
  refresh,
}: Pick<DetectorOptions, 'window' | 'windowSlack' | 'refresh'>): boolean {
  return [window, windowSlack, refresh].some((option) => option !== undefined);
}

/** The family that is named, or implied, or that replaces the named one when there is a window. */
function familyFor(options: DetectorOptions): DetectorFamily {
  const { algorithm } = options;
  if (algorithm === undefined) return asksWindow(options) ? windowFamily : defaultFamily;
  const named = familyNamed(algorithm);
  return asksWindow(options) && named.withWindow !== undefined ? familyNamed(named.withWindow) : named;
}

/** A sharp window needs the many slices of the classic layout. */
function layoutForSlack({ windowSlack }: DetectorOptions, family: DetectorFamily): LayoutName {
  return windowSlack === undefined || !family.layouts.includes('classic') ? family.layout : 'classic';
}

function checkHasWindow(options: DetectorOptions, family: DetectorFamily): void {
  if (family.hasWindow || !asksWindow(options)) return;
  const { window, windowSlack, refresh } = options;
  const names = detectorFamilies.filter(({ hasWindow }) => hasWindow).map(({ name }) => name);
  const [option, givenValue] = Object.entries({ window, windowSlack, refresh }).find(
    ([, value]) => value !== undefined,
  ) as [string, unknown];
  const remedy = phrase`leave it out, or choose ${optionName('algorithm')} ${names.join(' or ')}`;
  throw unfitOption(option, `${family.name} has no window`, { code: 'E_PARAMETER', given: givenValue, remedy });
}

/** The number of elements in a text. @throws FirstseenError E_PARAMETER for one with the unit M, which could be minutes or millions. */
function elementsOfText(window: string): number | undefined {
  const measure = parseMeasure(window);
  if (measure === undefined) return undefined;
  if (measure.unit !== 'M') return /^[kgt]?$/i.test(measure.unit) ? parseDecimal(window) : undefined;
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${optionName('window')} is ${shownValue(window)}, which could be minutes or millions of elements`,
    {
      option: 'window',
      given: window,
      expected: 'a number of elements or a duration',
      remedy: `write ${measure.value}m for minutes, or ${measure.value}e6 for millions`,
    },
  );
}

/** @throws FirstseenError E_PARAMETER for what is neither a number of elements nor a duration. */
export function checkWindow(window: number | string): Window {
  const milliseconds = typeof window === 'string' ? parseMilliseconds(window) : undefined;
  if (milliseconds !== undefined && milliseconds >= 1) return { milliseconds };
  const elements = typeof window === 'string' ? elementsOfText(window) : window;
  if (typeof elements === 'number' && Number.isSafeInteger(elements) && elements > 0) return { elements };
  throw invalidOption({
    option: 'window',
    given: window,
    expected: 'a whole number of elements, 1 or more, or a duration of 1ms or more, such as 90s, 30m, 1h or 1d',
  });
}

function checkLayout(layout: string, family: DetectorFamily): LayoutName {
  const found = family.layouts.find((name) => name === layout);
  if (found) return found;
  throw invalidOption({
    option: 'layout',
    given: layout,
    expected: `${family.layouts.join(' or ')} for ${family.name}`,
  });
}

function checkFingerprint(name: string, isKeyed: boolean): FingerprintName {
  const fingerprint = checkWord('fingerprint', name, fingerprintNames);
  if (fingerprintForms[fingerprint].isKeyed === isKeyed) return fingerprint;
  const [option, secret] = [optionName('fingerprint'), optionName('secret')];
  throw isKeyed
    ? new FirstseenError(
        'E_PARAMETER',
        phrase`${option} ${name} was given with ${secret}, but hashes without a secret`,
        {
          option: 'fingerprint',
          given: name,
          remedy: phrase`leave ${option} or ${secret} out`,
        },
      )
    : new FirstseenError('E_PARAMETER', phrase`${option} ${name} requires ${secret}`, {
        option: 'fingerprint',
        given: name,
        remedy: phrase`give ${secret}, or leave ${option} out`,
      });
}

/** Returns the parameters by letter, whether they were given by letter or by name. */
function givenParameters(
  parameters: Readonly<Record<string, ParameterValue>>,
  family: DetectorFamily,
): Pick<ParameterRequest, 'given' | 'givenNames'> {
  const valuesByLetter: Record<string, ParameterValue> = {};
  const givenNames: Record<string, string> = {};
  for (const [key, value] of Object.entries(parameters)) {
    const { letter, name } = settableParameter(key, family);
    if (valuesByLetter[letter] !== undefined) throw givenTwice(letter, name);
    valuesByLetter[letter] = value;
    if (key !== letter) givenNames[letter] = key;
  }
  return { given: valuesByLetter, givenNames };
}

function givenTwice(letter: string, name: string): FirstseenError {
  const option = `parameters.${name}`;
  const problem = phrase`${optionName(option)} and ${optionName(`parameters.${letter}`)} are the same parameter`;
  return new FirstseenError('E_PARAMETER', problem, { option, remedy: 'give one of them' });
}

/** `K`, or `K (hashCount)` where the name says more. */
function parameterText({ letter, name }: FamilyParameter): string {
  return letter === name ? letter : `${letter} (${name})`;
}

function settableParameter(key: string, family: DetectorFamily): FamilyParameter {
  const settable = family.parameters.filter(({ derived }) => !derived);
  const found = settable.find(({ letter, name }) => key === letter || key === name);
  if (found) return found;
  const option = `parameters.${shownName(key)}`;
  throw new FirstseenError('E_PARAMETER', phrase`${family.name} does not take ${optionName(option)}`, {
    option,
    remedy: settable.length > 0 ? `it takes ${settable.map(parameterText).join(', ')}` : 'it takes no parameters',
  });
}
