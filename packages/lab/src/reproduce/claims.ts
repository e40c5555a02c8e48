// Compares statements about figures with measurements: one rule for each kind of statement. A statement holds only if
// chance does not explain what was measured.

import type { Interval, RowVerdict } from '../contract.js';
import type { ClaimForm, ClaimSubject } from '../published/contract.js';
import { judgeStable, judgeStableBefore, judgeUnstable } from './convergence.js';
import { isBelow, maxApart, ratioOf } from './noise.js';
import { intervalOf, type Outcome } from './outcome.js';
import { MAX_RELATIVE, percentText, said } from './verdict.js';

type Rate = 'fpr' | 'fnr';
type Form<Kind extends ClaimForm['kind']> = Extract<ClaimForm, { kind: Kind }>;

/** A factor of two rates is held to this share, because each of them may differ by `MAX_RELATIVE`. */
export const TIMES_SHARE = 2 * MAX_RELATIVE;
/** "Around" a memory size means that more and less memory by this share is on either side of the threshold. */
export const AROUND_SHARE = 0.1;

const NOTHING: Interval = { estimate: Number.NaN, low: Number.NaN, high: Number.NaN };

function rateOf(outcome: Outcome | undefined, rate: Rate): Interval {
  return outcome?.[rate] ?? NOTHING;
}

