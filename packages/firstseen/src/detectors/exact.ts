import { EXACT_FIRST_SLOTS_LIMIT, EXACT_SLOT_BYTES } from '../kernel/abi.js';
import type { DetectorFamily, FamilyDescription } from './contract.js';

/** The kernel's table has a power of two times fewer than EXACT_FIRST_SLOTS_LIMIT slots, at most seven eighths of them in use. */
export function exactCapacity(memoryBytes: number): number {
  let slots = Math.floor(memoryBytes / EXACT_SLOT_BYTES);
  let doublings = 0;
  while (slots >= EXACT_FIRST_SLOTS_LIMIT) {
    slots = Math.floor(slots / 2);
    doublings++;
  }
  const total = slots * 2 ** doublings;
  return total - Math.floor(total / 8) - 1;
}

export const exactDescription: FamilyDescription = {
  title: 'Exact set of 64-bit fingerprints',
  source: 'open addressing with linear probing (Knuth, volume 3, section 6.4)',
  rule: 'Every fingerprint is kept. When the memory is full, a new element fails with an error.',
  falsePositives: {
    kind: 'bounded',
    bound: 'n / 2^64 for n distinct keys: two keys may share a fingerprint',
    source: 'uniform 64-bit hash',
  },
  falseNegatives: { kind: 'never' },
};

export const exact: DetectorFamily = {
  name: 'exact',
  id: 1,
  layouts: ['classic'],
  layout: 'classic',
  comparesFingerprints: true,
  ignoresRepeats: true,
  withWindow: 'exactwindow',
  parameters: [
    { letter: 'n', name: 'capacityElements', description: 'distinct elements that the memory holds', derived: true },
  ],
  resolve(request) {
    return { values: { n: exactCapacity(request.memoryBytes) }, kernel: [] };
  },
};
