// Compares statements about figures with measurements.

import type { RowVerdict } from '../contract.js';
import type { ClaimForm, ClaimSubject } from '../published/contract.js';
import { type CurveRate, curveOf, type Outcome, type RatePoint } from './outcome.js';
import { MOST_RELATIVE, percentText, said } from './verdict.js';

/** A curve is stable from the position after which all its points are within this share of its last value. */
export const STABLE_SHARE = 0.1;
/** A statement "x times" holds within this share of the factor. */
const TIMES_SHARE = 0.1;
/** The last value of a curve is the mean of this number of points at its end. */
const LAST_POINTS = 4;

function estimateOf(outcome: Outcome | undefined, rate: 'fpr' | 'fnr'): number {
  return outcome?.[rate]?.estimate ?? Number.NaN;
}

function factorText(factor: number): string {
  return `${Number(factor.toPrecision(3))} times`;
}

function meanOf(points: readonly RatePoint[]): number {
  return points.reduce((sum, { rate }) => sum + rate, 0) / points.length;
}

/** The position after which a curve stays within a share of its last value; undefined if its end does not. */
export function stableFrom(curve: readonly RatePoint[]): number | undefined {
  const last = meanOf(curve.slice(-LAST_POINTS));
  let from: number | undefined;
  for (let i = curve.length - 1; i >= 0; i--) {
    const { rate, positionElements } = curve[i] as RatePoint;
    if (Math.abs(rate - last) > STABLE_SHARE * Math.abs(last)) break;
    from = positionElements;
  }
  return from;
}

function millions(elements: number): string {
  return elements >= 1e6 ? `${Math.round(elements / 1e6)} M` : `${Math.round(elements / 1e3)} K`;
}

function stableText(from: number | undefined): string {
  return from === undefined ? 'never stable' : `stable from ${millions(from)}`;
}

function judgeStable(form: Extract<ClaimForm, { kind: 'stable' }>, outcome: Outcome): RowVerdict {
  const from = stableFrom(curveOf(outcome, form.rate));
  const isStable = from !== undefined && from <= form.fromElements * (1 + STABLE_SHARE);
  return said(isStable !== (form.isDenied ?? false), stableText(from));
}

function judgeTrend(form: Extract<ClaimForm, { kind: 'trend' }>, outcome: Outcome): RowVerdict {
  const curve = curveOf(outcome, form.rate);
  const half = curve.slice(Math.floor(curve.length / 2));
  const quarter = Math.max(1, Math.floor(half.length / 4));
  const [from, to] = [meanOf(half.slice(0, quarter)), meanOf(half.slice(-quarter))];
  const isSo = form.direction === 'rises' ? to > from : to < from;
  return said(isSo, `from ${percentText(from)} at half of the stream to ${percentText(to)} at its end`);
}

function judgeStableBefore(rate: CurveRate, [subject, than]: readonly Outcome[]): RowVerdict {
  const [here, there] = [stableFrom(curveOf(subject as Outcome, rate)), stableFrom(curveOf(than as Outcome, rate))];
  const isBefore = here !== undefined && (there === undefined || here < there);
  return said(isBefore, `${stableText(here)}; the other is ${stableText(there)}`);
}

function judgeRange(form: Extract<ClaimForm, { kind: 'range' }>, outcome: Outcome): RowVerdict {
  const percent = 100 * estimateOf(outcome, form.rate);
  const { lowPercent: low, highPercent: high, roundingPercent: rounding } = form;
  const isIn = percent >= low * (1 - MOST_RELATIVE) - rounding && percent <= high * (1 + MOST_RELATIVE) + rounding;
  const range = low === high ? `${low} %` : `${low} to ${high} %`;
  return said(isIn, `${form.rate.toUpperCase()} ${percentText(percent / 100)}; the paper says ${range}`);
}

function judgeTimes(form: Extract<ClaimForm, { kind: 'times' }>, [subject, than]: readonly Outcome[]): RowVerdict {
  const factor = estimateOf(subject, form.rate) / estimateOf(than, form.rate);
  const isSo = form.isAtLeast ? factor >= form.times : Math.abs(factor / form.times - 1) <= TIMES_SHARE;
  return said(
    isSo,
    `${factorText(factor)}; the paper says ${form.isAtLeast ? 'more than ' : ''}${factorText(form.times)}`,
  );
}

function judgeExceeds(form: Extract<ClaimForm, { kind: 'exceeds' }>, [subject, than]: readonly Outcome[]): RowVerdict {
  const points = 100 * (estimateOf(subject, form.rate) - estimateOf(than, form.rate));
  const isSo = Math.abs(points - form.points) <= form.roundingPercent + MOST_RELATIVE * form.points;
  return said(isSo, `${Number(points.toPrecision(3))} points more; the paper says ${form.points}`);
}

function compared(rate: 'fpr' | 'fnr', [subject, than]: readonly Outcome[]): [number, number, string] {
  const [here, there] = [estimateOf(subject, rate), estimateOf(than, rate)];
  return [here, there, `${rate.toUpperCase()} ${percentText(here)}, the other ${percentText(there)}`];
}

function judgeGains([here, before, otherHere, otherBefore]: readonly Outcome[]): RowVerdict {
  const [mine, other] = [
    estimateOf(before, 'fnr') / estimateOf(here, 'fnr'),
    estimateOf(otherBefore, 'fnr') / estimateOf(otherHere, 'fnr'),
  ];
  return said(
    mine > other,
    `FNR falls by a factor of ${Number(mine.toPrecision(3))}, that of the other by ${Number(other.toPrecision(3))}`,
  );
}

/** The subjects that a claim compares; its own subject is first. */
export function subjectsOf(subject: ClaimSubject, form: ClaimForm): ClaimSubject[] {
  if (form.kind === 'gains') {
    const other = { ...subject, algorithm: form.thanAlgorithm };
    return [subject, { ...subject, memoryBytes: form.fromBytes }, other, { ...other, memoryBytes: form.fromBytes }];
  }
  return 'than' in form ? [subject, form.than] : [subject];
}

/** The verdict on a claim, from the outcomes of its subjects in the same order. */
export function judgeClaim(form: ClaimForm, outcomes: readonly Outcome[]): RowVerdict {
  const subject = outcomes[0] as Outcome;
  if (form.kind === 'range') return judgeRange(form, subject);
  if (form.kind === 'times') return judgeTimes(form, outcomes);
  if (form.kind === 'exceeds') return judgeExceeds(form, outcomes);
  if (form.kind === 'trend') return judgeTrend(form, subject);
  if (form.kind === 'stable') return judgeStable(form, subject);
  if (form.kind === 'stableBefore') return judgeStableBefore(form.rate, outcomes);
  if (form.kind === 'gains') return judgeGains(outcomes);
  const [here, there, text] = compared(form.rate, outcomes);
  if (form.kind === 'atMost') return said(here <= there, text);
  return said(Math.abs(here - there) <= form.points / 100, text);
}
