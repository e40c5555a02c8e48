import { invalidOption, optionName, phrase } from '../base/errors.js';
import {
  SBF_ADJACENT,
  SBF_CELL_BITS_PARAMETER,
  SBF_HASHES_PARAMETER,
  SBF_INDEPENDENT,
  SBF_VICTIM_CHOICE_PARAMETER,
  SBF_VICTIMS_PARAMETER,
} from '../kernel/abi.js';
import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import { cellChain } from './cellchain.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type ParameterRequest,
  parameterOption,
  wholeParameter,
  wordParameter,
} from './contract.js';

const victimChoices = ['adjacent', 'independent'] as const;

/** The values of Max that the paper considers in practice (deng-2006, section 4.1), each 2^d - 1. */
const maxChoices = [1, 3, 7] as const;
const MAX_HASHES = 64;
/** "Small (< 10 in all of our testing)" (deng-2006, observation 1). */
const MAX_HASHES_TRIED = 10;
/** Random draws that the kernel makes for one element. */
const MAX_INDEPENDENT_VICTIMS = 1000;
/** The kernel counts victims in 32 bits; from 512 MiB on there are more cells. */
const MAX_ADJACENT_VICTIMS = 2 ** 32 - 1;
/** The gap and the frequency at which the paper tries K when the stream is unknown (deng-2006, section 4.1). */
const TRIAL_GAP_ELEMENTS = 200;
const TRIAL_FREQUENCY = 0.00001;

export interface StableParameters {
  Max: number;
  K: number;
  P: number;
  /** Cells. */
  m: number;
}

/** P for a rate FPS (deng-2006, eq. 17). It is rarely a whole number. */
export function fractionalVictims(fps: number, { K, Max, m }: Omit<StableParameters, 'P'>): number {
  const zeros = (1 - fps ** (1 / K)) ** (1 / Max);
  return 1 / ((1 / zeros - 1) * (1 / K - 1 / m));
}

/** P for a rate FPS (deng-2006, eq. 17), rounded up, so that the rate is met. */
export function victimsForRate(fps: number, parameters: Omit<StableParameters, 'P'>): number {
  const exactly = fractionalVictims(fps, parameters);
  // A quotient that differs from a whole number only by rounding counts as that number.
  return Math.ceil(exactly - 1e-9 * exactly);
}

/** The stable rate of false positives (deng-2006, eq. 8), a bound at every moment (corollary 5). */
export function stableRate({ Max, K, P, m }: StableParameters): number {
  return (1 - (1 / (1 + 1 / (P * (1 / K - 1 / m)))) ** Max) ** K;
}

/** Mean rate of false negatives over the gaps (deng-2006, eq. 16 with phi = 0 in eq. 18). */
export function meanMissRate(parameters: StableParameters, gapsElements: readonly number[], frequency: number): number {
  const { Max, K, P, m } = parameters;
  const setting = frequency + (K / m) * (1 - frequency);
  const zeroAfter = cellChain(Math.min(1, P / m), setting, Max);
  let sum = 0;
  for (const gap of gapsElements) {
    const zero = zeroAfter(gap, Max);
    sum += -Math.expm1(K * Math.log1p(-zero));
  }
  return sum / gapsElements.length;
}

/** Cells of a filter, and the number of filters. In `blocked` every cache line of eight words is a filter. */
function filterSize(request: ParameterRequest, Max: number): { m: number; filters: number } {
  const cellsPerWord = Math.floor(64 / Math.log2(Max + 1));
  if (request.layout === 'blocked') return { m: 8 * cellsPerWord, filters: Math.floor(request.memoryBytes / 64) };
  return { m: cellsPerWord * Math.floor(request.memoryBytes / 8), filters: 1 };
}

/**
 * The K with the fewest false negatives for one Max, with P from the rate (deng-2006, section 4.1). As in the paper, each K is
 * judged by its P before rounding: rounding costs some K more than others, and would hide the paper's optimum.
 */
function bestForMax(request: ParameterRequest, Max: number, fps: number): StableParameters & { missRate: number } {
  const { m, filters } = filterSize(request, Max);
  const frequency = request.gapsElements ? 0 : TRIAL_FREQUENCY;
  const gaps = request.gapsElements ?? [TRIAL_GAP_ELEMENTS];
  const hashes = request.given.K;
  const counts = hashes === undefined ? Array.from({ length: MAX_HASHES_TRIED }, (_, i) => i + 1) : [Number(hashes)];
  const candidates = counts.map((K) => {
    const parameters = { Max, K, m, P: fractionalVictims(fps, { Max, K, m }) };
    // An element falls into any filter, so over a gap a cell is hit as often as one cell among those of all filters.
    return { ...parameters, missRate: meanMissRate({ ...parameters, m: m * filters }, gaps, frequency) };
  });
  // At most m cells can be decremented, and a cache line has few. A K that needs more is not possible.
  const possible = candidates.filter(({ P }) => P <= maxVictims(request, m));
  return (possible.length > 0 ? possible : candidates).reduce((best, next) =>
    next.missRate < best.missRate ? next : best,
  );
}

