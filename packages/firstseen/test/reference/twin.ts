// A twin does what a family's kernel does, bit for bit, in the simplest way.

import type { LayoutName, ParameterValue } from '../../src/detectors/contract.js';
import type { DetectorSettings } from '../../src/detectors/settings.js';

export type Answer = 0 | 1;

export interface Twin {
  /** 1 for duplicate, 0 for distinct, judged by the state before the element is added. */
  observe(fingerprint: bigint): Answer;
  /** The answer only; the element is not added. */
  test(fingerprint: bigint): Answer;
  /** Fraction of ones, of cells that are not zero, or of slots in use. */
  load(): number;
}

export type ParameterSet = Readonly<Record<string, ParameterValue>>;

/** What the tests know of a family. */
export interface TwinRow {
  create(settings: DetectorSettings): Twin;
  /** Parameters to test the family with. */
  parameterSets: readonly ParameterSet[];
  /** Further parameters that only one layout takes. */
  layoutParameterSets?: Partial<Record<LayoutName, readonly ParameterSet[]>>;
  /** Whether an element may be forgotten by its own insertion, so that an immediate repeat is distinct. */
  forgetsAtOnce?: (settings: DetectorSettings) => boolean;
  /** Whether an element that is not found may be called duplicate by chance, even the very first one. */
  guessesMisses?: true;
  /** For a family that bounds its rate of false positives: the bound after the given number of distinct elements. */
  falsePositiveBound?: (settings: DetectorSettings, distinctElements: number) => number;
}

/** The number that a parameter was resolved to. */
export function numberOf(settings: DetectorSettings, letter: string): number {
  const value = settings.parameters.values[letter];
  if (typeof value !== 'number') throw new Error(`parameter ${letter} of ${settings.family.name} is ${value}`);
  return value;
}
