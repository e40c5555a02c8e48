// deng-2006, figures 1 and 2: rates of false negatives by the paper's equations, next to the measured rates.

import { fractionalVictims, meanMissRate, victimsForRate } from 'firstseen/internal';
import type { Plot, PlotSeries, RowVerdict } from '../contract.js';
import type { PlotView, RowSpec, SectionSpec } from './contract.js';
import { countedRate, isBelow } from './noise.js';
import type { Outcome } from './outcome.js';
import { parametersText } from './parameters.js';
import type { Trial, TrialStream } from './trial.js';
import { percentText, said } from './verdict.js';

/** "We can set phi, delta and f/N to some testing values (e.g. 0, 200, 0.00001 respectively)" (section 4.1). */
const TRIAL_GAP_ELEMENTS = 200;
const TRIAL_FREQUENCY = 0.00001;
const TRIAL_CELLS = 100_000;
const MAX_HASHES = 10;

const STREAM: TrialStream = { kind: 'independent', lengthElements: 10_000_000, distinctShare: 0.4851 };
const MEMORY_BYTES = 2 ** 19;
const BITS = 8;

interface Setting {
  Max: number;
  fps: number;
}

/** Eq. 16 for one gap. P is from eq. 17 and is not rounded. */
function missRate({ Max, fps }: Setting, K: number, m: number, gapElements: number, frequency: number): number {
  return meanMissRate({ Max, K, m, P: fractionalVictims(fps, { Max, K, m }) }, [gapElements], frequency);
}

function ratesByHashes(setting: Setting): number[] {
  return Array.from({ length: MAX_HASHES }, (_, i) =>
    missRate(setting, i + 1, TRIAL_CELLS, TRIAL_GAP_ELEMENTS, TRIAL_FREQUENCY),
  );
}

/** The K with the fewest misses by the equations. */
export function bestHashes(setting: Setting): number {
  const rates = ratesByHashes(setting);
  return rates.indexOf(Math.min(...rates)) + 1;
}

interface HashClaim extends Setting {
  quotation: string;
  least: number;
  most: number;
}

const HASH_CLAIMS: readonly HashClaim[] = [
  { Max: 1, fps: 0.1, least: 2, most: 2, quotation: 'in the case of Max = 1 and FPS = 0.1, we can set K to 2' },
  {
    Max: 1,
    fps: 0.2,
    least: 1,
    most: 2,
    quotation: 'when FPS = 0.2 and Max = 1, the value of the optimal or near optimal K is always between 1 and 2',
  },
  { Max: 3, fps: 0.1, least: 2, most: 3, quotation: 'when FPS = 0.1 and Max = 3, it is always between 2 and 3' },
  { Max: 3, fps: 0.01, least: 4, most: 5, quotation: 'when FPS = 0.01 and Max = 3, it is always between 4 and 5' },
  { Max: 1, fps: 0.01, least: 3, most: 3, quotation: 'when Max = 1, FPS = 0.01 and K = 3 (the optimal K)' },
  { Max: 15, fps: 0.01, least: 6, most: 6, quotation: 'while Max = 15, FPS = 0.01, and K = 6 (the optimal K)' },
];

interface VictimClaim extends Setting {
  quotation: string;
  K: number;
  P: number;
}

const VICTIM_CLAIMS: readonly VictimClaim[] = [
  { Max: 1, fps: 0.01, K: 3, P: 10, quotation: 'when Max = 1, FPS = 0.01 and K = 3, the computed value of P is 10' },
  {
    Max: 15,
    fps: 0.01,
    K: 6,
    P: 141,
    quotation: 'while Max = 15, FPS = 0.01, and K = 6, the value of P computed is 141',
  },
  { Max: 1, fps: 0.1, K: 2, P: 4, quotation: 'for FPS = 10%, we set Max = 1, K = 2 and P = 4' },
];

/** A row that is computed, not run. */
function computedRow(figure: string, name: string, quotation: string, judge: () => RowVerdict): RowSpec {
  const section = '(section 4.1)';
  return {
    id: `${figure}/${name}`,
    labels: ['equations', `"${quotation}" ${section}`],
    published: {},
    trials: [],
    judge,
  };
}

function hashRow(claim: HashClaim): RowSpec {
  return computedRow('deng-figure-1', `Max=${claim.Max}-FPS=${claim.fps}`, claim.quotation, () => {
    const best = bestHashes(claim);
    return said(best >= claim.least && best <= claim.most, `K = ${best} has the fewest misses by eq. 9, 16 and 17`);
  });
}

function victimRow(claim: VictimClaim): RowSpec {
  return computedRow('deng-figure-1', `P-Max=${claim.Max}-FPS=${claim.fps}`, claim.quotation, () => {
    const exactly = fractionalVictims(claim.fps, { Max: claim.Max, K: claim.K, m: TRIAL_CELLS });
    const text = `eq. 17 gives ${Number(exactly.toPrecision(4))}`;
    const isRoundedDown = Math.floor(exactly) === claim.P;
    return said(isRoundedDown, isRoundedDown ? `${text}, rounded down; the stated rate requires rounding up` : text);
  });
}

