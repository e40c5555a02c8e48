// The families, one row each. Other modules look families up here, by name or by number.

import { invalidOption } from '../base/errors.js';
import type { DetectorName } from '../kernel/abi.js';
import { apbf } from './apbf.js';
import { bloom } from './bloom.js';
import { bsbf } from './bsbf.js';
import { bsbfsd } from './bsbfsd.js';
import { buffer } from './buffer.js';
import type { DetectorFamily } from './contract.js';
import { dsqf } from './dsqf.js';
import { exact } from './exact.js';
import { exactwindow } from './exactwindow.js';
import { fpbuffer } from './fpbuffer.js';
import { pocket } from './pocket.js';
import { pocketwindow } from './pocketwindow.js';
import { qht } from './qht.js';
import { rlbsbf } from './rlbsbf.js';
import { rsbf } from './rsbf.js';
import { sbf } from './sbf.js';
import { sketches } from './sketches.js';
import { sqf } from './sqf.js';

/** Every algorithm, in the order in which they are listed. */
export const detectorFamilies: readonly DetectorFamily[] = [
  exact,
  bloom,
  sbf,
  rsbf,
  bsbf,
  bsbfsd,
  rlbsbf,
  buffer,
  fpbuffer,
  sqf,
  dsqf,
  qht,
  apbf,
  exactwindow,
  pocket,
  pocketwindow,
];

/** The default family: it has the fewest errors on a stream about which nothing is known (src/plan/auto.ts). */
export const defaultFamily: DetectorFamily = qht;

/** The default family when a window is asked for. */
export const windowFamily: DetectorFamily = apbf;

/** The family that keeps the largest window in a memory at a rate, more slowly. */
export const largestWindowFamily: DetectorFamily = pocketwindow;

/** The family that takes any number of elements and never forgets one, at a rate of false positives that grows. */
export const filterFamily: DetectorFamily = bloom;

/** The families without false positives but those of equal fingerprints: without a window, and with one. */
export const exactFamily: DetectorFamily = exact;
export const exactWindowFamily: DetectorFamily = exactwindow;

/** Names of families, in the order of the registry. */
export const familyNames: readonly DetectorName[] = detectorFamilies.map(({ name }) => name);

/** The table of verified near-duplicates. */
export const sketchFamily: DetectorFamily = sketches;

/** @throws FirstseenError E_ALGORITHM that lists `choices`. */
export function familyNamed(name: string, choices: readonly string[] = familyNames): DetectorFamily {
  const family = detectorFamilies.find((candidate) => candidate.name === name);
  if (family) return family;
  throw invalidOption({
    code: 'E_ALGORITHM',
    option: 'algorithm',
    given: name,
    expected: `one of ${choices.join(', ')}`,
  });
}

export function familyNumbered(id: number): DetectorFamily | undefined {
  return [...detectorFamilies, sketchFamily].find((candidate) => candidate.id === id);
}
