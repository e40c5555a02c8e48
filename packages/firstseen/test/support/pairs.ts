// Two equal detectors, whose answers to the same keys are compared.

import { Detector } from '../../src/detectors/detector.js';

/** Fingerprints and parts of detectors by which keys are answered in other ways. */
export const pairSettings = [
  ['xxh64', {}],
  ['rabin', { fingerprint: 'rabin' }],
  ['siphash', { secret: '00112233445566778899aabbccddeeff' }],
  ['partitions and a witness', { partitions: 4, witness: true }],
] as const;

export function pairOf(options = {}): Promise<Detector[]> {
  const asked = { algorithm: 'qht', memory: '8KiB', seed: 5, ...options } as const;
  return Promise.all([Detector.create(asked), Detector.create(asked)]);
}