function maxVictims(request: ParameterRequest, m: number): number {
  return Math.min(m, request.given.victims === 'independent' ? MAX_INDEPENDENT_VICTIMS : MAX_ADJACENT_VICTIMS);
}

function chooseMax(request: ParameterRequest, fps: number): number {
  if (request.given.Max !== undefined) return request.given.Max as number;
  // If the gaps are unknown, the paper suggests 1 (deng-2006, section 4.1).
  if (!request.gapsElements) return 1;
  const candidates = maxChoices.map((Max) => bestForMax(request, Max, fps));
  return candidates.reduce((best, next) => (next.missRate < best.missRate ? next : best)).Max;
}

function givenMax(request: ParameterRequest): ParameterRequest {
  const { Max, d } = request.given;
  if (Max !== undefined && !maxChoices.some((choice) => choice === Max)) {
    throw invalidOption({ option: parameterOption(request, 'Max'), given: Max, expected: '1, 3 or 7 (2^d - 1)' });
  }
  if (d === undefined) return request;
  const fromBits = 2 ** wholeParameter(request, 'd', { least: 1, most: 3 }, () => 1) - 1;
  if (Max !== undefined && Max !== fromBits) {
    const expected = `2^d - 1 = ${fromBits}`;
    const remedy = phrase`leave out either it or ${optionName(parameterOption(request, 'd'))}`;
    throw invalidOption({ option: parameterOption(request, 'Max'), given: Max, expected, remedy });
  }
  return { ...request, given: { ...request.given, Max: fromBits } };
}

export const sbfDescription: FamilyDescription = {
  title: 'Stable Bloom Filter',
  source: 'deng-2006, algorithm 1',
  rule: 'Every element, duplicate or not, decrements P random cells, then sets its own K cells to Max.',
  falsePositives: {
    kind: 'bounded',
    bound: 'FPS = (1 - (1 / (1 + 1 / (P (1/K - 1/m))))^Max)^K at every moment',
    source: 'deng-2006, eq. 8, corollary 5',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'the rate grows with the gap since the previous occurrence (deng-2006, eq. 14)',
  },
};

export const sbf: DetectorFamily = {
  name: 'sbf',
  id: 3,
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  parameters: [
    { letter: 'Max', name: 'cellMaximum', description: 'the value that a cell is set to: 1, 3 or 7' },
    { letter: 'd', name: 'cellBits', description: 'bits of a cell; Max = 2^d - 1' },
    { letter: 'K', name: 'hashCount', description: 'cells that an element sets (1 to 64)' },
    {
      letter: 'P',
      name: 'victimCount',
      description: 'cells decremented per element; by default from the target rate, eq. 17',
    },
    {
      letter: 'victims',
      name: 'victims',
      description:
        'whether the P cells are adjacent, as in the implementation of the paper, or independent, as in its pseudo-code',
      words: victimChoices,
    },
    { letter: 'm', name: 'cellCount', description: 'cells; in the blocked layout, cells of one line', derived: true },
    {
      letter: 'FPS',
      name: 'stableRate',
      description: 'the bound on the rate of false positives, eq. 8',
      derived: true,
    },
  ],
  resolve(request) {
    const withMax = givenMax(request);
    wholeParameter(withMax, 'K', { least: 1, most: MAX_HASHES }, () => 1);
    const victims = wordParameter(withMax, 'victims', victimChoices);
    const fps = withMax.fpr ?? DEFAULT_FPR_OF_PAPERS;
    const best = bestForMax(withMax, chooseMax(withMax, fps), fps);
    const { Max, K, m } = best;
    const P = wholeParameter(withMax, 'P', { least: 0, most: maxVictims(withMax, m) }, () => victimsForRate(fps, best));
    const d = Math.log2(Max + 1);
    return {
      values: { Max, d, K, P, victims, m, FPS: stableRate({ Max, K, P, m }) },
      kernel: [
        [SBF_CELL_BITS_PARAMETER, d],
        [SBF_HASHES_PARAMETER, K],
        [SBF_VICTIMS_PARAMETER, P],
        [SBF_VICTIM_CHOICE_PARAMETER, victims === 'adjacent' ? SBF_ADJACENT : SBF_INDEPENDENT],
      ],
    };
  },
};
