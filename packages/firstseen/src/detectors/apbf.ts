import type { WholeRange } from '../base/check.js';
import { formatCount, formatCounted } from '../base/count.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { formatBytes } from '../base/memory.js';
import {
  APBF_BUNDLED_SLICES_PARAMETER,
  APBF_CACHE_LINE_SLICES,
  APBF_GENERATION_ELEMENTS_PARAMETER,
  APBF_GENERATION_MILLISECONDS_PARAMETER,
  APBF_OLDER_SLICES_PARAMETER,
  APBF_PART_BITS,
  APBF_REFRESH_PARAMETER,
  APBF_YOUNG_SLICES_PARAMETER,
  CACHE_LINE_BYTES,
  MAX_SLICES,
} from '../kernel/abi.js';
import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import {
  type DetectorFamily,
  type FamilyDescription,
  type ParameterRequest,
  parameterOption,
  slackOf,
  type WindowBand,
  wholeParameter,
} from './contract.js';
import { refreshParameter, refreshWord } from './refresh.js';
import { bundledSlices, cacheLinesRead, maxAdds, type RingShape, ringRate, stableRingRate } from './ring.js';

/** Slices that the kernel compares at once in `classic`, and slices that fit in a cache line of `blocked`. */
const maxSlices = { classic: MAX_SLICES, blocked: APBF_CACHE_LINE_SLICES } as const;
/** The share of the largest window that a faster ring must keep. */
const MIN_SHARE_OF_WINDOW = 0.95;
const MAX_ADDS = 2 ** 36;
const MAX_MILLISECONDS = 2 ** 39;

interface Ring {
  shape: RingShape;
  g: number;
}

function wholeGiven(request: ParameterRequest, letter: string, range: WholeRange): number | undefined {
  return request.given[letter] === undefined ? undefined : wholeParameter(request, letter, range, () => range.least);
}

function shapeOf({ layout, memoryBytes }: ParameterRequest, k: number, l: number): RingShape {
  if (layout === 'blocked') return { k, l, bits: APBF_PART_BITS, parts: Math.floor(memoryBytes / CACHE_LINE_BYTES) };
  return { k, l, bits: Math.floor(memoryBytes / 8 / (k + l)) * 64, parts: 1 };
}

/** The possible shapes: all that agree with the given parameters. In `blocked` they fill a cache line. */
function shapesFor(request: ParameterRequest): RingShape[] {
  const { layout } = request;
  const most = maxSlices[layout];
  const k = wholeGiven(request, 'k', { least: 1, most: most - 1 });
  const l = wholeGiven(request, 'l', { least: 1, most: most - (k ?? 1) });
  const shapes: RingShape[] = [];
  for (let young = k ?? 1; young <= (k ?? most - (l ?? 1)); young++) {
    const isWhole = layout === 'blocked' && (k === undefined || l === undefined);
    const least = l ?? (isWhole ? most - young : 1);
    for (let older = least; older <= (l ?? most - young); older++) {
      if (!isWhole || young + older === most) shapes.push(shapeOf(request, young, older));
    }
  }
  return shapes;
}

/** The shapes whose band is narrow enough. @throws FirstseenError E_PARAMETER when there is none. */
function sharpShapes(request: ParameterRequest): RingShape[] {
  const { windowSlack, layout } = request;
  const shapes = shapesFor(request);
  if (windowSlack === undefined) return shapes;
  const sharp = shapes.filter(({ k, l }) => k / l <= windowSlack);
  if (sharp.length > 0) return sharp;
  const least = Math.min(...shapes.map(({ k, l }) => k / l));
  throw invalidOption({
    option: 'windowSlack',
    given: windowSlack,
    expected: `at least ${Number(least.toPrecision(2))}, because a ring in the ${layout} layout has at most ${maxSlices[layout]} slices`,
    remedy: phrase`use ${optionName('algorithm')} exact, whose window has no slack`,
  });
}

/** After l turns all bits of an element are in the ring, after k + l none is. It was added up to a turn before. */
function bandOf({ k, l }: Pick<RingShape, 'k' | 'l'>, milliseconds: number | undefined, g: number): WindowBand {
  if (milliseconds !== undefined) return { fromMilliseconds: l * milliseconds, toMilliseconds: (k + l) * milliseconds };
  return { fromElements: l * g, toElements: (k + l) * g };
}

function windowOf({ shape, g }: Ring): number {
  return shape.l * g;
}

/** The ring with the largest window at a rate; undefined if no ring keeps even one element. */
function largestRing(shapes: readonly RingShape[], fpr: number): Ring | undefined {
  let best: Ring | undefined;
  for (const shape of shapes) {
    // Most shapes fail already at the window of the best so far, and need no search.
    const toBeat = best === undefined ? 1 : Math.floor(windowOf(best) / shape.l) + 1;
    if (ringRate(shape, toBeat, fpr) <= fpr) best = { shape, g: maxAdds(shape, fpr) };
  }
  return best;
}

