// All rivals, in the order of their years.

import type { RivalRow } from './contract.js';
import { decaying } from './decaying.js';
import { timing } from './timing.js';

export const rivals: readonly RivalRow[] = [decaying, timing];