/** SBF over the stream that represents "different data sets", with P by eq. 17. */
function stableTrial({ Max, fps }: Setting, K: number, isByGap = false): Trial {
  const m = (MEMORY_BYTES * BITS) / Math.log2(Max + 1);
  const parameters = { Max, K, P: victimsForRate(fps, { Max, K, m }), victims: 'adjacent' };
  return { stream: STREAM, identity: 'hashed', algorithm: 'sbf', memoryBytes: MEMORY_BYTES, parameters, isByGap };
}

const MEASURED_SETTING: Setting = { Max: 1, fps: 0.1 };
const MEASURED_HASHES = [2, 1, 3, 4, 6] as const;

const measuredHashRow: RowSpec = {
  id: 'deng-figure-1/measured',
  labels: ['measured', '"in the case of Max = 1 and FPS = 0.1, we can set K to 2" (section 4.1)'],
  published: {},
  trials: MEASURED_HASHES.map((K) => stableTrial(MEASURED_SETTING, K)),
  judge: (outcomes) => {
    const [two, ...others] = outcomes.map(({ fnr }) => fnr);
    const isBest = two !== undefined && others.every((other) => other !== undefined && isBelow(two, other));
    const list = outcomes.map(({ trial, fnr }) => `K ${trial.parameters.K} ${percentText(fnr?.estimate ?? 1)}`);
    return said(isBest, `FNR: ${list.join(', ')}; P by eq. 17, rounded up, so the FPRs differ`);
  },
  unstated: `${parametersText(stableTrial(MEASURED_SETTING, 2).parameters)} in 512KB, uniform draws`,
};

function hashPlots({ outcomeOf }: PlotView): Plot[] {
  const computedSeries = HASH_CLAIMS.map(
    (claim): PlotSeries => ({
      name: `Max ${claim.Max}, FPS ${claim.fps}`,
      kind: 'line',
      role: 'predicted',
      points: ratesByHashes(claim).map((rate, i) => ({ x: i + 1, y: 100 * rate })),
    }),
  );
  const measuredPoints = MEASURED_HASHES.flatMap((K) => {
    const rate = outcomeOf(stableTrial(MEASURED_SETTING, K))?.fnr?.estimate;
    return rate === undefined ? [] : [{ x: K, y: 100 * rate }];
  });
  const points: PlotSeries = { name: 'Max 1, FPS 0.1, measured over a stream', kind: 'points', points: measuredPoints };
  const axes = { x: { label: 'K', scale: 'linear' }, y: { label: 'FNR in %', scale: 'log' } } as const;
  const series = measuredPoints.length > 0 ? [...computedSeries, points] : computedSeries;
  return [{ id: 'deng-figure-1', title: 'Figure 1 of deng-2006', ...axes, series }];
}

const figureOne: SectionSpec = {
  id: 'deng-figure-1',
  paper: 'deng-2006',
  title: 'Figure 1: FN rates by K',
  notes: [
    `Computed by eq. 9, 16 and 17 from the values that the paper states: gap ${TRIAL_GAP_ELEMENTS}, frequency ${TRIAL_FREQUENCY}, phi 0; ${TRIAL_CELLS.toLocaleString('en-US')} cells, which have little influence.`,
  ],
  columns: ['by', 'claim'],
  rows: [...HASH_CLAIMS.map(hashRow), ...VICTIM_CLAIMS.map(victimRow), measuredHashRow],
  trials: [],
  plots: hashPlots,
};

/** The gaps for which figure 2 is computed, as powers of two. */
const GAPS = Array.from({ length: 28 }, (_, i) => 2 ** i);
const FIGURE_RATES = [0.2, 0.1, 0.01, 0.001] as const;

/** Misses with Max 3 minus misses with Max 1, in the same memory, each with its best K. */
function missDifference(fps: number, gapElements: number): number {
  const bits = MEMORY_BYTES * BITS;
  const rate = (Max: number) =>
    missRate({ Max, fps }, bestHashes({ Max, fps }), bits / Math.log2(Max + 1), gapElements, 0);
  return rate(3) - rate(1);
}

/** Rates that differ by less than this are equal except for rounding. */
const EQUAL = 1e-6;

/** The largest gap at which Max 3 has fewer misses. */
export function gapThreshold(fps: number): number {
  return Math.max(0, ...GAPS.filter((gap) => missDifference(fps, gap) < -EQUAL));
}

