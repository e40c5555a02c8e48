// deng-2006: table 2 and figures 3 and 4 on synthetic streams instead of its crawl; figures 1 and 2 by its equations.

import { victimsForRate } from 'firstseen/internal';
import type { Interval, Plot, RowVerdict } from '../contract.js';
import type { PublishedRow, PublishedStream, PublishedTable } from '../published/contract.js';
import { deng2006Figures, deng2006Tables } from '../published/deng2006.js';
import type { PlotView, RowSpec, SectionSpec } from './contract.js';
import { dengFormulaSections } from './dengformulas.js';
import { figureSection } from './figures.js';
import { isBelow } from './noise.js';
import type { Outcome } from './outcome.js';
import { parametersText, usedParameters } from './parameters.js';
import { groupedSection, type Reading } from './tables.js';
import { memoryText } from './text.js';
import type { Trial } from './trial.js';
import { notReproducible } from './verdict.js';

const CRAWL_NOTE =
  "The crawl of the Internet Archive is not public. It is replaced by a stream with the same length and share of distinct elements, and with the gaps that the paper's column for buffering implies (packages/lab/src/reproduce/crawls.ts). So that column agrees by construction, and the others are a test.";
const CAVEAT = 'the crawl is not public; on a stream with the same share of distinct elements and misses of buffering';
const BITS = 8;

/** "Knowing the number of distinct elements and the amount of space, we can compute the optimal K" (section 5.2). */
function bloomHashes({ lengthElements, distinctShare }: PublishedStream, memoryBytes: number): number {
  const distinct = lengthElements * (distinctShare as number);
  return Math.max(1, Math.round((Math.LN2 * memoryBytes * BITS) / distinct));
}

function readings({ paper, stream }: PublishedTable, row: PublishedRow): Reading[] {
  const { algorithm, memoryBytes } = row;
  const given = algorithm === 'bloom' ? { k: Math.min(64, bloomHashes(stream, memoryBytes)) } : row.parameters;
  const { parameters, unstated } = usedParameters(paper, algorithm, given);
  const trial: Trial = { stream, identity: 'hashed', algorithm, memoryBytes, parameters };
  return [{ name: '', label: algorithm, trial, unstated, caveat: CAVEAT }];
}

const TABLE_NOTES = [
  CRAWL_NOTE,
  'The q of FPBuffering is the rate of false positives that the paper prints for both SBF and FPBuffering.',
];
const TABLE_TITLE = 'Table 2: SBF, FPBuffering, buffering and Bloom filter';

/** The settings of figure 4 (section 5.4), in the order of its bars. */
const ALLOWED = [
  { fps: 0.005, Max: 3, K: 4 },
  { fps: 0.01, Max: 3, K: 4 },
  { fps: 0.1, Max: 1, K: 2 },
  { fps: 0.2, Max: 1, K: 2 },
] as const;
type Allowed = (typeof ALLOWED)[number];
/** The paper does not state the memory sizes of figure 4. These are from table 2. */
const SPACES_BITS = [262144, 4194304, 67108864] as const;
const LARGEST = deng2006Tables.at(-1) as PublishedTable;

function stableTrial({ fps, Max, K }: Allowed, memoryBytes: number): Trial {
  const m = (memoryBytes * BITS) / Math.log2(Max + 1);
  const parameters = { Max, K, P: victimsForRate(fps, { Max, K, m }), victims: 'adjacent' };
  return { stream: LARGEST.stream, identity: 'hashed', algorithm: 'sbf', memoryBytes, parameters };
}

function bufferTrial(memoryBytes: number): Trial {
  const parameters = { replacement: 'lru', counting: 'entries64' };
  return { stream: LARGEST.stream, identity: 'hashed', algorithm: 'buffer', memoryBytes, parameters };
}

const NOTHING: Interval = { estimate: Number.NaN, low: Number.NaN, high: Number.NaN };

