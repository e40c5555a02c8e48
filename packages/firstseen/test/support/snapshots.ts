// Detectors for tests of snapshots: small, of every family and layout, and partway through a stream.

import type { LayoutName } from '../../src/detectors/contract.ts';
import { families } from '../../src/detectors/descriptions.ts';
import { Detector } from '../../src/detectors/detector.ts';
import type { DetectorName } from '../../src/kernel/abi.ts';

export interface SnapshotCase {
  name: string;
  algorithm: DetectorName;
  layout: LayoutName;
  /** The secret of a keyed detector. */
  secret?: string;
}

/** A keyed detector is a detector of any family with other hashes, so one of them represents all. */
export const keyedCase: SnapshotCase = {
  name: 'rlbsbf-blocked-keyed',
  algorithm: 'rlbsbf',
  layout: 'blocked',
  secret: '000102030405060708090a0b0c0d0e0f',
};

export const snapshotCases: readonly SnapshotCase[] = [
  ...families.flatMap((family) =>
    family.layouts.map((layout) => ({ name: `${family.name}-${layout}`, algorithm: family.name, layout })),
  ),
  keyedCase,
];

/** A stream with repeats at short and long distances, the same on every machine. */
export function repeatingFingerprints(from: number, count: number): BigUint64Array {
  return BigUint64Array.from({ length: count }, (_, i) => {
    const n = from + i;
    return BigInt(n % 3 === 0 ? Math.floor(n / 7) : n) * 0x9e3779b97f4a7c15n;
  });
}

/** A detector of 1 KiB that has observed `count` elements and evicted many, so that every bit of state matters. */
export async function usedDetector({ name: _name, ...options }: SnapshotCase, count: number): Promise<Detector> {
  const memory = options.algorithm === 'exact' ? 65536 : 1024;
  const detector = await Detector.create({ ...options, memory, seed: 7 });
  detector.observeBatch(repeatingFingerprints(0, count));
  return detector;
}
