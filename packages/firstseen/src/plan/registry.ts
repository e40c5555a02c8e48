// How each family is planned, one row each, in the order of the detectors' registry.

import { apbf } from './apbf.js';
import { bloom } from './bloom.js';
import { bsbf } from './bsbf.js';
import { bsbfsd } from './bsbfsd.js';
import { buffer } from './buffer.js';
import type { FamilyPlan } from './contract.js';
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
import { sqf } from './sqf.js';

export const familyPlans: readonly FamilyPlan[] = [
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

/** The size of a Bloom filter for a number of elements and a rate. */
export { type FilterGoal, filterSize } from './bloom.js';
/** The memory in which a number of elements is remembered. */
export { memoryToRemember } from './pocket.js';
