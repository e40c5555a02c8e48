// Decides whether a number was reproduced, by one rule for all rows.

import { formatCounted, percent } from 'firstseen/internal';
import type { Interval, Rates, RowVerdict } from '../contract.js';
import { isAlike } from './noise.js';

/** A published rate is reproduced if the measured rate is within this share of it, or if chance explains the difference. */
export const MAX_RELATIVE = 0.03;

/** The smallest difference shown, in percent of a rate. */
const MIN_PERCENT = 0.1;

/** The largest error of a rate that the paper's rounding explains, as a share. */
export type Rounding = Rates;

interface Deviation {
  name: 'FPR' | 'FNR';
  published: number;
  measured: Interval;
  /** The difference that rounding does not explain, at least 0. */
  difference: number;
  /** True if chance and rounding explain the difference. */
  isChance: boolean;
}

/** A percentage with three significant digits. */
export function percentText(rate: number): string {
  return `${Number((100 * rate).toPrecision(3))} %`;
}

function deviationOf(name: Deviation['name'], rate: keyof Rates, comparison: Comparison): Deviation[] {
  const [published, measured] = [comparison.published[rate], comparison.measured[rate]];
  if (published === undefined || measured === undefined) return [];
  const rounding = comparison.rounding[rate];
  const difference = Math.max(0, Math.abs(measured.estimate - published) - rounding);
  // Of the values that round to the printed one, the nearest to the measured rate.
  const nearest = published + Math.sign(measured.estimate - published) * rounding;
  const isChance = isAlike(measured, nearest, comparison.countedElements?.[rate] ?? Number.POSITIVE_INFINITY);
  return [{ name, published, measured, difference, isChance }];
}

function isNear({ published, difference, isChance }: Deviation): boolean {
  return difference <= MAX_RELATIVE * published || isChance;
}

/** `within 1.2 %`, or that chance explains the difference. */
function nearText({ name, published, difference }: Deviation): string {
  if (difference === 0) return `${name} as printed`;
  if (published > 0 && difference <= MAX_RELATIVE * published) {
    return `${name} within ${Math.max(MIN_PERCENT, Number(((100 * difference) / published).toPrecision(2)))} %`;
  }
  return `${name} within chance`;
}

function farText({ name, published, measured }: Deviation): string {
  const ratio = measured.estimate / published;
  if (published === 0 || ratio > 2 || ratio < 0.5) {
    return `${name} ${percentText(measured.estimate)} instead of ${percentText(published)}`;
  }
  const direction = ratio > 1 ? 'higher' : 'lower';
  return `${name} ${Number((100 * Math.abs(ratio - 1)).toPrecision(2))} % ${direction}`;
}

export interface Comparison {
  published: Partial<Rates>;
  measured: Partial<{ fpr: Interval; fnr: Interval }>;
  rounding: Rounding;
  /** The elements over which the paper counted each rate, which limit how precise its rate is; infinitely many if unknown. */
  countedElements?: Partial<Rates>;
  /** The reason for the difference, if known. */
  reason?: string;
}

/** Compares the measured with the published rates. */
export function verdictOf(comparison: Comparison): RowVerdict {
  const { reason } = comparison;
  const deviations = [...deviationOf('FPR', 'fpr', comparison), ...deviationOf('FNR', 'fnr', comparison)];
  if (deviations.length === 0) return notReproducible('no printed rate was measured');
  const far = deviations.filter((deviation) => !isNear(deviation));
  if (far.length === 0) return { kind: 'reproduced', text: deviations.map(nearText).join(', ') };
  const near = deviations.filter(isNear);
  const text = [...far.map(farText), ...near.map(nearText)].join(', ');
  return { kind: 'differs', text: reason === undefined ? text : `${text}: ${reason}` };
}

/** A prediction is wrong if it is outside the measured interval by more than this share of the measured rate. */
const MAX_OFF = 0.1;

type Measured = Comparison['measured'];

/** `FPR 1.2 %, predicted 0.8 %`, for each rate with a wrong prediction. */
function offTexts(measured: Measured, predicted: Partial<Rates>): string[] {
  return (['fpr', 'fnr'] as const).flatMap((rate) => {
    const [expected, found] = [predicted[rate], measured[rate]];
    if (expected === undefined || found === undefined) return [];
    const slack = MAX_OFF * found.estimate;
    if (expected >= found.low - slack && expected <= found.high + slack) return [];
    return [`${rate.toUpperCase()} ${percent(found.estimate)} %, predicted ${percent(expected)} %`];
  });
}

/** Compares the measured with the predicted rates. */
export function predictionVerdict(measured: Measured, predicted: Partial<Rates>): RowVerdict {
  if (predicted.fpr === undefined) return notReproducible('no prediction');
  const off = offTexts(measured, predicted);
  if (off.length === 0) return { kind: 'reproduced', text: 'as predicted' };
  return { kind: 'differs', text: off.join('; ') };
}

/** The verdict on a detector that refused elements. */
export function fullText(refusedAtElements: number): string {
  return `full after ${formatCounted(refusedAtElements, 'element')}`;
}

/** The verdict on a statement: whether it holds, and what was measured. */
export function said(isSo: boolean, text: string): RowVerdict {
  return { kind: isSo ? 'reproduced' : 'differs', text };
}

export function notReproducible(text: string): RowVerdict {
  return { kind: 'not reproducible', text };
}
