// The description of a kind of stream as data, and what its kernel needs for a spec. Documentation and command read it from
// here.

import { FirstseenError, type StreamModel } from 'firstseen';
import {
  checkNumber,
  checkWhole,
  formatBytes,
  invalidOption,
  type KernelParameter,
  kernelPages,
  type NumberRange,
  type OptionReference,
  optionName,
  phrase,
  type WholeRange,
  wholeLines,
} from 'firstseen/internal';
import type { Identity, StreamSpec } from '../contract.js';
import type { StreamName } from '../kernel/abi.js';

export interface StreamSetting {
  /** A plain name, with its unit last where it has one. */
  name: string;
  description: string;
  /** It is a text, not a number. */
  isText?: true;
}

export interface StreamKind {
  /** Also the base name of its file here. */
  name: string;
  title: string;
  /** What an element is, in one sentence. */
  rule: string;
  settings: readonly StreamSetting[];
  /** @throws FirstseenError E_PARAMETER naming the setting, what was given and what its range is; E_INPUT for a file. */
  resolve(spec: StreamSpec): Promise<ResolvedStream>;
}

export interface ResolvedStream {
  /** In words, for people. */
  description: string;
  /** That of the spec, or of the file where the spec's is 0 or more than the file has. */
  lengthElements: number;
  /** The prefix of its kernel's exports. */
  kernelName: StreamName;
  /** What the kernel is told: values by the slots of its parameters. */
  parameters: readonly KernelParameter[];
  /** Bytes of what the kernel needs to make the stream, and how they begin. */
  tablesBytes: number;
  fillTables?: (tables: Uint8Array<ArrayBuffer>) => void;
  /** Bytes of what the kernel needs to know the truth. */
  truthBytes(isByGap: boolean): number;
  /** What the planner predicts rates and the limit by. */
  model(): Promise<StreamModel>;
  /** Elements that the host places, as those of a file; absent where the kernel makes its own. */
  elements?: () => Promise<PlacedElements>;
  /** @throws FirstseenError E_PARAMETER for an identity that its elements cannot have; absent where they have either. */
  checkIdentity?: (identity: Identity) => void;
}

export interface PlacedElements {
  /** Puts at most so many into the front of `fingerprints`; resolves to how many, 0 at the end. */
  place(fingerprints: BigUint64Array<ArrayBuffer>, most: number): Promise<number>;
  close(): Promise<void>;
}

/** Positions in 32 bits, one more than each, so that 0 is none. */
const MOST_BY_GAP_ELEMENTS = 2 ** 32 - 2;
/** All numbers in the kernel's arithmetic stay exact up to here, far beyond what any memory holds the truth of. */
export const MOST_ELEMENTS = 2 ** 40;

/** Bytes of a bitmap over a universe, or of its last positions. */
export function universeTruthBytes(universeElements: number, isByGap: boolean): number {
  return isByGap ? 4 * universeElements : 8 * Math.ceil(universeElements / 64);
}

export interface LookedUpOptions {
  kernelName: StreamName;
  parameters: readonly KernelParameter[];
  model: StreamModel;
  /** Numbers that elements can have: 0 to below this. */
  universeElements: number;
}

/** A stream whose truth is looked up by number, and which needs nothing else. */
export function lookedUpStream({ kernelName, parameters, model, universeElements }: LookedUpOptions): ResolvedStream {
  return {
    description: model.description,
    lengthElements: model.lengthElements,
    kernelName,
    parameters,
    tablesBytes: 0,
    truthBytes: (isByGap) => universeTruthBytes(universeElements, isByGap),
    model: async () => model,
  };
}

/** A setting as errors name it. */
export function settingOption(name: string): string {
  return `stream.settings.${name}`;
}

/** The value of a setting. @throws FirstseenError E_PARAMETER if it is missing. */
function requiredSetting({ kind, settings }: StreamSpec, name: string): number | string {
  const value = settings[name];
  if (value !== undefined) return value;
  const option = settingOption(name);
  throw new FirstseenError('E_PARAMETER', phrase`stream ${kind} requires ${optionName(option)}, which was not given`, {
    option,
    remedy: phrase`give ${optionName(option)}`,
  });
}

/** A setting that is a whole number; `fallback` is its default. @throws FirstseenError E_PARAMETER */
export function wholeSetting(spec: StreamSpec, name: string, range: WholeRange, fallback?: number): number {
  return checkWhole(
    settingOption(name),
    fallback === undefined ? requiredSetting(spec, name) : (spec.settings[name] ?? fallback),
    range,
  );
}

