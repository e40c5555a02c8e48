// The numbers of a trial as texts: the table of answers, and the totals above it.

import type { RateEstimate } from 'firstseen';
import { byId } from './controls.js';
import { ratesOf } from './course.js';
import { bytesText, countText, rateText } from './format.js';
import { contenders, type LimitPoint, type Progress, type TrialDescription } from './messages.js';

const UNKNOWN = '–';
/** The lowest rate at which the limit is told. */
const LEAST_FPR = 1e-6;

function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Writes a rate and a note into a cell of a row: 0 for false positives, 1 for false negatives. */
function setCell(row: string, index: number, rate: string, note: string): void {
  const cell = byId('answers').querySelectorAll(`[data-row="${row}"] td`)[index] as HTMLElement;
  if (cell.firstElementChild === null) cell.append(document.createElement('b'), document.createElement('small'));
  setText(cell.firstElementChild as Node, rate);
  setText(cell.lastElementChild as Node, note);
}

function showEstimate(index: number, { estimate, low, high }: RateEstimate, truth: number): void {
  if (estimate === null) {
    setCell('witness', index, UNKNOWN, '');
    return;
  }
  // Both are quotients of the same counts if the witness follows all keys, but not of the same roundings.
  const isInside = truth >= low - Number.EPSILON && truth <= high + Number.EPSILON;
  const range = low === high ? 'exact so far' : `${rateText(low)} to ${rateText(high)}`;
  setCell('witness', index, rateText(estimate), `${range}; the truth is ${isInside ? 'inside' : 'outside'}`);
}

/** The point of the limit at a rate of false positives, or the next one above it. */
export function limitAt(limit: readonly LimitPoint[], fpr: number): LimitPoint | undefined {
  return limit.find((point) => point.fpr >= Math.max(fpr, LEAST_FPR) * (1 - Number.EPSILON)) ?? limit.at(-1);
}

export function showFigures(progress: Progress, limit: readonly LimitPoint[]): void {
  const { records, distinct, exactBytes, errors, witness } = progress;
  const repeats = records - distinct;
  setText(byId('records'), countText(records));
  setText(byId('new'), countText(distinct));
  setText(byId('repeats'), countText(repeats));
  for (const name of contenders) {
    const { fpr, fnr } = ratesOf(progress, name);
    setCell(name, 0, rateText(fpr), `${countText(errors[name].falsePositives)} of ${countText(distinct)}`);
    setCell(name, 1, rateText(fnr), `${countText(errors[name].falseNegatives)} of ${countText(repeats)}`);
  }
  const truth = ratesOf(progress, 'detector');
  showEstimate(0, witness.falsePositiveRate, truth.fpr);
  showEstimate(1, witness.falseNegativeRate, truth.fnr);
  const share =
    witness.share === 1 ? 'all keys' : `${countText(witness.keys)} keys, 1 in ${countText(1 / witness.share)}`;
  setText(byId('witness-note'), `follows ${share}`);
  const point = limitAt(limit, truth.fpr);
  setCell('limit', 0, point ? rateText(point.fpr) : UNKNOWN, point ? 'if so many may be lost' : '');
  setCell(
    'limit',
    1,
    point ? `≥ ${rateText(point.fnr)}` : UNKNOWN,
    point ? 'so many pass at least' : 'after 20,000 records',
  );
  setText(byId('exact-note'), `the truth; ${bytesText(exactBytes)} now`);
}

export function showDescription(
  { algorithm, parameters, bloomHashes, cacheEntries }: TrialDescription,
  memory: string,
): void {
  setText(byId('detector-name'), algorithm);
  byId('detector-name').title = parameters;
  setText(byId('detector-note'), memory);
  setText(byId('bloom-note'), `${memory}, ${bloomHashes} hashes`);
  setText(byId('cache-note'), `${memory}: ${countText(cacheEntries)} keys`);
}
