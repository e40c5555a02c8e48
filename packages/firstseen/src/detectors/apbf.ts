import { formatCount, formatCounted } from '../count.js';
import { FirstseenError } from '../errors.js';
import {
  APBF_BUNDLED_SLICES_PARAMETER,
  APBF_GENERATION_ELEMENTS_PARAMETER,
  APBF_GENERATION_MILLISECONDS_PARAMETER,
  APBF_OLDER_SLICES_PARAMETER,
  APBF_REFRESH_PARAMETER,
  APBF_YOUNG_SLICES_PARAMETER,
} from '../kernel/abi.js';
import { formatBytes } from '../memory.js';
import { type Family, type ParameterRequest, type WholeRange, wholeParameter, wordParameter } from './contract.js';
import { bundledSlices, linesRead, mostAdds, type RingShape, ringRate, stableRingRate } from './ring.js';

const refreshChoices = ['no', 'yes'] as const;

/** Target rate when none is given. */
const DEFAULT_FPR = 0.01;
/** Slices that the kernel compares at once in `classic`, and that a line of `blocked` has room for. */
const mostSlices = { classic: 64, blocked: 15 } as const;
/** Bits of a slice in one line of `blocked`. */
const PART_BITS = 32;
/** What is given up of the window for a faster ring. */
const LEAST_SHARE_OF_WINDOW = 0.95;
const MOST_ADDS = 2 ** 36;
const MOST_MILLISECONDS = 2 ** 39;

interface Ring {
  shape: RingShape;
  g: number;
}

function wholeGiven(request: ParameterRequest, letter: string, range: WholeRange): number | undefined {
  return request.given[letter] === undefined ? undefined : wholeParameter(request, letter, range, () => range.least);
}

function shapeOf({ layout, memoryBytes }: ParameterRequest, k: number, l: number): RingShape {
  if (layout === 'blocked') return { k, l, bits: PART_BITS, places: Math.floor(memoryBytes / 64) };
  return { k, l, bits: Math.floor(memoryBytes / 8 / (k + l)) * 64, places: 1 };
}