/** The ring that reads the fewest cache lines, among those with a window at most a twentieth smaller than the largest. */
function leanestRing(shapes: readonly RingShape[], fpr: number, largest: Ring): Ring {
  const minWindow = MIN_SHARE_OF_WINDOW * windowOf(largest);
  let best = largest;
  for (const shape of shapes) {
    const fewer = cacheLinesRead(best.shape) - cacheLinesRead(shape);
    if (fewer < 0) continue;
    const toBeat = fewer > 0 ? minWindow : windowOf(best) + 1;
    if (ringRate(shape, Math.ceil(toBeat / shape.l), fpr) <= fpr) best = { shape, g: maxAdds(shape, fpr) };
  }
  return best;
}

/** The ring with the lowest rate among those that cover a window. */
function safestRing(shapes: readonly RingShape[], adds: (shape: RingShape) => number): Ring {
  const rings = shapes.map((shape) => ({ shape, g: adds(shape), rate: ringRate(shape, adds(shape), 0) }));
  return rings.reduce((best, next) => (next.rate < best.rate ? next : best));
}

function refused(request: ParameterRequest, window: string, possible: Ring | undefined, fpr: number): FirstseenError {
  const { memoryBytes, layout } = request;
  const otherLayout = layout === 'blocked' ? 'classic' : 'blocked';
  const { windowSlack: _slack, ...otherOptions } = request;
  const elsewhere = largestRing(shapesFor({ ...otherOptions, layout: otherLayout, given: {} }), fpr);
  const heldText = formatCounted(possible ? windowOf(possible) : 0, 'element');
  const heldElsewhere = formatCount(elsewhere ? windowOf(elsewhere) : 0);
  if (request.windowSlack !== undefined) return tooSharp(request, window, possible, fpr);
  return new FirstseenError(
    'E_PARAMETER',
    `${formatBytes(memoryBytes)} in the ${layout} layout holds a window of ${heldText} at a rate of ${fpr}, but ${window} was asked for`,
    {
      option: 'window',
      remedy: phrase`give a smaller ${optionName('window')}, a higher ${optionName('fpr')}, more ${optionName('memory')}, or ${optionName('layout')} ${otherLayout}, which holds ${heldElsewhere}`,
    },
  );
}

/** A sharper window has fewer slices that agree by chance, so it takes more memory at the same rate. */
function tooSharp(request: ParameterRequest, window: string, possible: Ring | undefined, fpr: number): FirstseenError {
  const { memoryBytes, layout, windowSlack } = request;
  const slack = optionName('windowSlack');
  const heldText = possible ? `a window of ${formatCounted(windowOf(possible), 'element')}` : 'no window';
  const problem = phrase`${formatBytes(memoryBytes)} in the ${layout} layout holds ${heldText} at a rate of ${fpr} with ${slack} ${windowSlack as number}, but ${window} was asked for`;
  const least = minSlack(request, fpr);
  const wider =
    least === undefined
      ? phrase`more ${optionName('memory')}`
      : phrase`${slack} ${least}, more ${optionName('memory')}`;
  return new FirstseenError('E_PARAMETER', problem, {
    option: 'windowSlack',
    given: windowSlack,
    remedy: phrase`use ${optionName('algorithm')} exact, or give ${wider} or a higher ${optionName('fpr')}`,
  });
}

/** The least slack with which a ring covers the window, rounded up to a thousandth; undefined if none does. */
function minSlack(request: ParameterRequest, fpr: number): number | undefined {
  const { windowSlack: _slack, window, ...rest } = request;
  const asked = window && 'elements' in window ? window.elements : 1;
  const slacks = shapesFor(rest).flatMap((shape) => {
    const g = maxAdds(shape, fpr);
    return windowOf({ shape, g }) >= asked ? [slackOf(bandOf(shape, undefined, g))] : [];
  });
  return slacks.length === 0 ? undefined : Math.ceil(1000 * Math.min(...slacks)) / 1000;
}

/** k, l and g as given. Those not given have the lowest rate over a window in elements, or else the largest window at the rate. */
function chooseRing(request: ParameterRequest): Ring {
  const shapes = sharpShapes(request);
  const adds = wholeGiven(request, 'g', { least: 1, most: MAX_ADDS });
  const elements = request.window && 'elements' in request.window ? request.window.elements : undefined;
  const [only] = shapes;
  if (adds !== undefined && only && shapes.length === 1) return covering(request, { shape: only, g: adds }, elements);
  if (adds !== undefined) {
    const covers = shapes.filter(({ l }) => elements === undefined || l * adds >= elements);
    return covering(
      request,
      safestRing(covers.length > 0 ? covers : shapes, () => adds),
      elements,
    );
  }
  const fpr = request.fpr ?? DEFAULT_FPR_OF_PAPERS;
  if (elements === undefined) {
    const largest = largestRing(shapes, fpr);
    if (!largest) throw refused(request, 'a larger one', largest, fpr);
    return leanestRing(shapes, fpr, largest);
  }
  const safest = safestRing(shapes, ({ l }) => Math.ceil(elements / l));
  if (stableRingRate(safest.shape, safest.g) <= fpr) return safest;
  throw refused(request, formatCount(elements), largestRing(shapes, fpr), fpr);
}

