// How full a detector is, and what becomes of new elements once it is.

import type { DetectorExports } from '../kernel/abi.js';
import { type Detector, familyOf } from './detector.js';
import type { FamilyKernel } from './home.js';
import type { DetectorSettings } from './settings.js';
import type { WhenFull } from './whenfull.js';

export interface Fullness {
  /** The part of the capacity that is in use; above 1 where more was taken. */
  share: number;
  whenFull: WhenFull;
}

/** Elements that fit, or that a filter takes up to its rate. Those of each partition are in the parameters. */
function capacityOf({ parameters, partitions }: DetectorSettings): number {
  return Number(parameters.values.n) * (partitions?.held ?? 1);
}

/** Tells whether the memory holds the whole window of elements. Then the share settles, and no element is lost. */
function holdsWindow({ family, parameters }: DetectorSettings): boolean {
  const { W, n } = parameters.values;
  return family.hasWindow === true && !parameters.isTimed && (n === undefined || Number(W) < Number(n));
}

function whenFullOf({ settings }: Detector, rule: DetectorExports): WhenFull {
  if (holdsWindow(settings)) return 'forgets';
  if (rule.room) return 'refuses';
  return settings.parameters.isTimed ? 'shortens' : 'forgets';
}

/** The load of the fullest partition; undefined for a family that does not tell it. */
function loadOf({ ofPartition: rule, partitioned }: FamilyKernel, timeMilliseconds: number): number | undefined {
  const { fullness, fullnessAt } = rule;
  const tell = fullness ?? (fullnessAt && (() => fullnessAt(timeMilliseconds)));
  return tell && partitioned ? Math.max(...partitioned.each(tell)) : tell?.();
}

/**
 * Measures how full a detector is; undefined for a family whose load settles by itself, whatever comes. It takes
 * microseconds for any memory: large tables are sampled. It changes nothing, not even the time of a window.
 * @param timeMilliseconds the time by which elements have left a window in time
 * @param reservedElements elements that room is kept for besides
 */
export function fullnessOf(detector: Detector, timeMilliseconds: number, reservedElements = 0): Fullness | undefined {
  const { settings, observed, duplicates } = detector;
  const { family } = settings;
  if (family.capacityFpr) return { share: (observed - duplicates) / capacityOf(settings), whenFull: 'misreports' };
  const home = familyOf(detector);
  const load = loadOf(home, timeMilliseconds);
  if (load === undefined) return undefined;
  const whenFull = whenFullOf(detector, home.ofPartition);
  const reservedShare = reservedElements > 0 && whenFull === 'refuses' ? reservedElements / capacityOf(settings) : 0;
  return { share: load + reservedShare, whenFull };
}
