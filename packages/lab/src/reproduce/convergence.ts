// Statements about where a curve becomes stable. The papers do not say what they call stable, so one rule serves all.

import type { RowVerdict } from '../contract.js';
import type { ClaimForm } from '../published/contract.js';
import { type CurveRate, curveOf, type Outcome, type RatePoint } from './outcome.js';
import { said } from './verdict.js';

/** A curve is stable from the position after which all its points are within this share of its last value. */
export const STABLE_SHARE = 0.1;
/** A position agrees with the stated one within this share, or within one step of the curve. */
export const POSITION_SHARE = 0.1;
/** The last value of a curve is the mean of this number of points at its end. */
const LAST_POINTS = 4;

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

/** The distance of two points: no position is known more precisely. */
function stepOf(curve: readonly RatePoint[]): number {
  const [one, other] = curve;
  return one && other ? other.positionElements - one.positionElements : 0;
}

function millions(elements: number): string {
  return elements >= 1e6 ? `${Math.round(elements / 1e6)} M` : `${Math.round(elements / 1e3)} K`;
}

function stableText(from: number | undefined): string {
  return from === undefined ? 'never stable' : `stable from ${millions(from)}`;
}

export function judgeStable(form: Extract<ClaimForm, { kind: 'stable' }>, outcome: Outcome): RowVerdict {
  const { fromElements: least, byElements: most, rate } = form;
  const curve = curveOf(outcome, rate);
  const from = stableFrom(curve);
  const step = stepOf(curve);
  const isEarlyEnough = from !== undefined && from <= Math.max(most * (1 + POSITION_SHARE), most + step);
  const isLateEnough =
    least === undefined || (from !== undefined && from >= Math.min(least * (1 - POSITION_SHARE), least - step));
  return said(isEarlyEnough && isLateEnough, stableText(from));
}

/** Judges if a rate is not yet stable at a position: it changes by more than the share in the second half of the way. */
export function judgeUnstable(form: Extract<ClaimForm, { kind: 'unstable' }>, outcome: Outcome): RowVerdict {
  const curve = curveOf(outcome, form.rate);
  const at = (position: number) => curve.find(({ positionElements }) => positionElements >= position) ?? curve.at(-1);
  const [half, end] = [at(form.atElements / 2)?.rate ?? Number.NaN, at(form.atElements)?.rate ?? Number.NaN];
  const change = Math.abs(end - half) / Math.abs(end);
  const [from, to] = [millions(form.atElements / 2), millions(form.atElements)];
  return said(change > STABLE_SHARE, `changes by ${Number((100 * change).toPrecision(2))} % from ${from} to ${to}`);
}

/** Positions that differ by less than a step of the curve cannot be told apart. */
export function judgeStableBefore(rate: CurveRate, [subject, than]: readonly Outcome[]): RowVerdict {
  const curve = curveOf(subject as Outcome, rate);
  const [here, there] = [stableFrom(curve), stableFrom(curveOf(than as Outcome, rate))];
  const isBefore = here !== undefined && (there === undefined || there - here > 1.5 * stepOf(curve));
  return said(isBefore, `${stableText(here)}; the other is ${stableText(there)}`);
}
