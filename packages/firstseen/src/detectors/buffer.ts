import { bufferMisses, bufferParameters, resolveBuffer } from './buffers.js';
import type { DetectorFamily, FamilyDescription } from './contract.js';

export const bufferDescription: FamilyDescription = {
  title: 'Buffering of whole fingerprints',
  source: 'deng-2006, sections 2.2 and 5.2',
  rule: 'An element is a duplicate if the buffer holds it. If not, it enters the buffer, and replaces another element when the buffer is full.',
  falsePositives: {
    kind: 'bounded',
    bound: 'C / 2^64: two keys may share a fingerprint; C / 2^32 with entries32',
    source: 'uniform hash with as many bits',
  },
  falseNegatives: bufferMisses,
};

export const buffer: DetectorFamily = {
  name: 'buffer',
  id: 8,
  layouts: ['classic'],
  layout: 'classic',
  comparesFingerprints: true,
  parameters: bufferParameters,
  resolve: resolveBuffer,
};