/** @throws FirstseenError E_PARAMETER when the given parameters keep less than the window. */
function covering(request: ParameterRequest, ring: Ring, elements: number | undefined): Ring {
  if (elements === undefined || windowOf(ring) >= elements) return ring;
  const { l } = ring.shape;
  throw invalidOption({
    option: parameterOption(request, 'g'),
    given: ring.g,
    expected: `at least ${Math.ceil(elements / l)} for a window of ${formatCounted(elements, 'element')} over l = ${l} generations`,
    remedy: phrase`leave out either it or ${optionName('window')}`,
  });
}

/** t as given, or from a window in time; 0 turns the ring by count. */
function generationMilliseconds(request: ParameterRequest, l: number): number {
  const milliseconds = request.window && 'milliseconds' in request.window ? request.window.milliseconds : undefined;
  const least = milliseconds === undefined ? 0 : Math.ceil(milliseconds / l);
  const t = wholeParameter(request, 't', { least: 0, most: MAX_MILLISECONDS }, () => least);
  const isByCount = request.window !== undefined && milliseconds === undefined;
  if (t >= least && !(isByCount && t > 0)) return t;
  throw invalidOption({
    option: parameterOption(request, 't'),
    given: t,
    expected: isByCount ? '0 for a window of elements' : `at least ${least} for this window over l = ${l} generations`,
    remedy: phrase`leave out either it or ${optionName('window')}`,
  });
}

export const apbfDescription: FamilyDescription = {
  title: 'Age-Partitioned Bloom Filter',
  source: 'Shtul, Baquero and Almeida 2020, arXiv 2001.03147',
  rule: 'An added element sets one bit in each of the k youngest of k + l slices. After g adds, and by the clock, the oldest slice is emptied and becomes the youngest. An element is a duplicate if k slices in a row have its bits.',
  falsePositives: {
    kind: 'bounded',
    bound:
      'FPR = F(0, 0) with F(a, i) = 1 if a = k, 0 if i > l + a, else r_i F(a + 1, i + 1) + (1 - r_i) F(0, i + 1), r_i the share of ones in slice i once a generation is full; in the blocked layout, the mean over the lines',
    source: 'arXiv 2001.03147; r_i exact',
  },
  falseNegatives: {
    kind: 'bounded',
    bound:
      'none within the last l g adds; with a window in time, none within l t milliseconds of an add, if no generation takes more than g adds: those that do are counted; with refresh every element is added, otherwise those reported distinct',
    source: 'arXiv 2001.03147',
  },
};

export const apbf: DetectorFamily = {
  name: 'apbf',
  id: 13,
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  hasWindow: true,
  parameters: [
    {
      letter: 'k',
      name: 'youngSliceCount',
      description: 'slices in which an add sets a bit, and slices in a row that must have the bits of a duplicate',
    },
    { letter: 'l', name: 'olderSliceCount', description: 'generations for which an element is kept after its own' },
    {
      letter: 'g',
      name: 'generationElements',
      description: 'adds per generation; with a window in time, the maximum for which the window is whole',
    },
    refreshParameter,
    {
      letter: 't',
      name: 'generationMilliseconds',
      description: 'time between two turns by the clock; with 0 the ring turns by count',
    },
    { letter: 'm', name: 'sliceBits', description: 'bits of a slice', derived: true },
    { letter: 'W', name: 'windowElements', description: 'the window in adds, l g', derived: true },
    {
      letter: 'FPR',
      name: 'falsePositiveRate',
      description: 'the bound on the rate of false positives',
      derived: true,
    },
  ],
  resolve(request) {
    const { shape, g } = chooseRing(request);
    const { k, l, bits, parts } = shape;
    const t = generationMilliseconds(request, l);
    const refresh = refreshWord(request);
    return {
      values: { k, l, g, refresh, t, m: bits * parts, W: l * g, FPR: stableRingRate(shape, g) },
      kernel: [
        [APBF_YOUNG_SLICES_PARAMETER, k],
        [APBF_OLDER_SLICES_PARAMETER, l],
        [APBF_GENERATION_ELEMENTS_PARAMETER, g],
        [APBF_REFRESH_PARAMETER, refresh === 'yes' ? 1 : 0],
        [APBF_GENERATION_MILLISECONDS_PARAMETER, t],
        [APBF_BUNDLED_SLICES_PARAMETER, bundledSlices(shape)],
      ],
      isTimed: t > 0,
      band: bandOf({ k, l }, t > 0 ? t : undefined, g),
      countsAdds: refresh !== 'yes',
    };
  },
};
