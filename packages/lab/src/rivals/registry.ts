// All rivals, in the order of their years.

import { activeActive } from './activeactive.js';
import { blockDecaying } from './blockdecaying.js';
import type { RivalRow } from './contract.js';
import { decaying } from './decaying.js';
import { epochs } from './epochs.js';
import { queuedQht } from './queuedqht.js';
import { she } from './she.js';
import { slidingBloom } from './slidingbloom.js';
import { slidingSketch } from './slidingsketch.js';
import { swamp } from './swamp.js';
import { timeLimited } from './timelimited.js';
import { timing } from './timing.js';

export const rivals: readonly RivalRow[] = [
  decaying,
  blockDecaying,
  timing,
  activeActive,
  slidingBloom,
  swamp,
  queuedQht,
  slidingSketch,
  she,
  timeLimited,
  epochs,
];
