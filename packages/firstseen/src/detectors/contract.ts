// A family of detectors as data: its parameters and how a request becomes the numbers that its kernel takes, and its description,
// which the documentation and the command's table print.

import { checkRate, checkWhole, checkWord, type WholeRange } from '../base/check.js';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import type { DetectorName } from '../kernel/abi.js';
import type { KernelParameter } from '../kernel/parameter.js';
import { layoutWords } from '../options/detector.js';

/**
 * The arrangement of cells in memory: `blocked` keeps those of an element in one cache line, `classic` spreads them
 * over all memory.
 */
export type LayoutName = (typeof layoutWords)[number];

/** The index is the number that kernels and snapshots use. */
export const layoutNames: readonly LayoutName[] = layoutWords;

/** The value of a parameter: a number, or one of the words of the parameter. */
export type ParameterValue = number | string;

/** A parameter of a family. */
export interface FamilyParameter {
  /** The paper's letter, under which the parameter is shown. It may be given by its letter or its name. */
  letter: string;
  /** A plain identifier, with its unit if it has one. */
  name: string;
  /** The meaning of the parameter. */
  description: string;
  /** The words to choose from, for a parameter that is a word. The snapshot stores the index. */
  words?: readonly string[];
  /** Computed from the others: shown, but not accepted. */
  derived?: boolean;
  /** A number that has no value if it is 0. Snapshots of detectors without a value do not mention it. */
  optional?: boolean;
}

/** The rate at which a family makes one kind of error: never, at most at a bound, or as the data decide. */
export type Guarantee =
  | {
      /** The family never makes the error. */
      kind: 'never';
    }
  | {
      /** The rate of the error is at most a bound. */
      kind: 'bounded';
      /** The bound in words. */
      bound: string;
      /** The publication in which the bound was proved. */
      source: string;
    }
  | {
      /** The rate of the error depends on the data. */
      kind: 'data-dependent';
      /** The dependence of the rate on the data, in words. */
      why: string;
    };

/** The age up to which repeats are always found: a number of elements, or a time. */
export type Window = { elements: number } | { milliseconds: number };

/**
 * The sharpness of a window: an element is found for certain up to the age `from`, and after the age `to` only by
 * chance, as any element is. Between them it may or may not be remembered. Elements are those that were added; in a
 * band without a width, all elements of the stream.
 */
export type WindowBand =
  | { fromElements: number; toElements: number }
  | { fromMilliseconds: number; toMilliseconds: number };

/** The width of a band as a share of the window that is certain. */
export function slackOf(band: WindowBand): number {
  const [from, to] =
    'fromElements' in band ? [band.fromElements, band.toElements] : [band.fromMilliseconds, band.toMilliseconds];
  return to === from ? 0 : (to - from) / from;
}

/** The highest share of the records of a key that comes all the time which a window drops after its end: of those before it is forgotten. */
export function maxLateShare(band: WindowBand): number {
  const slack = slackOf(band);
  return slack / (1 + slack);
}

export interface ParameterRequest {
  memoryBytes: number;
  layout: LayoutName;
  fingerprint: FingerprintName;
  /** Target rate of false positives, 0 < fpr < 1. */
  fpr?: number;
  /** Gaps of the stream's duplicates, in elements, if they are known. */
  gapsElements?: readonly number[];
  /** The window to keep; only for a family with `hasWindow`. */
  window?: Window;
  /** The widest band that is allowed, as a share of the window; only for a family with `hasWindow`. */
  windowSlack?: number;
  /** True if a duplicate restarts its window; only for a family with `hasWindow`. */
  refresh?: boolean;
  /** The parameters that were given, by letter. */
  given: Readonly<Record<string, ParameterValue>>;
  /** The name that each of them was given by, by letter, where that is not the letter. Errors use it. */
  givenNames?: Readonly<Record<string, string>>;
}

