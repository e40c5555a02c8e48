import { BLOOM_HASHES_PARAMETER, CACHE_LINE_BITS } from '../kernel/abi.js';
import { DEFAULT_FPR } from '../options/detector.js';
import { type DetectorFamily, type FamilyDescription, wholeParameter } from './contract.js';

const MOST_HASHES = 64;

/** Elements for which k is the best number of hashes, at which the array is half full: n = m ln 2 / k (deng-2006, section 2.3). */
export function bloomCapacity(bits: number, k: number): number {
  return Math.floor((bits * Math.LN2) / k);
}

export const bloomDescription: FamilyDescription = {
  title: 'Bloom filter',
  source: 'Bloom 1970; deng-2006, section 2.3',
  rule: 'Every element sets k bits of one array. No bit is ever cleared.',
  falsePositives: {
    kind: 'bounded',
    bound: '(1 - e^(-kn/m))^k after n distinct elements in the classic layout; tends to 1 as n grows',
    source: 'deng-2006, section 2.3',
  },
  falseNegatives: { kind: 'never' },
};

export const bloom: DetectorFamily = {
  name: 'bloom',
  id: 2,
  layouts: ['classic', 'blocked'],
  layout: 'blocked',
  ignoresRepeats: true,
  parameters: [
    { letter: 'k', name: 'hashCount', description: 'bits that an element sets (1 to 64)' },
    { letter: 'm', name: 'bitCount', description: 'bits of the array', derived: true },
    {
      letter: 'n',
      name: 'capacityElements',
      description: 'distinct elements at which the array is half full',
      derived: true,
    },
  ],
  resolve(request) {
    // A half full array meets the target with k = log2(1 / fpr) (deng-2006, section 2.3), rounded up.
    const k = wholeParameter(request, 'k', { least: 1, most: MOST_HASHES }, () =>
      Math.ceil(-Math.log2(request.fpr ?? DEFAULT_FPR.ofPapers)),
    );
    const unitBits = request.layout === 'blocked' ? CACHE_LINE_BITS : 64;
    const m = Math.floor((request.memoryBytes * 8) / unitBits) * unitBits;
    return { values: { k, m, n: bloomCapacity(m, k) }, kernel: [[BLOOM_HASHES_PARAMETER, k]] };
  },
};
