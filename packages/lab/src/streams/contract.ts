// The description of a kind of stream as data, and what its kernel needs for a spec. The documentation and the command
// read it from here.

import { join } from 'node:path';
import { FirstseenError } from 'firstseen';
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
  wholeCacheLines,
} from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { Identity, StreamSpec } from '../contract.js';
import type { StreamName } from '../kernel/abi.js';

export interface StreamSetting {
  /** A plain name, with the unit last if it has one. */
  name: string;
  description: string;
  /** True if the value is a text, not a number. */
  isText?: true;
}

export interface StreamKind {
  /** Also the base name of its file in this folder. */
  name: string;
  title: string;
  /** The rule by which an element is drawn or read, in one sentence. */
  rule: string;
  settings: readonly StreamSetting[];
  /** @throws FirstseenError E_PARAMETER with the setting, the given value and the range; E_INPUT for a file. */
  resolve(spec: StreamSpec): Promise<ResolvedStream>;
}

export interface ResolvedStream {
  /** A description for people. */
  description: string;
  /** The length in the spec. If that is 0 or greater than the length of the file, the length of the file. */
  lengthElements: number;
  /** The prefix of the kernel's exports. */
  kernelName: StreamName;
  /** The values for the kernel, by the slots of its parameters. */
  parameters: readonly KernelParameter[];
  /** The size of the kernel's tables for generating the stream. `fillTables` writes their initial content. */
  tablesBytes: number;
  fillTables?: (tables: Uint8Array<ArrayBuffer>) => void;
  /** The size of the kernel's tables for the truth. */
  truthBytes(isByGap: boolean): number;
  /** The model from which the planner computes predicted rates and the limit. */
  model(): Promise<StreamModel>;
  /** Elements that the host supplies, such as those of a file; absent if the kernel generates them. */
  elements?: () => Promise<PlacedElements>;
  /** @throws FirstseenError E_PARAMETER for an identity that the elements cannot have; absent if they can have both. */
  checkIdentity?: (identity: Identity) => void;
}

export interface PlacedElements {
  /** Writes at most `most` elements to the front of `fingerprints`; resolves to their number, 0 at the end. */
  place(fingerprints: BigUint64Array<ArrayBuffer>, most: number): Promise<number>;
  close(): Promise<void>;
}

/** Positions are stored in 32 bits as position + 1; 0 means no position. */
const MAX_BY_GAP_ELEMENTS = 2 ** 32 - 2;
/** Up to here all numbers in the kernel's arithmetic are exact. No memory has room for the truth of longer streams. */
export const MAX_ELEMENTS = 2 ** 40;

/** The size of a bitmap over a universe, or of a table of its last positions. */
export function universeTruthBytes(universeElements: number, isByGap: boolean): number {
  return isByGap ? 4 * universeElements : 8 * Math.ceil(universeElements / 64);
}

export interface LookedUpOptions {
  kernelName: StreamName;
  parameters: readonly KernelParameter[];
  model: StreamModel;
  /** Elements are the numbers from 0 to one less than this. */
  universeElements: number;
}

/** A stream whose truth is a table indexed by number. It needs no other tables. */
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

/** The name of a setting in errors. */
export function settingOption(name: string): string {
  return `stream.settings.${name}`;
}

/** The value of a setting. @throws FirstseenError E_PARAMETER if it is missing. */
export function requiredSetting({ kind, settings }: StreamSpec, name: string): number | string {
  const value = settings[name];
  if (value !== undefined) return value;
  const option = settingOption(name);
  throw new FirstseenError('E_PARAMETER', phrase`stream ${kind} requires ${optionName(option)}, which was not given`, {
    option,
    remedy: phrase`give ${optionName(option)}`,
  });
}

/** A setting that is an integer; `fallback` is its default. @throws FirstseenError E_PARAMETER */
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
  if (value !== '') return spec.folder === undefined ? String(value) : join(spec.folder, String(value));
  throw invalidOption({ option: settingOption('path'), given: value, expected: 'the path of a file' });
}

/** The given one of two settings that determine each other. @throws FirstseenError E_PARAMETER for both or neither. */
export function eitherSetting(spec: StreamSpec, names: readonly [string, string]): string {
  const givenNames = names.filter((name) => spec.settings[name] !== undefined);
  const [only] = givenNames;
  if (only !== undefined && givenNames.length === 1) return only;
  const [one, another] = names.map((name) => optionName(settingOption(name))) as [OptionReference, OptionReference];
  const problem =
    givenNames.length === 0
      ? phrase`stream ${spec.kind} requires ${one} or ${another}`
      : phrase`stream ${spec.kind} takes either ${one} or ${another}, not both`;
  throw new FirstseenError('E_PARAMETER', problem, {
    option: settingOption(names[0]),
    remedy: phrase`give one of them`,
  });
}

const LARGEST_SEED = Number.MAX_SAFE_INTEGER;

/** @throws FirstseenError E_PARAMETER for a setting that the kind does not have, or a seed out of range. */
export function checkSpec(spec: StreamSpec, kind: StreamKind): void {
  const knownNames = kind.settings.map(({ name }) => name);
  for (const name of Object.keys(spec.settings)) {
    if (knownNames.includes(name)) continue;
    const option = settingOption(name);
    throw new FirstseenError('E_PARAMETER', phrase`stream ${kind.name} has no setting ${name}`, {
      option,
      given: spec.settings[name],
      expected: `one of ${knownNames.join(', ')}`,
      remedy: `give one of ${knownNames.join(', ')}`,
    });
  }
  checkWhole('stream.seed', spec.seed, { least: 0, most: LARGEST_SEED });
}

/** The length of a stream that has no length of its own. @throws FirstseenError E_PARAMETER */
export function lengthOf({ lengthElements }: StreamSpec): number {
  return checkWhole('stream.lengthElements', lengthElements, { least: 1, most: MAX_ELEMENTS });
}

/** @throws FirstseenError E_PARAMETER if positions do not fit the 32 bits that each has when counting by gap. */
function checkByGap(lengthElements: number): void {
  if (lengthElements <= MAX_BY_GAP_ELEMENTS) return;
  throw new FirstseenError(
    'E_PARAMETER',
    phrase`${optionName('byGap')} allows at most ${MAX_BY_GAP_ELEMENTS} elements, but the stream has ${lengthElements}`,
    {
      option: 'byGap',
      given: true,
      remedy: phrase`shorten the stream, or leave ${optionName('byGap')} out`,
    },
  );
}

/** The use of a stream: what it must supply in addition to its elements. */
export interface StreamUse {
  identity: Identity;
  /** True if the truth includes the gap of each duplicate. */
  isByGap: boolean;
}

/** The size of the tables and the truth in the kernel of a stream. */
export function heldBytes({ tablesBytes, truthBytes }: ResolvedStream, isByGap: boolean): number {
  return wholeCacheLines(tablesBytes) + truthBytes(isByGap);
}

/**
 * @throws FirstseenError E_PARAMETER for an identity that the elements cannot have, or gaps that cannot be counted;
 * E_MEMORY if the truth needs more memory than a kernel has.
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
