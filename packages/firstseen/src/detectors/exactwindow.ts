import {
  EXACTWINDOW_CAPACITY_PARAMETER,
  EXACTWINDOW_ELEMENTS_PARAMETER,
  EXACTWINDOW_ENTRY_BYTES,
  EXACTWINDOW_MILLISECONDS_PARAMETER,
  EXACTWINDOW_REFRESH_PARAMETER,
  EXACTWINDOW_SPARE_DIVISOR,
  EXACTWINDOW_TABLE_BYTES,
} from '../kernel/abi.js';
import type { DetectorFamily, FamilyDescription } from './contract.js';
import { refreshParameter, refreshWord } from './refresh.js';
import { windowElementsParameter, windowMillisecondsParameter, windowSize } from './windowsize.js';

/** Returns the number of elements that the memory holds. With refresh, the ring has entries to spare, and one more. */
function capacityOf(memoryBytes: number, refreshes: boolean): number {
  const entries = refreshes ? 1 + 1 / EXACTWINDOW_SPARE_DIVISOR : 1;
  const besideBytes = refreshes ? EXACTWINDOW_ENTRY_BYTES : 0;
  return Math.floor((memoryBytes - besideBytes) / (entries * EXACTWINDOW_ENTRY_BYTES + EXACTWINDOW_TABLE_BYTES));
}

export const exactwindowDescription: FamilyDescription = {
  title: 'Exact set of the fingerprints in a sliding window',
  source: 'a ring by age, and open addressing with linear probing (Knuth, volume 3, section 6.4)',
  rule: 'An added element is kept until the window has passed over it. Every repeat in the window is a duplicate, and none beyond it. When the memory is full, a new element fails with an error.',
  falsePositives: {
    kind: 'bounded',
    bound: 'n / 2^64 for n distinct keys in the window: two keys may share a fingerprint',
    source: 'uniform 64-bit hash',
  },
  falseNegatives: {
    kind: 'bounded',
    bound:
      'none up to W elements, or t milliseconds, after an add; with refresh every element is added, otherwise those reported distinct',
    source: 'every element in the window is kept',
  },
};

export const exactwindow: DetectorFamily = {
  name: 'exactwindow',
  id: 14,
  layouts: ['classic'],
  layout: 'classic',
  comparesFingerprints: true,
  hasWindow: true,
  parameters: [
    windowElementsParameter,
    windowMillisecondsParameter,
    refreshParameter,
    { letter: 'n', name: 'capacityElements', description: 'distinct elements that the memory holds', derived: true },
  ],
  resolve(request) {
    const refresh = refreshWord(request);
    const n = capacityOf(request.memoryBytes, refresh === 'yes');
    const { W, t } = windowSize(request, () => n - 1);
    return {
      values: { W, t, refresh, n },
      kernel: [
        [EXACTWINDOW_CAPACITY_PARAMETER, n],
        [EXACTWINDOW_ELEMENTS_PARAMETER, W],
        [EXACTWINDOW_MILLISECONDS_PARAMETER, t],
        [EXACTWINDOW_REFRESH_PARAMETER, refresh === 'yes' ? 1 : 0],
      ],
      isTimed: t > 0,
      band: t > 0 ? { fromMilliseconds: t, toMilliseconds: t } : { fromElements: W, toElements: W },
    };
  },
};
