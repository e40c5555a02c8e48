// How each family is planned, one row each, in the order of the detectors' registry.

import { bloom } from './bloom.js';
import { bsbf } from './bsbf.js';
import { bsbfsd } from './bsbfsd.js';
import type { FamilyPlan } from './contract.js';
import { exact } from './exact.js';
import { rlbsbf } from './rlbsbf.js';
import { rsbf } from './rsbf.js';
import { sbf } from './sbf.js';

export const familyPlans: readonly FamilyPlan[] = [exact, bloom, sbf, rsbf, bsbf, bsbfsd, rlbsbf];
