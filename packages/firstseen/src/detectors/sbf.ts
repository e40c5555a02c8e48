import { FirstseenError } from '../errors.js';
import {
  SBF_ADJACENT,
  SBF_CELL_BITS_PARAMETER,
  SBF_HASHES_PARAMETER,
  SBF_INDEPENDENT,
  SBF_VICTIM_CHOICE_PARAMETER,
  SBF_VICTIMS_PARAMETER,
} from '../kernel/abi.js';
import { cellChain } from './cellchain.js';
import { type Family, type ParameterRequest, wholeParameter, wordParameter } from './contract.js';

const victimChoices = ['adjacent', 'independent'] as const;

/** The values of Max that the paper considers in practice (deng-2006, section 4.1), each 2^d - 1. */
const maxChoices = [1, 3, 7] as const;
const MOST_HASHES = 64;
/** "Small (< 10 in all of our testing)" (deng-2006, observation 1). */
const MOST_HASHES_TRIED = 10;
/** Draws that the kernel has for one element. */
const MOST_INDEPENDENT_VICTIMS = 1000;
/** The kernel counts victims in 32 bits; from 512 MiB on there are more cells. */
const MOST_ADJACENT_VICTIMS = 2 ** 32 - 1;
/** Target rate when none is given. */
const DEFAULT_FPR = 0.01;
/** Values at which the paper tries K when the stream is not known: gap and frequency (deng-2006, section 4.1). */
const TRIAL_GAP_ELEMENTS = 200;
const TRIAL_FREQUENCY = 0.00001;

export interface StableParameters {
  Max: number;
  K: number;
  P: number;
  /** Cells. */
  m: number;
}

/** P for a rate FPS as deng-2006, eq. 17, gives it: seldom a whole number. */
export function fractionalVictims(fps: number, { K, Max, m }: Omit<StableParameters, 'P'>): number {
  const zeros = (1 - fps ** (1 / K)) ** (1 / Max);
  return 1 / ((1 / zeros - 1) * (1 / K - 1 / m));
}

/** P for a rate FPS (deng-2006, eq. 17), rounded up, so that the rate is met. */
export function victimsForRate(fps: number, parameters: Omit<StableParameters, 'P'>): number {
  const exactly = fractionalVictims(fps, parameters);
  // A quotient that is a whole number but for rounding stays that number.
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

/** Cells that are one filter, and how many such filters there are: in `blocked` every line of eight words is one. */
function filterSize(request: ParameterRequest, Max: number): { m: number; filters: number } {
  const cellsPerWord = Math.floor(64 / Math.log2(Max + 1));
  if (request.layout === 'blocked') return { m: 8 * cellsPerWord, filters: Math.floor(request.memoryBytes / 64) };
  return { m: cellsPerWord * Math.floor(request.memoryBytes / 8), filters: 1 };
}

/**
 * The K of fewest false negatives for one Max, P following from the rate (deng-2006, section 4.1). Each K is judged
 * by its P before rounding, as in the paper: rounding costs some K more than others, and would hide the paper's optimum.
 */
function bestForMax(request: ParameterRequest, Max: number, fps: number): StableParameters & { missRate: number } {
  const { m, filters } = filterSize(request, Max);
  const frequency = request.gapsElements ? 0 : TRIAL_FREQUENCY;
  const gaps = request.gapsElements ?? [TRIAL_GAP_ELEMENTS];
  const given = request.given.K;
  const tried = given === undefined ? Array.from({ length: MOST_HASHES_TRIED }, (_, i) => i + 1) : [Number(given)];
  const candidates = tried.map((K) => {
    const parameters = { Max, K, m, P: fractionalVictims(fps, { Max, K, m }) };
    // Any element may fall into any filter, so over a gap a cell is met as often as one among the cells of all.
    return { ...parameters, missRate: meanMissRate({ ...parameters, m: m * filters }, gaps, frequency) };
  });
  // There are not more than m cells to decrement, few in a line: a K that would need more is no choice.
  const possible = candidates.filter(({ P }) => P <= mostVictims(request, m));
  return (possible.length > 0 ? possible : candidates).reduce((best, next) =>
    next.missRate < best.missRate ? next : best,
  );
}

function mostVictims(request: ParameterRequest, m: number): number {
  return Math.min(m, request.given.victims === 'independent' ? MOST_INDEPENDENT_VICTIMS : MOST_ADJACENT_VICTIMS);
}

function chooseMax(request: ParameterRequest, fps: number): number {
  if (request.given.Max !== undefined) return request.given.Max as number;
  // Without knowledge of the gaps the paper suggests 1 (deng-2006, section 4.1).
  if (!request.gapsElements) return 1;
  const candidates = maxChoices.map((Max) => bestForMax(request, Max, fps));
  return candidates.reduce((best, next) => (next.missRate < best.missRate ? next : best)).Max;
}

function givenMax(request: ParameterRequest): ParameterRequest {
  const { Max, d } = request.given;
  if (Max !== undefined && !maxChoices.some((choice) => choice === Max)) {
    throw new FirstseenError('E_PARAMETER', `parameter Max is ${Max}, but must be 1, 3 or 7 (2^d - 1)`);
  }
  if (d === undefined) return request;
  const fromBits = 2 ** wholeParameter(request, 'd', { least: 1, most: 3 }, () => 1) - 1;
  if (Max !== undefined && Max !== fromBits) {
    throw new FirstseenError('E_PARAMETER', `parameters Max = ${Max} and d = ${d} contradict: Max is 2^d - 1`);
  }
  return { ...request, given: { ...request.given, Max: fromBits } };
}

export const sbf: Family = {
  name: 'sbf',
  id: 3,
  title: 'Stable Bloom Filter',
  source: 'deng-2006, algorithm 1',
  rule: 'Every element, duplicate or not, takes one from P random cells, then sets its own K cells to Max.',
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  falsePositives: {
    kind: 'bounded',
    bound: 'FPS = (1 - (1 / (1 + 1 / (P (1/K - 1/m))))^Max)^K at every moment',
    source: 'deng-2006, eq. 8, corollary 5',
  },
  falseNegatives: {
    kind: 'data-dependent',
    why: 'grows with the gap to the element before (deng-2006, eq. 14)',
  },
  parameters: [
    { letter: 'Max', name: 'cellMaximum', description: 'the value a cell is set to: 1, 3 or 7' },
    { letter: 'd', name: 'cellBits', description: 'bits of a cell; Max = 2^d - 1' },
    { letter: 'K', name: 'hashCount', description: 'cells that an element sets (1 to 64)' },
    {
      letter: 'P',
      name: 'victimCount',
      description: 'cells decremented for each element; from the target rate by eq. 17',
    },
    {
      letter: 'victims',
      name: 'victims',
      description: 'the P cells adjacent, as the paper implements it, or independent, as its pseudo-code has it',
      words: victimChoices,
    },
    { letter: 'm', name: 'cellCount', description: 'cells; of one line in the blocked layout', derived: true },
    {
      letter: 'FPS',
      name: 'stableRate',
      description: 'the bound on the rate of false positives, eq. 8',
      derived: true,
    },
  ],
  resolve(request) {
    const known = givenMax(request);
    wholeParameter(known, 'K', { least: 1, most: MOST_HASHES }, () => 1);
    const victims = wordParameter(known, 'victims', victimChoices);
    const fps = known.fpr ?? DEFAULT_FPR;
    const best = bestForMax(known, chooseMax(known, fps), fps);
    const { Max, K, m } = best;
    const P = wholeParameter(known, 'P', { least: 0, most: mostVictims(known, m) }, () => victimsForRate(fps, best));
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
