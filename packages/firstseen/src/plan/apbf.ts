// The rings of aging filters (ring.ts has their course), and those that are worth trying.

import { bisect } from '../base/bisection.js';
import { runRate } from '../detectors/ring.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { APBF_CACHE_LINE_SLICES, APBF_PART_BITS, CACHE_LINE_BYTES, MAX_SLICES } from '../kernel/abi.js';
import { DEFAULT_FPR_OF_PAPERS } from '../options/detector.js';
import { type Candidate, type FamilyPlan, inLayouts, numberOf, type PlanGoal } from './contract.js';
import { COARSE } from './grid.js';
import { crowdings, overShares, type Ring, ringCourse, sharesOf } from './ring.js';
import type { StreamModel } from './stream.js';

function ringOf(settings: DetectorSettings, stream: StreamModel, counts: number): Ring {
  const g = numberOf(settings, 'g');
  const refreshes = settings.parameters.values.refresh === 'yes';
  const ring: Ring = {
    k: numberOf(settings, 'k'),
    l: numberOf(settings, 'l'),
    g,
    bits: numberOf(settings, 'm'),
    addsPerPlace: settings.layout === 'blocked' ? g / Math.floor(settings.memoryBytes / CACHE_LINE_BYTES) : undefined,
    refreshes,
    // Whatever is added without refresh is not in the ring, and so not among the adds before it.
    different: refreshes ? (adds) => stream.distinctIn(adds) : (adds) => adds,
    bias: 1,
  };
  return refreshes ? ring : { ...ring, bias: biasOf(ring, counts) };
}

/**
 * Returns the factor by which an add is likelier if its bit in a young slice is clear than on average: the mean over
 * the young slices.
 */
function biasOf(ring: Ring, counts: number): number {
  const { k, l } = ring;
  const settledMean = (decide: (shares: number[]) => number) => overShares(ring, k + l, counts, decide);
  const missChance = 1 - settledMean((shares) => runRate(k, shares));
  const missChanceIfClear = settledMean((shares) => {
    let sum = 0;
    for (let age = 0; age < k; age++) sum += 1 - runRate(k, shares.with(age, 0));
    return sum / k;
  });
  return missChanceIfClear / missChance;
}

/** Rings worth trying: for each rate the few of the largest windows, as parts of the target. */
const PARTS_OF_TARGET = [1, 0.2];
const RINGS_EACH = 3;
const BISECTIONS = 14;

/** The shapes worth trying whose band is narrow enough. A sharper window needs more slices for each that is added to. */
function sharpShapesOf(layout: 'classic' | 'blocked', { windowSlack }: PlanGoal): { k: number; l: number }[] {
  const shapes = shapesOf(layout);
  if (windowSlack === undefined) return shapes;
  const counts = layout === 'blocked' ? [] : [...new Set([1, ...shapes.map(({ k }) => k)])];
  const sharp = counts.flatMap((k) => [Math.ceil(k / windowSlack), MAX_SLICES - k].map((l) => ({ k, l })));
  return [...shapes, ...sharp].filter(({ k, l }) => k + l <= MAX_SLICES && k / l <= windowSlack);
}

function shapesOf(layout: 'classic' | 'blocked'): { k: number; l: number }[] {
  if (layout === 'blocked')
    return Array.from({ length: APBF_CACHE_LINE_SLICES - 1 }, (_, i) => ({
      k: i + 1,
      l: APBF_CACHE_LINE_SLICES - 1 - i,
    }));
  return [2, 3, 4, 6, 8, 11, 15, 20, 26].flatMap((k) =>
    [0.7, 1.5, 3].map((ratio) => ({ k, l: Math.max(1, Math.min(MAX_SLICES - k, Math.round(k * ratio))) })),
  );
}

/** The share of ones of a full slice at which a ring reaches a rate once it is full, in the middle of a generation. */
function fillForRate(ring: Ring, fpr: number): number {
  const rateAt = (fill: number) => {
    const g = (-Math.log1p(-fill) * ring.bits) / ring.k;
    const { addsPerPlace } = ring;
    const filledRing = { ...ring, g, ...(addsPerPlace === undefined ? {} : { addsPerPlace: addsPerPlace * g }) };
    let rate = 0;
    for (const { crowding, weight } of crowdings(filledRing, COARSE.counts)) {
      rate += weight * runRate(ring.k, sharesOf(filledRing, ring.k + ring.l, 0.5, crowding));
    }
    return rate;
  };
  return bisect([0, 1], BISECTIONS, (value) => !(rateAt(value) > fpr))[0];
}

function ringsFor(layout: 'classic' | 'blocked', fpr: number, goal: PlanGoal) {
  const { memoryBytes, windowElements } = goal;
  const cacheLines = Math.floor(memoryBytes / CACHE_LINE_BYTES);
  const rings = sharpShapesOf(layout, goal).map(({ k, l }) => {
    const bits = layout === 'blocked' ? APBF_PART_BITS * cacheLines : 64 * Math.floor(memoryBytes / 8 / (k + l));
    const addsPerPlace = layout === 'blocked' ? 1 / cacheLines : undefined;
    const ring: Ring = { k, l, g: 1, bits, addsPerPlace, refreshes: false, different: (adds) => adds, bias: 1 };
    return { k, l, g: Math.max(1, Math.floor((-Math.log1p(-fillForRate(ring, fpr)) * bits) / k)), refresh: 'no' };
  });
  const best = rings.sort((a, b) => b.l * b.g - a.l * a.g).slice(0, RINGS_EACH);
  // A ring that could keep more than the window needs errs less when it keeps just that.
  const narrow = best.filter(({ l, g }) => windowElements !== undefined && l * g > windowElements);
  return [...best, ...narrow.map((ring) => ({ ...ring, g: Math.ceil((windowElements as number) / ring.l) }))];
}

function* candidates(goal: PlanGoal): Iterable<Candidate> {
  const target = goal.fpr ?? DEFAULT_FPR_OF_PAPERS;
  for (const layout of ['blocked', 'classic'] as const) {
    for (const part of PARTS_OF_TARGET) yield* inLayouts([layout], ringsFor(layout, target * part, goal));
  }
}

export const apbf: FamilyPlan = {
  name: 'apbf',
  elementParameters: ['g'],
  candidates,
  *course(settings, grid) {
    const ring = ringOf(settings, grid.stream, grid.resolution.counts);
    yield;
    return yield* ringCourse(ring, grid);
  },
};
