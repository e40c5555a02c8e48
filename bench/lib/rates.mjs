// Error rates and their confidence.

import { create } from 'firstseen';

/** The 97.5 % quantile of the normal distribution, in standard deviations. */
const Z = 1.959964;

/**
 * The 95 % confidence interval of Wilson (1927) for a probability, from `events` in `trials`.
 * @returns {{low: number, high: number}}
 */
export function wilsonInterval(events, trials) {
  const rate = events / trials;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / trials + (Z / (2 * trials)) ** 2);
  const centre = rate + Z ** 2 / (2 * trials);
  const scale = 1 + Z ** 2 / trials;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/**
 * Bits per element that given rates of false positives and false negatives require: the divergence of one rate from the
 * other.
 */
function bitsNeeded(fpr, fnr) {
  const term = (share, other) => (share === 0 ? 0 : share * Math.log2(share / other));
  return term(1 - fnr, fpr) + term(fnr, 1 - fpr);
}

/** The minimum FPR for an FNR with `bits` bits per element. */
function minFpr(fnr, bits) {
  let low = 0;
  let high = 1 - fnr;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (bitsNeeded(middle, fnr) > bits) low = middle;
    else high = middle;
  }
  return high;
}

/** The minimum sum of both rates for any structure that treats all elements alike, with `bits` bits per element. */
export function minErrorSum(bits) {
  let least = 1;
  for (let fnr = 0; fnr < 1; fnr += 0.001) least = Math.min(least, fnr + minFpr(fnr, bits));
  return least;
}

/** The rates and the speed of a detector on a stream; undefined if it refuses an element. */
export async function errorsOn({ algorithm, layout, parameters }, memoryBytes, stream, fingerprints) {
  const detector = await create({ algorithm, layout, parameters, memory: memoryBytes });
  const verdicts = new Uint8Array(fingerprints.length);
  const start = performance.now();
  try {
    detector.observeBatch(fingerprints, verdicts);
  } catch (error) {
    if (error.code === 'E_FULL') return undefined;
    throw error;
  }
  const seconds = (performance.now() - start) / 1000;
  let falsePositives = 0;
  let falseNegatives = 0;
  verdicts.forEach((verdict, i) => {
    if (verdict > stream.isDuplicate[i]) falsePositives++;
    else if (verdict < stream.isDuplicate[i]) falseNegatives++;
  });
  return {
    fpr: falsePositives / stream.distinct,
    fnr: falseNegatives / stream.duplicates,
    perSecond: fingerprints.length / seconds,
  };
}
