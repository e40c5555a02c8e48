// All rivals, in the order of their years.

import type { RivalRow } from './contract.js';
import { timing } from './timing.js';

export const rivals: readonly RivalRow[] = [timing];