/** The FNR of FPBuffering at the FPR of SBF, which is (1 - q) times the FNR of buffering, minus the FNR of SBF. */
function gainOf(stable: Outcome | undefined, buffer: Outcome | undefined): Interval {
  const [q = NOTHING, missed = NOTHING, buffered = NOTHING] = [stable?.fpr, stable?.fnr, buffer?.fnr];
  const share = 1 - q.estimate;
  const estimate = share * buffered.estimate - missed.estimate;
  return {
    estimate,
    low: estimate - Math.hypot(share * (buffered.estimate - buffered.low), missed.high - missed.estimate),
    high: estimate + Math.hypot(share * (buffered.high - buffered.estimate), missed.estimate - missed.low),
  };
}

function points({ estimate }: Interval): string {
  return `${Number((100 * estimate).toPrecision(3))} points`;
}

/** Tells if a gain rises from one to the other, in words. */
function riseText(before: Interval, gain: Interval): string {
  if (isBelow(before, gain)) return 'it rises';
  return isBelow(gain, before) ? 'it falls' : 'chance explains the difference';
}

function gainRow(memoryBytes: number, i: number): RowSpec {
  const [less, more] = [ALLOWED[i] as Allowed, ALLOWED[i + 1] as Allowed];
  const trials = [stableTrial(more, memoryBytes), stableTrial(less, memoryBytes), bufferTrial(memoryBytes)];
  const rates = `${100 * less.fps} to ${100 * more.fps} %`;
  return {
    id: `deng-figure-4/${memoryText(memoryBytes)}/${100 * more.fps}`,
    labels: [
      memoryText(memoryBytes),
      'sbf',
      `from FPS ${rates}: "the more FPs are allow, the better SBF performs" (section 5.4)`,
    ],
    published: {},
    trials,
    judge: ([withMore, withLess, buffer]): RowVerdict => {
      const [gain, before] = [gainOf(withMore, buffer), gainOf(withLess, buffer)];
      return notReproducible(
        `${CAVEAT}, the FNR of SBF is lower than that of FPBuffering by ${points(before)}, then by ${points(gain)}: ${riseText(before, gain)}`,
      );
    },
    unstated: `the memory; ${parametersText(trials[0]?.parameters ?? {})}`,
  };
}

function gainPlots({ outcomeOf }: PlotView): Plot[] {
  const series = SPACES_BITS.map((bits) => {
    const memoryBytes = bits / BITS;
    const buffer = outcomeOf(bufferTrial(memoryBytes));
    const gains = ALLOWED.map((allowed) => ({
      x: 100 * allowed.fps,
      y: 100 * gainOf(outcomeOf(stableTrial(allowed, memoryBytes)), buffer).estimate,
    }));
    return { name: memoryText(memoryBytes), kind: 'line' as const, points: gains.filter(({ y }) => !Number.isNaN(y)) };
  });
  const seriesWithPoints = series.filter((one) => one.points.length > 0);
  if (seriesWithPoints.length === 0) return [];
  const axes = {
    x: { label: 'allowed FPR in %', scale: 'log' },
    y: { label: 'FNR of FPBuffering minus FNR of SBF, points', scale: 'linear' },
  } as const;
  return [{ id: 'deng-figure-4', title: 'Figure 4 of deng-2006', ...axes, series: seriesWithPoints }];
}

const figureFour: SectionSpec = {
  id: 'deng-figure-4',
  paper: 'deng-2006',
  title: 'Figure 4: gain of SBF over FPBuffering, by allowed FPR (695M elements)',
  notes: [CRAWL_NOTE, 'The figure is a bar chart without numbers. P follows from FPS by eq. 17, rounded up.'],
  columns: ['memory', 'algorithm', 'claim'],
  rows: SPACES_BITS.flatMap((bits) => [0, 1, 2].map((i) => gainRow(bits / BITS, i))),
  trials: [],
  plots: gainPlots,
};

export const deng2006Sections: readonly SectionSpec[] = [
  groupedSection({ id: 'deng-2', title: TABLE_TITLE, notes: TABLE_NOTES }, deng2006Tables, readings),
  ...dengFormulaSections,
  ...deng2006Figures.map((figure) => figureSection(figure, { notes: [CRAWL_NOTE], caveat: CAVEAT })),
  figureFour,
];
