// The subject of a measurement: a detector of a family, or the lower-half filter of the laboratory.

import { FirstseenError } from 'firstseen';
import { Detector, familyNamed, kernelOf } from 'firstseen/internal';
import type { DetectorSpec, Identity } from '../contract.js';
import { LOWER_HALF_NAME, lowerHalfFilter } from './lowerhalf.js';

export interface Subject {
  /** The memory for the elements and for the verdicts on them. */
  fingerprints: BigUint64Array<ArrayBuffer>;
  verdicts: Uint8Array;
  /** Observes the first `count` elements; returns the number that it accepted before it refused one. */
  observe(count: number): number;
  countLoad(): number;
  /** The size of its cells and counters in bytes. */
  stateBytes: number;
}

/**
 * A detector that receives fingerprints, not keys. An identifier is its own Rabin fingerprint. Families that use the
 * structure of fingerprints need to know this.
 */
async function detectorSubject(spec: DetectorSpec, identity: Identity): Promise<Subject> {
  const { layout, memoryBytes: memory, parameters, seed } = spec;
  const algorithm = familyNamed(spec.algorithm).name;
  const fingerprint = identity === 'identifier' ? 'rabin' : 'xxh64';
  const options = { algorithm, layout, memory, parameters, seed, fingerprint } as const;
  const detector = await Detector.create(options, { regionBytes: 0 });
  const kernel = kernelOf(detector);
  return {
    fingerprints: kernel.fingerprints,
    verdicts: kernel.verdicts,
    observe: (count) => takenBy(detector, count),
    countLoad: () => detector.countLoad(),
    stateBytes: kernel.cellsBytes + kernel.registers.byteLength,
  };
}

/** The number of elements of a batch that a detector accepted: all, unless it is full. */
function takenBy(detector: Detector, count: number): number {
  const before = detector.observed;
  try {
    detector.observePlaced(count);
  } catch (error) {
    if (!(error instanceof FirstseenError && error.code === 'E_FULL')) throw error;
  }
  return detector.observed - before;
}

function lowerHalfSubject({ memoryBytes, seed }: DetectorSpec, batchElements: number): Subject {
  const filter = lowerHalfFilter(memoryBytes, seed);
  const fingerprints = new BigUint64Array(batchElements);
  const verdicts = new Uint8Array(batchElements);
  return {
    fingerprints,
    verdicts,
    observe: (count) => {
      filter.observe(fingerprints, verdicts, count);
      return count;
    },
    countLoad: () => filter.countLoad(),
    stateBytes: filter.stateBytes,
  };
}

/** Creates a subject for batches of a limited size. @throws FirstseenError as `Detector.create`. */
export async function createSubject(spec: DetectorSpec, identity: Identity, batchElements: number): Promise<Subject> {
  return spec.algorithm === LOWER_HALF_NAME ? lowerHalfSubject(spec, batchElements) : detectorSubject(spec, identity);
}