export interface ResolvedParameters {
  /** Every parameter by letter, including derived ones. */
  values: Record<string, ParameterValue>;
  /** The parameters of the kernel: values by the slots of its parameters. */
  kernel: readonly KernelParameter[];
  /** Bytes of the cells, a multiple of 8, where they are not the memory asked for; stats show both. */
  cellsBytes?: number;
  /** The sharpness of the window, for a family with `hasWindow`. */
  band?: WindowBand;
  /** A window of elements counts those that were added only. */
  countsAdds?: boolean;
  /** The detector forgets by a clock that its host sets, not by the count of elements. */
  isTimed?: boolean;
}

/**
 * The description of an algorithm and its guarantees, for readers. Detectors do not need it, so a bundle without it is
 * smaller.
 */
export interface FamilyDescription {
  /** The name of the algorithm as its paper gives it. */
  title: string;
  /** The publication of the algorithm. */
  source: string;
  /** The treatment of an element, in a sentence or two. */
  rule: string;
  /** The rate at which a new element is reported duplicate. */
  falsePositives: Guarantee;
  /** The rate at which a duplicate is reported distinct. */
  falseNegatives: Guarantee;
}

/** An algorithm as its detectors need it. */
export interface DetectorFamily {
  /** Also the base name of its files and the prefix of its kernel's exports. */
  name: DetectorName;
  /** Number in snapshots; never used again for another family. */
  id: number;
  /** The layouts that the family has. */
  layouts: readonly LayoutName[];
  /** The default layout. */
  layout: LayoutName;
  /** The parameters that the family takes. */
  parameters: readonly FamilyParameter[];
  /**
   * It takes a window and `refresh`, and its kernel exports `<name>Advance` and `<name>ObserveTimed` in addition to what all
   * kernels do.
   */
  hasWindow?: true;
  /**
   * In the blocked layout, bytes of adjacent cache lines, a power of two, any of which an element may change: a cache line by default. The
   * last group of a detector also has the rest of its cache lines.
   */
  groupBytes?: number;
  /** Registers, in addition to the common ones, that are sums over the elements of a partition. */
  sumSlots?: readonly number[];
  /** True if the contents of the cells depend on other registers, so that partitions cannot be united. */
  hasGenerations?: true;
  /** True if an element that was observed before changes nothing, and is always a duplicate. */
  ignoresRepeats?: true;
  /**
   * For a family that forgets nothing and takes any number of elements: the rate of false positives at its capacity, beyond which the rate
   * grows towards 1.
   */
  capacityFpr?: (values: Readonly<Record<string, ParameterValue>>) => number;
  /** True if its answers are exact as long as fingerprints differ, so that they meet any target rate. */
  comparesFingerprints?: true;
  /** True if its kernel holds documents, and not elements: it is only a table of near-duplicates. */
  holdsDocuments?: true;
  /** The family that replaces this one when a window is given. */
  withWindow?: DetectorName;
  /** Turns what was asked for into the parameters of a detector. */
  resolve(request: ParameterRequest): ResolvedParameters;
}

/** The name of a parameter as an option: `parameters.K`, or the name that it was given by. */
export function parameterOption({ givenNames }: ParameterRequest, letter: string): string {
  return `parameters.${givenNames?.[letter] ?? letter}`;
}

/** The whole number given for `letter`, or else `fallback()`. */
export function wholeParameter(
  request: ParameterRequest,
  letter: string,
  range: WholeRange,
  fallback: () => number,
): number {
  return checkWhole(parameterOption(request, letter), request.given[letter] ?? fallback(), range);
}

/** The rate given for `letter`, between 0 and 1, or else `fallback`. */
export function rateParameter(request: ParameterRequest, letter: string, fallback: number): number {
  return checkRate(parameterOption(request, letter), request.given[letter] ?? fallback);
}

/** The word given for `letter`, or else the first of its words. */
export function wordParameter<Word extends string>(
  request: ParameterRequest,
  letter: string,
  words: readonly Word[],
): Word {
  return checkWord(parameterOption(request, letter), request.given[letter] ?? words[0], words);
}
