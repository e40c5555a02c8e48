import { expect, test } from 'vitest';
import { Detector, kernelOf } from '../../../src/detectors/detector.js';
import { detectorStats } from '../../../src/run/stats.js';

test('a summary describes the detector, and does not scan its memory', async () => {
  const detector = await Detector.create({ algorithm: 'bloom', memory: 4096, seed: 7, secret: '00'.repeat(16) });
  detector.observe('a');
  detector.countLoad = () => {
    throw new Error('the memory was scanned');
  };
  expect(detectorStats(detector)).toMatchObject({
    ...{ algorithm: 'bloom', fingerprint: 'siphash', keyed: true, seed: '7', memoryBytes: 4096, observed: 1 },
    stateBytes: kernelOf(detector).cellsBytes + kernelOf(detector).registers.byteLength,
    witness: null,
  });
});

test('a detector without a secret is not keyed', async () => {
  expect(detectorStats(await Detector.create({ memory: 4096 })).keyed).toBe(false);
});
