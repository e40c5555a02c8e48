import { bufferMisses, bufferParameters, resolveBuffer } from './buffers.js';
import type { Family } from './contract.js';

export const buffer: Family = {
  name: 'buffer',
  id: 8,
  title: 'Buffering of whole fingerprints',
  source: 'deng-2006, sections 2.2 and 5.2',
  rule: 'An element is a duplicate if the buffer holds it. If not, it enters the buffer, and replaces another element when the buffer is full.',
  layouts: ['classic'],
  layout: 'classic',
  comparesFingerprints: true,
  falsePositives: {
    kind: 'bounded',
    bound: 'C / 2^64: two keys may share a fingerprint; C / 2^32 with entries32',
    source: 'uniform hash with as many bits',
  },
  falseNegatives: bufferMisses,
  parameters: bufferParameters,
  resolve: resolveBuffer,
};