/** The shapes to choose from: all that agree with what is given. In `blocked` a line's room is used whole. */
function shapesFor(request: ParameterRequest): RingShape[] {
  const { layout } = request;
  const most = mostSlices[layout];
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

function windowOf({ shape, g }: Ring): number {
  return shape.l * g;
}

/** The ring of the largest window at a rate; undefined when none keeps even one element. */
function largestRing(shapes: readonly RingShape[], fpr: number): Ring | undefined {
  let best: Ring | undefined;
  for (const shape of shapes) {
    // Most shapes lose to the best so far already at its window, and need no search.
    const toBeat = best === undefined ? 1 : Math.floor(windowOf(best) / shape.l) + 1;
    if (ringRate(shape, toBeat, fpr) <= fpr) best = { shape, g: mostAdds(shape, fpr) };
  }
  return best;
}

/** The ring that reads the fewest lines among those whose window is at most a twentieth smaller than the largest. */
function leanestRing(shapes: readonly RingShape[], fpr: number, largest: Ring): Ring {
  const leastWindow = LEAST_SHARE_OF_WINDOW * windowOf(largest);
  let best = largest;
  for (const shape of shapes) {
    const fewer = linesRead(best.shape) - linesRead(shape);
    if (fewer < 0) continue;
    const toBeat = fewer > 0 ? leastWindow : windowOf(best) + 1;
    if (ringRate(shape, Math.ceil(toBeat / shape.l), fpr) <= fpr) best = { shape, g: mostAdds(shape, fpr) };
  }
  return best;
}

/** The ring of the least rate among those that cover a window. */
function safestRing(shapes: readonly RingShape[], adds: (shape: RingShape) => number): Ring {
  const rings = shapes.map((shape) => ({ shape, g: adds(shape), rate: ringRate(shape, adds(shape), 0) }));
  return rings.reduce((best, next) => (next.rate < best.rate ? next : best));
}

function refused(request: ParameterRequest, asked: string, possible: Ring | undefined, fpr: number): FirstseenError {
  const { memoryBytes, layout } = request;
  const other = layout === 'blocked' ? 'classic' : 'blocked';
  const elsewhere = largestRing(shapesFor({ ...request, layout: other, given: {} }), fpr);
  return new FirstseenError(
    'E_PARAMETER',
    `${formatBytes(memoryBytes)} holds a window of ${formatCounted(possible ? windowOf(possible) : 0, 'element')} at ${fpr} in the ${layout} ` +
      `layout (the bound on false positives is F(0, 0) of arXiv 2001.03147); ${asked}; ask for a smaller window, a higher ` +
      `rate or more memory, or layout ${other}, which holds ${formatCount(elsewhere ? windowOf(elsewhere) : 0)}`,
  );
}

/** k, l and g: as given, and for the rest the least rate over a window in elements, or else the largest window at the rate. */
function chooseRing(request: ParameterRequest): Ring {
  const shapes = shapesFor(request);
  const given = wholeGiven(request, 'g', { least: 1, most: MOST_ADDS });
  const asked = request.window && 'elements' in request.window ? request.window.elements : undefined;
  const [only] = shapes;
  if (given !== undefined && only && shapes.length === 1) return covering({ shape: only, g: given }, asked);
  if (given !== undefined) {
    const covers = shapes.filter(({ l }) => asked === undefined || l * given >= asked);
    return covering(
      safestRing(covers.length > 0 ? covers : shapes, () => given),
      asked,
    );
  }
  const fpr = request.fpr ?? DEFAULT_FPR;
  if (asked === undefined) {
    const largest = largestRing(shapes, fpr);
    if (!largest) throw refused(request, 'you asked for some', largest, fpr);
    return leanestRing(shapes, fpr, largest);
  }
  const safest = safestRing(shapes, ({ l }) => Math.ceil(asked / l));
  if (stableRingRate(safest.shape, safest.g) <= fpr) return safest;
  throw refused(request, `you asked for ${formatCount(asked)}`, largestRing(shapes, fpr), fpr);
}

/** @throws FirstseenError E_PARAMETER when parameters were given that keep less than the window. */
function covering(ring: Ring, elements: number | undefined): Ring {
  if (elements === undefined || windowOf(ring) >= elements) return ring;
  throw new FirstseenError(
    'E_PARAMETER',
    `parameter g is ${ring.g}, but must be at least ${Math.ceil(elements / ring.shape.l)} for a window of ${formatCounted(elements, 'element')} ` +
      `over its generations, l = ${ring.shape.l}; leave it out, or give no window`,
  );
}

/** t: as given, or from a window in time; 0 turns by count. */
function generationMilliseconds(request: ParameterRequest, l: number): number {
  const asked = request.window && 'milliseconds' in request.window ? request.window.milliseconds : undefined;
  const needed = asked === undefined ? 0 : Math.ceil(asked / l);
  const t = wholeParameter(request, 't', { least: 0, most: MOST_MILLISECONDS }, () => needed);
  const isByCount = request.window !== undefined && asked === undefined;
  if (t >= needed && !(isByCount && t > 0)) return t;
  throw new FirstseenError(
    'E_PARAMETER',
    `parameter t is ${t}, but must be ${isByCount ? '0 for a window of elements' : `at least ${needed} for this window over l = ${l} generations`}; ` +
      'leave it out, or give no window',
  );
}

function refreshWord(request: ParameterRequest): (typeof refreshChoices)[number] {
  const { given, refresh } = request;
  const asked = refresh === undefined ? given : { refresh: refreshChoices[refresh ? 1 : 0], ...given };
  const word = wordParameter({ ...request, given: asked }, 'refresh', refreshChoices);
  if (refresh !== undefined && (word === 'yes') !== refresh) {
    throw new FirstseenError('E_PARAMETER', `parameter refresh is ${word}, but must agree with the option refresh`);
  }
  return word as (typeof refreshChoices)[number];
}

export const apbf: Family = {
  name: 'apbf',
  id: 13,
  title: 'Age-Partitioned Bloom Filter',
  source: 'Shtul, Baquero and Almeida 2020, arXiv 2001.03147',
  rule: 'An added element sets one bit in each of the k youngest of k + l slices; after g adds, or by the clock, the oldest is emptied and is the youngest; seen is whose bits k slices in a row hold.',
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  falsePositives: {
    kind: 'bounded',
    bound:
      'FPR = F(0, 0) with F(a, i) = 1 if a = k, 0 if i > l + a, else r_i F(a + 1, i + 1) + (1 - r_i) F(0, i + 1), r_i the ones of slice i once a generation is full; its mean over the lines in the blocked layout; with a window in time as long as no generation takes more than g adds',
    source: 'arXiv 2001.03147; r_i exact',
  },
  falseNegatives: {
    kind: 'bounded',
    bound:
      'none among the last l g adds, or within l t milliseconds of an add; every element is added with refresh, those reported distinct without',
    source: 'arXiv 2001.03147',
  },
  hasWindow: true,
  parameters: [
    {
      letter: 'k',
      name: 'youngSliceCount',
      description: 'slices that an add sets a bit in, and that a repeat needs in a row',
    },
    { letter: 'l', name: 'olderSliceCount', description: 'generations that an element outlives its own' },
    {
      letter: 'g',
      name: 'generationElements',
      description: 'adds of a generation; with a window in time, the most at which the rate holds',
    },
    {
      letter: 'refresh',
      name: 'refresh',
      description: 'whether a duplicate is added again, so that its window begins anew',
      words: refreshChoices,
    },
    {
      letter: 't',
      name: 'generationMilliseconds',
      description: 'time between two turns by the clock; 0 turns by count',
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
    const { k, l, bits, places } = shape;
    const t = generationMilliseconds(request, l);
    const refresh = refreshWord(request);
    return {
      values: { k, l, g, refresh, t, m: bits * places, W: l * g, FPR: stableRingRate(shape, g) },
      kernel: [
        [APBF_YOUNG_SLICES_PARAMETER, k],
        [APBF_OLDER_SLICES_PARAMETER, l],
        [APBF_GENERATION_ELEMENTS_PARAMETER, g],
        [APBF_REFRESH_PARAMETER, refresh === 'yes' ? 1 : 0],
        [APBF_GENERATION_MILLISECONDS_PARAMETER, t],
        [APBF_BUNDLED_SLICES_PARAMETER, bundledSlices(shape)],
      ],
      isTimed: t > 0,
    };
  },
};
