// What a kind of stream says of itself, as data, and how a spec becomes the numbers that its kernel needs. Documentation and
// the command read it from here.

import { FirstseenError } from '../../errors.js';
import type { StreamName } from '../../kernel/abi.js';
import type { KernelParameter } from '../../kernel/kernel.js';
import { kernelPages, wholeLines } from '../../kernel/kernel.js';
import { formatBytes } from '../../memory.js';
import type { StreamModel } from '../../plan/stream.js';
import type { Identity, StreamSpec } from '../contract.js';

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

export interface Range {
  least: number;
  most: number;
}

function rangeError(spec: StreamSpec, name: string, range: string): FirstseenError {
  const given = spec.settings[name];
  const was = given === undefined ? 'was not given' : `is ${given === '' ? '""' : given}`;
  return new FirstseenError('E_PARAMETER', `${name} of stream ${spec.kind} ${was}, but must be ${range}`);
}

/** A whole number among the settings, or `fallback` where none is given. */
export function wholeSetting(spec: StreamSpec, name: string, { least, most }: Range, fallback?: number): number {
  const value = spec.settings[name] ?? fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw rangeError(spec, name, `a whole number from ${least} to ${most}`);
}

/** A number among the settings that lies above `least` and is at most `most`. */
export function numberSetting(spec: StreamSpec, name: string, { least, most }: Range): number {
  const value = spec.settings[name];
  if (typeof value === 'number' && value > least && value <= most) return value;
  throw rangeError(spec, name, `a number above ${least} and at most ${most}`);
}

export function pathSetting(spec: StreamSpec): string {
  const value = spec.settings.path;
  if (value !== undefined && value !== '') return String(value);
  throw rangeError(spec, 'path', 'that of a file');
}

/** The one of two settings that is given: they say the same in two ways. */
export function eitherSetting(spec: StreamSpec, names: readonly [string, string]): string {
  const given = names.filter((name) => spec.settings[name] !== undefined);
  const [only] = given;
  if (only !== undefined && given.length === 1) return only;
  throw new FirstseenError(
    'E_PARAMETER',
    `stream ${spec.kind} was given ${given.length === 0 ? 'neither' : 'both'} of ${names.join(' and ')}; give one of them (--distinct SHARE or --set NAME=VALUE)`,
  );
}

/** @throws FirstseenError E_PARAMETER for settings that the kind does not know, or a length or seed out of range. */
export function checkSpec(spec: StreamSpec, kind: StreamKind): void {
  const known = kind.settings.map(({ name }) => name);
  for (const name of Object.keys(spec.settings)) {
    if (known.includes(name)) continue;
    const choices = `it takes ${known.join(', ')}`;
    throw new FirstseenError('E_PARAMETER', `stream ${kind.name} has no setting ${name}; ${choices}`);
  }
  if (!Number.isSafeInteger(spec.seed) || spec.seed < 0) {
    throw new FirstseenError(
      'E_PARAMETER',
      `seed of the stream is ${spec.seed}, but must be a whole number from 0 to 2^53 - 1`,
    );
  }
}

/** The length of a stream that has no end of its own. */
export function lengthOf(spec: StreamSpec): number {
  const { lengthElements } = spec;
  if (Number.isInteger(lengthElements) && lengthElements >= 1 && lengthElements <= MOST_ELEMENTS) return lengthElements;
  throw new FirstseenError(
    'E_PARAMETER',
    `length of stream ${spec.kind} is ${lengthElements}, but must be a whole number of elements from 1 to ${MOST_ELEMENTS}`,
  );
}

/** @throws FirstseenError E_PARAMETER where positions do not fit what counting by gap keeps of them. */
function checkByGap(lengthElements: number): void {
  if (lengthElements <= MOST_BY_GAP_ELEMENTS) return;
  throw new FirstseenError(
    'E_PARAMETER',
    `errors by gap were asked for over ${lengthElements} elements, but at most ${MOST_BY_GAP_ELEMENTS} are possible; shorten the stream, or leave gaps out`,
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
 * @throws FirstseenError E_PARAMETER for an identity that there is not, or gaps that cannot be counted; E_MEMORY where the truth
 * needs more than a kernel has.
 */
export function checkUse(resolved: ResolvedStream, { identity, isByGap }: StreamUse): void {
  resolved.checkIdentity?.(identity);
  if (isByGap) checkByGap(resolved.lengthElements);
  const cellsBytes = heldBytes(resolved, isByGap);
  try {
    kernelPages({ cellsBytes });
  } catch (cause) {
    throw new FirstseenError(
      'E_MEMORY',
      `the truth of a stream of ${resolved.description} takes ${formatBytes(cellsBytes)}, but must be below 4GiB; ask for a shorter stream or a smaller universe${isByGap ? ', or leave gaps out' : ''}`,
      { cause },
    );
  }
}