function gapRow(fps: number): RowSpec {
  const quotation =
    'if the values of gaps are smaller than a threshold, Max = 3 is a better choice. When the gaps become larger, Max = 1 is better';
  return computedRow('deng-figure-2', `FPS=${fps}`, quotation, () => {
    const threshold = gapThreshold(fps);
    const isBetterBeyond = GAPS.some((gap) => gap > threshold && missDifference(fps, gap) > EQUAL);
    const isThreshold = GAPS.every((gap) => gap > threshold || missDifference(fps, gap) <= EQUAL);
    return said(
      threshold > 0 && isBetterBeyond && isThreshold,
      `FPS ${fps}: Max 3 misses fewer up to a gap of ${threshold.toLocaleString('en-US')}, Max 1 at larger gaps`,
    );
  });
}

const equalRow = computedRow(
  'deng-figure-2',
  'large',
  'If the gaps are large enough, there is not much difference between the two options',
  () => {
    const largest = GAPS.at(-1) as number;
    const difference = Math.max(...FIGURE_RATES.map((fps) => Math.abs(missDifference(fps, largest))));
    return said(
      difference < 0.01,
      `at a gap of ${largest.toLocaleString('en-US')} they differ by at most ${percentText(difference)}`,
    );
  },
);

const GAP_SETTINGS = [1, 3].map((Max) => stableTrial({ Max, fps: 0.1 }, bestHashes({ Max, fps: 0.1 }), true));
/** With fewer duplicates of a gap than this, the rate is not reliable. */
const MIN_DUPLICATES = 1000;

/** A difference of misses at one gap. */
interface GapDifference {
  x: number;
  y: number;
  /** The sign of the difference, or 0 if chance explains it. */
  sign: number;
}

/** Measured misses by gap, Max 3 minus Max 1, at full scale. */
function measuredDifferences([one, three]: readonly (Outcome | undefined)[]): GapDifference[] {
  const byGap = (outcome: Outcome | undefined) => outcome?.measurements[0]?.byGap ?? [];
  return byGap(one).flatMap(({ toElements, duplicates, falseNegatives }) => {
    const otherGap = byGap(three).find((gap) => gap.toElements === toElements);
    if (!otherGap || duplicates < MIN_DUPLICATES) return [];
    const oneRate = countedRate(falseNegatives / duplicates, duplicates);
    const threeRate = countedRate(otherGap.falseNegatives / otherGap.duplicates, otherGap.duplicates);
    const sign = Number(isBelow(oneRate, threeRate)) - Number(isBelow(threeRate, oneRate));
    return [{ x: toElements / (one?.scale ?? 1), y: 100 * (threeRate.estimate - oneRate.estimate), sign }];
  });
}

const measuredGapRow: RowSpec = {
  id: 'deng-figure-2/measured',
  labels: ['measured', '"a larger value of Max is better for smaller gaps" (section 4.1)'],
  published: {},
  trials: GAP_SETTINGS,
  judge: (outcomes) => {
    const differences = measuredDifferences(outcomes);
    const list = differences.map(
      ({ x, y }) => `${Number(y.toPrecision(2))} up to ${Math.round(x).toLocaleString('en-US')}`,
    );
    const largest = differences.at(-1)?.sign ?? 0;
    const isBetterSomewhere = differences.some(({ sign }) => sign < 0);
    return said(
      isBetterSomewhere && largest > 0,
      `FNR of Max 3 minus FNR of Max 1 in points, by gap: ${list.join(', ')}`,
    );
  },
  unstated: `${GAP_SETTINGS.map(({ parameters }) => parametersText(parameters)).join('; ')} in 512KB, uniform draws`,
};

function gapPlots({ outcomeOf }: PlotView): Plot[] {
  const computedSeries = FIGURE_RATES.map(
    (fps): PlotSeries => ({
      name: `FPS ${fps}`,
      kind: 'line',
      role: 'predicted',
      points: GAPS.map((gap) => ({ x: gap, y: 100 * missDifference(fps, gap) })),
    }),
  );
  const points = measuredDifferences(GAP_SETTINGS.map(outcomeOf)).map(({ x, y }) => ({ x, y }));
  const measuredSeries: PlotSeries = { name: 'FPS 0.1, measured', kind: 'points', points };
  const axes = {
    x: { label: 'gap in elements', scale: 'log' },
    y: { label: 'FNR of Max 3 minus FNR of Max 1, points', scale: 'linear' },
  } as const;
  const series = points.length > 0 ? [...computedSeries, measuredSeries] : computedSeries;
  return [{ id: 'deng-figure-2', title: 'Figure 2 of deng-2006', ...axes, series }];
}

const figureTwo: SectionSpec = {
  id: 'deng-figure-2',
  paper: 'deng-2006',
  title: 'Figure 2: FN rates of Max 3 minus those of Max 1, by gap',
  notes: [
    'Computed by eq. 9, 16 and 17 with L/N = 0, phi 0 and the best K for each Max, in 512 KB. The paper does not state its memory sizes.',
  ],
  columns: ['by', 'claim'],
  rows: [...FIGURE_RATES.map(gapRow), equalRow, measuredGapRow],
  trials: [],
  plots: gapPlots,
};

export const dengFormulaSections: readonly SectionSpec[] = [figureOne, figureTwo];
