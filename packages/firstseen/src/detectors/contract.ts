// What a family of detectors says of itself, as data: its parameters, its guarantees, and how a request becomes the numbers
// its kernel needs. Documentation, the command's table and the contract tests all read it from here.

import { FirstseenError } from '../errors.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { DetectorName } from '../kernel/abi.js';
import type { KernelParameter } from '../kernel/parameter.js';

export type LayoutName = 'classic' | 'blocked';

/** Index = the number in snapshots. */
export const layoutNames: readonly LayoutName[] = ['classic', 'blocked'];

export type ParameterValue = number | string;

export interface FamilyParameter {
  /** The paper's letter; the name under which the parameter is given and shown. */
  letter: string;
  /** One plain name, with its unit where it has one. */
  name: string;
  description: string;
  /** Words a parameter of words may take; the snapshot keeps the index. */
  words?: readonly string[];
  /** Follows from the others: shown, never given. */
  derived?: boolean;
}

export type Guarantee =
  | { kind: 'never' }
  | { kind: 'bounded'; bound: string; source: string }
  | { kind: 'data-dependent'; why: string };

/** What a family remembers at least: so many elements, or what came within so much time. */
export type Window = { elements: number } | { milliseconds: number };

export interface ParameterRequest {
  memoryBytes: number;
  layout: LayoutName;
  fingerprint: FingerprintName;
  /** Target rate of false positives, 0 < fpr < 1. */
  fpr?: number;
  /** Gaps of the stream's duplicates, in elements, when they are known. */
  gapsElements?: readonly number[];
  /** The window to keep; only for a family that has one. */
  window?: Window;
  /** Whether a duplicate is added again, so that the window begins anew with it; only for a family that has one. */
  refresh?: boolean;
  /** Parameters given outright, by letter. */
  given: Readonly<Record<string, ParameterValue>>;
}

export interface ResolvedParameters {
  /** Every parameter by its letter, derived ones included. */
  values: Record<string, ParameterValue>;
  /** What the kernel is told: values by the slots of its parameters. */
  kernel: readonly KernelParameter[];
  /** Bytes of the cells, a multiple of 8, where they are not the memory asked for; stats show both. */
  cellsBytes?: number;
  /** Forgets by a clock that its host sets, not by the count of elements. */
  isTimed?: boolean;
}

export interface Family {
  /** Also the base name of its files and the prefix of its kernel's exports. */
  name: DetectorName;
  /** Number in snapshots; never used again for another family. */
  id: number;
  title: string;
  source: string;
  /** What happens to an element, in one sentence. */
  rule: string;
  layouts: readonly LayoutName[];
  /** The layout used when none is asked for. */
  layout: LayoutName;
  falsePositives: Guarantee;
  falseNegatives: Guarantee;
  parameters: readonly FamilyParameter[];
  /**
   * It takes a window and `refresh`, and its kernel exports `<name>Advance` and `<name>ObserveTimed` beside what all do.
   */
  hasWindow?: true;
  /** @throws FirstseenError E_PARAMETER naming the parameter, what was given and what its range is. */
  resolve(request: ParameterRequest): ResolvedParameters;
}

export interface WholeRange {
  least: number;
  most: number;
}

/** The whole number given for `letter`, or `fallback()` when none is. */
export function wholeParameter(
  request: ParameterRequest,
  letter: string,
  range: WholeRange,
  fallback: () => number,
): number {
  const value = request.given[letter] ?? fallback();
  if (typeof value !== 'number' || !Number.isInteger(value) || value < range.least || value > range.most) {
    throw new FirstseenError(
      'E_PARAMETER',
      `parameter ${letter} is ${value}, but must be a whole number from ${range.least} to ${range.most}`,
    );
  }
  return value;
}

/** The rate given for `letter`, strictly between 0 and 1, or `fallback`. */
export function rateParameter(request: ParameterRequest, letter: string, fallback: number): number {
  const value = request.given[letter] ?? fallback;
  if (typeof value !== 'number' || !(value > 0 && value < 1)) {
    throw new FirstseenError('E_PARAMETER', `parameter ${letter} is ${value}, but must lie between 0 and 1`);
  }
  return value;
}

/** The word given for `letter`, or the first of its words. */
export function wordParameter<Word extends string>(
  request: ParameterRequest,
  letter: string,
  words: readonly Word[],
): Word {
  const value = request.given[letter] ?? words[0];
  const found = words.find((word) => word === value);
  if (found === undefined) {
    throw new FirstseenError('E_PARAMETER', `parameter ${letter} is ${value}, but must be one of ${words.join(', ')}`);
  }
  return found;
}
