// The parameters of the run of a row: those that the paper states, and substitutes for those that it does not state.

import type { ParameterValue } from 'firstseen';
import type { PaperName } from '../published/contract.js';

type Parameters = Readonly<Record<string, ParameterValue>>;

/** deng-2006, section 5.4; the adjacent cells are from its section 5.2. The other papers use the same SBF. */
const SBF: Parameters = { Max: 1, K: 2, P: 4, victims: 'adjacent' };
/** The rule that gives the published rates. */
const RSBF_TABLE: Parameters = { k: 2, variant: 'table' };

/** The parameters for what a row does not state. */
const used: Readonly<Record<string, Parameters>> = {
  sbf: SBF,
  rsbf: RSBF_TABLE,
  bsbf: { k: 2 },
  bsbfsd: { k: 2 },
  rlbsbf: { k: 2 },
};

/** The parameters that each paper states for all of its experiments, by algorithm. */
const stated: Readonly<Record<PaperName, Readonly<Record<string, Parameters>>>> = {
  'bera-2012': { rsbf: { k: 2 }, bsbf: { k: 2 }, bsbfsd: { k: 2 }, rlbsbf: { k: 2 } },
  'deng-2006': { sbf: SBF },
  'dutta-2012': {},
  'dutta-2013': {},
};

export interface UsedParameters {
  parameters: Parameters;
  /** The parameters that the paper does not state, such as `Max=1 K=2`. */
  unstated: string;
}

export function parametersText(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([letter, value]) => `${letter}=${value}`)
    .join(' ');
}

/** The parameters of a row that prints `given` for an algorithm. */
export function usedParameters(paper: PaperName, algorithm: string, given: Parameters = {}): UsedParameters {
  const known = { ...stated[paper][algorithm], ...given };
  const parameters = { ...used[algorithm], ...known };
  const unstated = Object.fromEntries(Object.entries(parameters).filter(([letter]) => known[letter] === undefined));
  return { parameters, unstated: parametersText(unstated) };
}

/** k by eq. 5.27 of dutta-2012, the mean of 1 and ln 0.1 / ln(1 - 1/e), for the threshold of 0.1 in its section 6. */
const RSBF_DUTTA_FILTERS = 3;

/** Readings of RSBF other than the rule `table` with k = 2, by the names that their rows get. */
export const rsbfReadings: Readonly<Partial<Record<PaperName, Readonly<Record<string, Parameters>>>>> = {
  'bera-2012': { 'as-written': { k: 2, variant: 'bera-2012', 'p*': 0.03 } },
  'dutta-2012': {
    k3: { k: RSBF_DUTTA_FILTERS, variant: 'table' },
    'as-written': { k: RSBF_DUTTA_FILTERS, variant: 'dutta-2012', 'p*': 0.03 },
  },
};
