// Signatures of SQF and DSQF as values of a bucket: the reduced remainder, which is uniformly distributed, and the number of ones in
// the r - r' other bits, which is binomially distributed (dutta-2013, section 3.1).

import type { DetectorSettings } from '../detectors/settings.js';
import { numberOf } from './contract.js';
import type { ValueGroup } from './evicting.js';

/** Groups with less than this share of the elements are ignored. */
const MIN_SHARE = 1e-4;

/** The signatures of hashed keys, grouped by probability. */
export function signatureGroups(settings: DetectorSettings): ValueGroup[] {
  const r = numberOf(settings, 'r');
  const reducedBits = numberOf(settings, "r'");
  const count = 2 ** reducedBits;
  const otherBits = r - reducedBits;
  const groups: ValueGroup[] = [];
  let ways = 1;
  for (let ones = 0; ones <= otherBits; ones++) {
    groups.push({ probability: ways / 2 ** r, count });
    ways = (ways * (otherBits - ones)) / (ones + 1);
  }
  const likelyGroups = groups.filter(({ probability }) => probability * count >= MIN_SHARE);
  const total = likelyGroups.reduce((sum, group) => sum + group.probability * group.count, 0);
  return likelyGroups.map((group) => ({ ...group, probability: group.probability / total }));
}