/** A setting that is a number in the range. @throws FirstseenError E_PARAMETER */
export function numberSetting(spec: StreamSpec, name: string, range: NumberRange): number {
  return checkNumber(settingOption(name), requiredSetting(spec, name), range);
}

/** The path of a file. @throws FirstseenError E_PARAMETER if it is missing or empty. */
export function pathSetting(spec: StreamSpec): string {
  const value = requiredSetting(spec, 'path');
  if (value !== '') return String(value);
  throw invalidOption({ option: settingOption('path'), given: value, expected: 'the path of a file' });
}

/** The one of two settings that is given. Each determines the other. @throws FirstseenError E_PARAMETER for both or neither. */
export function eitherSetting(spec: StreamSpec, names: readonly [string, string]): string {
  const given = names.filter((name) => spec.settings[name] !== undefined);
  const [only] = given;
  if (only !== undefined && given.length === 1) return only;
  const [one, other] = names.map((name) => optionName(settingOption(name))) as [OptionReference, OptionReference];
  const problem =
    given.length === 0
      ? phrase`stream ${spec.kind} requires ${one} or ${other}`
      : phrase`stream ${spec.kind} takes either ${one} or ${other}, not both`;
  throw new FirstseenError('E_PARAMETER', problem, {
    option: settingOption(names[0]),
    remedy: phrase`give one of them`,
  });
}

const LARGEST_SEED = Number.MAX_SAFE_INTEGER;

/** @throws FirstseenError E_PARAMETER for a setting that the kind does not have, or a seed out of range. */
export function checkSpec(spec: StreamSpec, kind: StreamKind): void {
  const known = kind.settings.map(({ name }) => name);
  for (const name of Object.keys(spec.settings)) {
    if (known.includes(name)) continue;
    const option = settingOption(name);
    throw new FirstseenError('E_PARAMETER', phrase`stream ${kind.name} has no setting ${name}`, {
      option,
      given: spec.settings[name],
      expected: `one of ${known.join(', ')}`,
      remedy: `give one of ${known.join(', ')}`,
    });
  }
  checkWhole('stream.seed', spec.seed, { least: 0, most: LARGEST_SEED });
}

/** The length of a stream that has no end of its own. @throws FirstseenError E_PARAMETER */
export function lengthOf({ lengthElements }: StreamSpec): number {
  return checkWhole('stream.lengthElements', lengthElements, { least: 1, most: MOST_ELEMENTS });
}

/** @throws FirstseenError E_PARAMETER if positions do not fit the 32 bits that counting by gap has for each. */
function checkByGap(lengthElements: number): void {
  if (lengthElements <= MOST_BY_GAP_ELEMENTS) return;
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${optionName('byGap')} allows at most ${MOST_BY_GAP_ELEMENTS} elements, but the stream has ${lengthElements}`,
    {
      option: 'byGap',
      given: true,
      remedy: phrase`shorten the stream, or leave ${optionName('byGap')} out`,
    },
  );
}

/** What is asked of a stream besides its elements. */
export interface StreamUse {
  identity: Identity;
  /** Whether the truth tells the gap of each duplicate. */
  isByGap: boolean;
}

/** Bytes of the tables and the truth in the kernel of a stream. */
export function heldBytes({ tablesBytes, truthBytes }: ResolvedStream, isByGap: boolean): number {
  return wholeLines(tablesBytes) + truthBytes(isByGap);
}

/**
 * @throws FirstseenError E_PARAMETER for an identity that the elements do not have, or gaps that cannot be counted; E_MEMORY if
 * the truth needs more memory than a kernel has.
 */
export function checkUse(resolved: ResolvedStream, { identity, isByGap }: StreamUse): void {
  resolved.checkIdentity?.(identity);
  if (isByGap) checkByGap(resolved.lengthElements);
  const cellsBytes = heldBytes(resolved, isByGap);
  try {
    kernelPages({ cellsBytes });
  } catch (cause) {
    const gaps = isByGap ? phrase`, or leave ${optionName('byGap')} out` : phrase``;
    throw new FirstseenError(
      'E_MEMORY',
      `the truth of the stream (${resolved.description}) takes ${formatBytes(cellsBytes)}, but must take less than 4GiB`,
      { remedy: phrase`choose a shorter stream or a smaller universe${gaps}`, cause },
    );
  }
}
