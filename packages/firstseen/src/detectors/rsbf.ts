import {
  FILTER_COUNT_PARAMETER,
  RSBF_BERA,
  RSBF_DUTTA,
  RSBF_TABLE,
  RSBF_THRESHOLD_PARAMETER,
  RSBF_VARIANT_PARAMETER,
} from '../kernel/abi.js';
import { type DetectorFamily, type FamilyDescription, rateParameter, wordParameter } from './contract.js';
import { filterCountForRate, filterParameters, resolveFilters } from './filters.js';

/** The kernel's number of a variant is its index. */
const variants = ['table', 'bera-2012', 'dutta-2012'] as const;
const variantNumbers = { table: RSBF_TABLE, 'bera-2012': RSBF_BERA, 'dutta-2012': RSBF_DUTTA } as const;

/** Threshold rate and p* of the papers' experiments (dutta-2012, section 6; bera-2012, section 6). */
const PUBLISHED_FPR = 0.1;
const PUBLISHED_THRESHOLD = 0.03;

export const rsbfDescription: FamilyDescription = {
  title: 'Reservoir Sampling based Bloom Filter',
  source: 'dutta-2012, algorithm 1; bera-2012, algorithm 1',
  rule: 'Elements enter as into a reservoir of size s: always at first, then with probability s/i, and always if reported distinct once s/i is at most p*. With the variant `table` every element enters and clears one random bit in each filter.',
  falsePositives: {
    kind: 'data-dependent',
    why: 'the rate follows the load of the filters; the papers bound it by probabilities of their model',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'an element may not have entered, and a cleared bit forgets the elements that shared it',
  },
};

export const rsbf: DetectorFamily = {
  name: 'rsbf',
  id: 4,
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  parameters: [
    ...filterParameters,
    {
      letter: 'variant',
      name: 'variant',
      description: 'the rule of the published tables, or the pseudo-code of one paper',
      words: variants,
    },
    {
      letter: 'p*',
      name: 'insertionThreshold',
      description:
        'insertion probability at or below which every element reported distinct enters (only for the pseudo-codes)',
    },
  ],
  resolve(request) {
    const { k, s } = resolveFilters(request, filterCountForRate(PUBLISHED_FPR));
    const variant = wordParameter(request, 'variant', variants);
    const threshold = rateParameter(request, 'p*', PUBLISHED_THRESHOLD);
    return {
      values: { k, s, variant, 'p*': threshold },
      kernel: [
        [FILTER_COUNT_PARAMETER, k],
        [RSBF_VARIANT_PARAMETER, variantNumbers[variant]],
        [RSBF_THRESHOLD_PARAMETER, threshold],
      ],
    };
  },
};
