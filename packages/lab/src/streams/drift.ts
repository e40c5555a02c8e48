import { formatCounted } from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { StreamSpec } from '../contract.js';
import { DRIFT_RATE_PARAMETER, DRIFT_UNIVERSE_PARAMETER } from '../kernel/abi.js';
import { bisect } from './bisect.js';
import {
  eitherSetting,
  lengthOf,
  lookedUpStream,
  MAX_ELEMENTS,
  numberSetting,
  type ResolvedStream,
  type StreamKind,
  wholeSetting,
} from './contract.js';

/** At this rate, all but a thousandth of the elements are new. */
const MAX_RATE = 500;
const MAX_SHARE = 0.999;

/** Share of new elements after the first universe: a number is drawn at least once with chance 1 - e^(-1/r). */
function shareAt(rate: number): number {
  return -rate * Math.expm1(-1 / rate);
}

function rateOf(spec: StreamSpec): number {
  if (eitherSetting(spec, ['distinctShare', 'driftRate']) === 'driftRate') {
    return numberSetting(spec, 'driftRate', { above: 0, most: MAX_RATE });
  }
  return bisect(shareAt, numberSetting(spec, 'distinctShare', { above: 0, most: MAX_SHARE }), 0, MAX_RATE);
}

/**
 * A number that leaves the universe v elements later was drawn with chance 1/U at each of the last min(g, v / r)
 * positions. v is uniform over U: fresh(g) is the mean of e^(-c min(g, v / r)), c = -log(1 - 1/U).
 */
function driftStream(lengthElements: number, universe: number, rate: number): StreamModel {
  const c = -Math.log1p(-1 / Math.max(1 + 1e-9, universe));
  const stay = universe / rate;
  const share = rate / (c * universe);
  const leftShare = (gap: number) => -Math.expm1(-c * gap);
  const fresh = (gap: number) =>
    share * leftShare(Math.min(gap, stay)) + Math.max(0, 1 - gap / stay) * Math.exp(-c * Math.min(gap, stay));
  const distinctIn = (span: number): number => {
    if (span > stay) return distinctIn(stay) + (span - stay) * fresh(stay);
    // The integral of fresh, term by term.
    const once = leftShare(span) / c;
    const twice = (leftShare(span) - c * span * Math.exp(-c * span)) / c ** 2;
    return share * (span - once) + once - twice / stay;
  };
  const description =
    `uniform draws from ${formatCounted(Math.round(universe), 'element')}, ` +
    `which move by ${Number(rate.toPrecision(4))} after each draw`;
  return { description, lengthElements, fresh, distinctIn };
}

async function resolve(spec: StreamSpec): Promise<ResolvedStream> {
  const lengthElements = lengthOf(spec);
  const universeElements = wholeSetting(spec, 'universeElements', { least: 1, most: MAX_ELEMENTS });
  const rate = rateOf(spec);
  const model = driftStream(lengthElements, universeElements, rate);
  return lookedUpStream({
    kernelName: 'drift',
    parameters: [
      [DRIFT_UNIVERSE_PARAMETER, universeElements],
      [DRIFT_RATE_PARAMETER, rate],
    ],
    model,
    universeElements: universeElements + Math.floor(lengthElements * rate) + 1,
  });
}

export const drift: StreamKind = {
  name: 'drift',
  title: 'uniform draws from a moving universe',
  rule: 'Every element is drawn uniformly from a universe of U elements, which moves by r elements after each draw.',
  settings: [
    { name: 'universeElements', description: 'U' },
    {
      name: 'distinctShare',
      description: 'share d of new elements in the long run; determines r by r (1 - e^(-1/r)) = d',
    },
    { name: 'driftRate', description: 'r; alternative to distinctShare' },
  ],
  resolve,
};
