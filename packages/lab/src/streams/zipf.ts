import { FirstseenError } from 'firstseen';
import { formatCounted, type KernelParameter, type OptionReference, optionName, phrase } from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { ZIPF_COEFFICIENTS_PARAMETER, ZIPF_SEGMENT_BYTES, ZIPF_SEGMENTS_PARAMETER } from '../kernel/abi.js';
import { bisect } from './bisect.js';
import {
  lengthOf,
  lookedUpStream,
  MAX_ELEMENTS,
  numberSetting,
  type ResolvedStream,
  type StreamKind,
  settingOption,
  wholeSetting,
} from './contract.js';
import { fillSegments, segmentsOf, seriesOf } from './segments.js';

const MAX_EXPONENT = 10;
const MAX_SHARE = 0.999;

/** Ranks with the same weight: their number, and the share of each. */
interface Shares {
  ranks: Float64Array;
  share: Float64Array;
}

/** Sums over ranks, by Simpson's rule over each segment; segments of one rank are exact. */
function sharesOf(universeElements: number, exponent: number): Shares {
  const ranks: number[] = [];
  const weights: number[] = [];
  const add = (count: number, rank: number) => {
    ranks.push(count);
    weights.push(rank ** -exponent);
  };
  for (const { first, length } of segmentsOf(universeElements)) {
    if (length === 1) add(1, first);
    else {
      add(length / 6, first - 0.5);
      add((length * 4) / 6, first + (length - 1) / 2);
      add(length / 6, first + length - 0.5);
    }
  }
  const total = weights.reduce((sum, weight, i) => sum + weight * (ranks[i] as number), 0);
  return { ranks: Float64Array.from(ranks), share: Float64Array.from(weights, (weight) => weight / total) };
}

/** The expected number of distinct ranks in a number of draws: the sum of 1 - (1 - p)^n. */
function distinctAmong({ ranks, share }: Shares, draws: number): number {
  let sum = 0;
  for (let i = 0; i < ranks.length; i++) {
    sum -= (ranks[i] as number) * Math.expm1(draws * Math.log1p(-Math.min(LARGEST_SHARE, share[i] as number)));
  }
  return sum;
}

/** Keeps logarithms finite if there is only one rank. */
const LARGEST_SHARE = 1 - 1e-9;

function freshAfter({ ranks, share }: Shares, gap: number): number {
  let sum = 0;
  for (let i = 0; i < ranks.length; i++) {
    const p = Math.min(LARGEST_SHARE, share[i] as number);
    sum += (ranks[i] as number) * p * Math.exp(gap * Math.log1p(-p));
  }
  return sum;
}

function zipfStream(lengthElements: number, universeElements: number, exponent: number): StreamModel {
  const shares = sharesOf(universeElements, exponent);
  return {
    description: `Zipf draws of exponent ${Number(exponent.toPrecision(4))} from ${formatCounted(universeElements, 'element')}`,
    lengthElements,
    fresh: (gap) => freshAfter(shares, gap),
    distinctIn: (span) => distinctAmong(shares, span),
  };
}

const shareOption = settingOption('distinctShare');

/** The error for a share that no value of another setting gives. `what` is that setting with its range. */
function unreachable({ settings: { distinctShare } }: StreamSpec, what: string): FirstseenError {
  const problem = phrase`${optionName(shareOption)} is ${String(distinctShare)}, but no ${what} gives that share`;
  return new FirstseenError('E_PARAMETER', problem, {
    option: shareOption,
    given: distinctShare,
    remedy: phrase`give another share, or give ${optionName(settingOption('exponent'))} and ${optionName(settingOption('universeElements'))}`,
  });
}

/** The universe, found by bisection of its logarithm. It rises with the share. */
function universeFor(spec: StreamSpec, lengthElements: number, exponent: number): number {
  const distinct = numberSetting(spec, 'distinctShare', { above: 0, most: MAX_SHARE }) * lengthElements;
  const among = (universe: number) => distinctAmong(sharesOf(universe, exponent), lengthElements);
  if (among(MAX_ELEMENTS) < distinct)
    throw unreachable(spec, `universe of up to 2^40 elements at exponent ${exponent}`);
  const logarithm = bisect((log) => among(Math.round(2 ** log)), distinct, 0, Math.log2(MAX_ELEMENTS));
  return Math.max(1, Math.round(2 ** logarithm));
}

/** The exponent. It falls as the share rises. */
function exponentFor(spec: StreamSpec, lengthElements: number, universeElements: number): number {
  const distinct = numberSetting(spec, 'distinctShare', { above: 0, most: MAX_SHARE }) * lengthElements;
  const among = (exponent: number) => distinctAmong(sharesOf(universeElements, exponent), lengthElements);
  if (among(MIN_EXPONENT) < distinct || among(MAX_EXPONENT) > distinct) {
    throw unreachable(spec, `exponent over ${formatCounted(universeElements, 'element')}`);
  }
  return -bisect((negative) => among(-negative), distinct, -MAX_EXPONENT, -MIN_EXPONENT);
}

const MIN_EXPONENT = 1e-6;

/** Two of share, universe and exponent determine the third. */
function settingsOf(spec: StreamSpec, lengthElements: number): { universeElements: number; exponent: number } {
  const { distinctShare, universeElements: universe, exponent: givenExponent } = spec.settings;
  if ([distinctShare, universe, givenExponent].filter((value) => value !== undefined).length !== 2) {
    const [exponent, share, universeElements] = ['exponent', 'distinctShare', 'universeElements'].map((name) =>
      optionName(settingOption(name)),
    ) as [OptionReference, OptionReference, OptionReference];
    throw new FirstseenError(
      'E_PARAMETER',
      phrase`stream zipf requires exactly two of ${exponent}, ${share} and ${universeElements}`,
      { option: exponent.option, remedy: 'give two of them; they determine the third' },
    );
  }
  if (givenExponent === undefined) {
    const universeElements = wholeSetting(spec, 'universeElements', { least: 1, most: MAX_ELEMENTS });
    return { universeElements, exponent: exponentFor(spec, lengthElements, universeElements) };
  }
  const exponent = numberSetting(spec, 'exponent', { above: 0, most: MAX_EXPONENT });
  if (universe === undefined) return { exponent, universeElements: universeFor(spec, lengthElements, exponent) };
  return { exponent, universeElements: wholeSetting(spec, 'universeElements', { least: 1, most: MAX_ELEMENTS }) };
}

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const { universeElements, exponent } = settingsOf(spec, lengthElements);
  const segments = segmentsOf(universeElements);
  const model = zipfStream(lengthElements, universeElements, exponent);
  return {
    ...lookedUpStream({
      kernelName: 'zipf',
      parameters: [
        [ZIPF_SEGMENTS_PARAMETER, segments.length],
        ...seriesOf(exponent).map((term, i): KernelParameter => [ZIPF_COEFFICIENTS_PARAMETER + i, term]),
      ],
      model,
      universeElements,
    }),
    tablesBytes: segments.length * ZIPF_SEGMENT_BYTES,
    fillTables: (tables) => fillSegments(tables, segments, exponent),
  };
}

export const zipf: StreamKind = {
  name: 'zipf',
  title: "draws by Zipf's law",
  rule: 'Every element is drawn from a universe of U elements; rank i has a probability proportional to i^-s and the identifier i - 1.',
  settings: [
    { name: 'exponent', description: 's, from 0 to 10' },
    {
      name: 'distinctShare',
      description: 'share d of distinct elements; the sum of 1 - (1 - p)^N over all ranks is dN',
    },
    { name: 'universeElements', description: 'U; two of the three settings determine the third' },
  ],
  resolve,
};
