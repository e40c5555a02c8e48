// A twin is a second implementation of a family's kernel: simple, slow, and equal to it bit for bit.

import type { LayoutName, ParameterValue } from '../../src/detectors/contract.js';
import type { DetectorSettings } from '../../src/detectors/settings.js';

export type Answer = 0 | 1;

export interface Twin {
  /** Returns 1 (duplicate) or 0 (distinct) for the state before the element is added, then adds it. */
  observe(fingerprint: bigint): Answer;
  /** Returns the answer only; changes nothing. */
  test(fingerprint: bigint): Answer;
  /** Fraction of ones, of cells that are not zero, or of slots in use. */
  load(): number;
}

export type ParameterSet = Readonly<Record<string, ParameterValue>>;

/** The properties of a family that the tests use. */
export interface TwinRow {
  create(settings: DetectorSettings): Twin;
  /** Parameters to test the family with. */
  parameterSets: readonly ParameterSet[];
  /** Additional parameter sets for one layout only. */
  layoutParameterSets?: Partial<Record<LayoutName, readonly ParameterSet[]>>;
  /** Whether the insertion of an element can clear the element itself, so that an immediate repeat is distinct. */
  forgetsAtOnce?: (settings: DetectorSettings) => boolean;
  /** Whether a duplicate is not added again, so that it may leave a window at once. */
  leavesRepeats?: (settings: DetectorSettings) => boolean;
  /** Whether an element that is not found can be reported duplicate by chance, including the first one. */
  guessesMisses?: true;
  /** For families that bound their rate of false positives: the bound after a number of distinct elements. */
  falsePositiveBound?: (settings: DetectorSettings, distinctElements: number) => number;
}

/** The resolved number of a parameter. */
export function numberOf(settings: DetectorSettings, letter: string): number {
  const value = settings.parameters.values[letter];
  if (typeof value !== 'number') throw new Error(`parameter ${letter} of ${settings.family.name} is ${value}`);
  return value;
}