function digitsText(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function factorText(factor: number): string {
  return `${digitsText(factor)} times`;
}

/** A rate with its interval, such as `1.25 % (1.24 to 1.26)`. */
function intervalText({ estimate, low, high }: Interval): string {
  return `${percentText(estimate)} (${digitsText(100 * low)} to ${digitsText(100 * high)})`;
}

/** About a number: a point of the interval is as near as in a table. Between two numbers: the whole interval is. */
function judgeRange(form: Form<'range'>, outcome: Outcome): RowVerdict {
  const { rate, lowPercent: least, highPercent: most, roundingPercent: rounding } = form;
  const interval = rateOf(outcome, rate);
  const [low, high] = [100 * interval.low, 100 * interval.high];
  const isIn =
    least === most
      ? low <= least * (1 + MAX_RELATIVE) + rounding && high >= least * (1 - MAX_RELATIVE) - rounding
      : (least === 0 || low >= least - rounding) && (most === 100 || high <= most + rounding);
  const range = least === most ? `${least} %` : `${least} to ${most} %`;
  return said(isIn, `${rate.toUpperCase()} ${intervalText(interval)}; the paper says ${range}`);
}

/** Enough: the whole interval is at most the threshold. Too little: it is above it. */
function judgeThreshold({ rate, percent, memory }: Form<'threshold'>, outcomes: readonly Outcome[]): RowVerdict {
  const [at = NOTHING, less = NOTHING, more = NOTHING] = outcomes.map((outcome) => rateOf(outcome, rate));
  const threshold = percent / 100;
  const name = rate.toUpperCase();
  const says = `the threshold is ${percent} %`;
  if (memory !== 'just enough') {
    const isSo = memory === 'enough' ? at.high <= threshold : at.low > threshold;
    return said(isSo, `${name} ${intervalText(at)}; ${says}`);
  }
  const share = `${100 * AROUND_SHARE} %`;
  const text = `${name} ${percentText(at.estimate)}, with ${share} less memory ${percentText(less.estimate)}, with ${share} more ${percentText(more.estimate)}; ${says}`;
  return said(less.low > threshold && more.high <= threshold, text);
}

function judgeTimes({ rate, times }: Form<'times'>, [subject, than]: readonly Outcome[]): RowVerdict {
  const { estimate, low, high } = ratioOf(rateOf(subject, rate), rateOf(than, rate));
  const isSo = low <= times * (1 + TIMES_SHARE) && high >= times * (1 - TIMES_SHARE);
  return said(isSo, `${factorText(estimate)}; the paper says ${factorText(times)}`);
}

function judgeExceeds(form: Form<'exceeds'>, [subject, than]: readonly Outcome[]): RowVerdict {
  const points = 100 * (rateOf(subject, form.rate).estimate - rateOf(than, form.rate).estimate);
  const isSo = Math.abs(points - form.points) <= form.roundingPercent + MAX_RELATIVE * form.points;
  return said(isSo, `${digitsText(points)} points more; the paper says ${form.points}`);
}

/** The rate over a part of the stream. */
function rateBetween({ measurements }: Outcome, rate: Rate, from: number, to: number): Interval {
  const [event, element] =
    rate === 'fpr' ? (['falsePositives', 'distinct'] as const) : (['falseNegatives', 'duplicates'] as const);
  const shares = measurements.map(({ curve }) => {
    const part = curve.slice(Math.round(from * curve.length), Math.round(to * curve.length));
    return {
      events: part.reduce((sum, point) => sum + point[event], 0),
      of: part.reduce((sum, point) => sum + point[element], 0),
    };
  });
  return intervalOf(shares) ?? NOTHING;
}

/** The curve counts from the beginning. So it rises where the rate of a part is above that of everything before it. */
function judgeTrend({ rate, direction }: Form<'trend'>, outcome: Outcome): RowVerdict {
  const first = rateBetween(outcome, rate, 0, 1 / 2);
  const third = rateBetween(outcome, rate, 1 / 2, 3 / 4);
  const last = rateBetween(outcome, rate, 3 / 4, 1);
  const before = rateBetween(outcome, rate, 0, 3 / 4);
  const isSo =
    direction === 'rises'
      ? isBelow(first, third) && isBelow(before, last)
      : isBelow(third, first) && isBelow(last, before);
  const text = `${percentText(first.estimate)} over the first half, ${percentText(third.estimate)} over the third quarter, ${percentText(last.estimate)} over the last`;
  return said(isSo, text);
}

function comparedText(rate: Rate, here: Interval, there: Interval): string {
  return `${rate.toUpperCase()} ${percentText(here.estimate)}, the other ${percentText(there.estimate)}`;
}

function judgeBelow({ rate }: Form<'below'>, [subject, than]: readonly Outcome[]): RowVerdict {
  const [here, there] = [rateOf(subject, rate), rateOf(than, rate)];
  const isSo = isBelow(here, there);
  const isChance = !isSo && here.estimate < there.estimate;
  const text = comparedText(rate, here, there);
  return said(isSo, isChance ? `${text}: chance explains the difference` : text);
}

function judgeNear({ rate, points }: Form<'near'>, [subject, than]: readonly Outcome[]): RowVerdict {
  const [here, there] = [rateOf(subject, rate), rateOf(than, rate)];
  return said(100 * maxApart(here, there) <= points, comparedText(rate, here, there));
}

function judgeGains([here, before, otherHere, otherBefore]: readonly Outcome[]): RowVerdict {
  const mine = ratioOf(rateOf(before, 'fnr'), rateOf(here, 'fnr'));
  const other = ratioOf(rateOf(otherBefore, 'fnr'), rateOf(otherHere, 'fnr'));
  return said(
    isBelow(other, mine),
    `FNR falls by a factor of ${digitsText(mine.estimate)}, that of the other by ${digitsText(other.estimate)}`,
  );
}

/** The subjects that a claim compares; its own subject is first. */
export function subjectsOf(subject: ClaimSubject, form: ClaimForm): ClaimSubject[] {
  if (form.kind === 'gains') {
    const rival = { ...subject, algorithm: form.thanAlgorithm };
    return [subject, { ...subject, memoryBytes: form.fromBytes }, rival, { ...rival, memoryBytes: form.fromBytes }];
  }
  if (form.kind === 'threshold' && form.memory === 'just enough') {
    const factors = [1 - AROUND_SHARE, 1 + AROUND_SHARE];
    const memories = factors.map((factor) => Math.round(factor * subject.memoryBytes));
    return [subject, ...memories.map((memoryBytes) => ({ ...subject, memoryBytes }))];
  }
  return 'than' in form ? [subject, form.than] : [subject];
}

/** The verdict on a claim, from the outcomes of its subjects in the same order. */
export function judgeClaim(form: ClaimForm, outcomes: readonly Outcome[]): RowVerdict {
  const subject = outcomes[0] as Outcome;
  switch (form.kind) {
    case 'range':
      return judgeRange(form, subject);
    case 'threshold':
      return judgeThreshold(form, outcomes);
    case 'times':
      return judgeTimes(form, outcomes);
    case 'exceeds':
      return judgeExceeds(form, outcomes);
    case 'trend':
      return judgeTrend(form, subject);
    case 'stable':
      return judgeStable(form, subject);
    case 'unstable':
      return judgeUnstable(form, subject);
    case 'stableBefore':
      return judgeStableBefore(form.rate, outcomes);
    case 'gains':
      return judgeGains(outcomes);
    case 'below':
      return judgeBelow(form, outcomes);
    case 'near':
      return judgeNear(form, outcomes);
  }
}
