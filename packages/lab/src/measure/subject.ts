// The subject of a measurement: a detector of a family, or the lower-half filter of the laboratory.

import { FirstseenError } from 'firstseen';
import { Detector } from 'firstseen/internal';
import type { DetectorSpec, Identity } from '../contract.js';
import { LOWER_HALF_NAME, lowerHalfFilter } from './lowerhalf.js';

export interface Subject {
  /** Where elements are put, and where the verdicts on them are. */
  fingerprints: BigUint64Array<ArrayBuffer>;
  verdicts: Uint8Array;
  /** Observes the first `count` elements; how many of them it took before it refused. */
  observe(count: number): number;
  countLoad(): number;
  /** Bytes of its cells and counters. */
  stateBytes: number;
}

/**
 * A detector given fingerprints, not keys. An identifier is its own Rabin fingerprint, which families that look into
 * fingerprints have to know.
 */
async function detectorSubject(spec: DetectorSpec, identity: Identity): Promise<Subject> {
  const { algorithm, layout, memoryBytes: memory, parameters, seed } = spec;
  const fingerprint = identity === 'identifier' ? 'rabin' : 'xxh64';
  const options = { algorithm, layout, memory, parameters, seed, fingerprint } as const;
  const detector = await Detector.create(options, { regionBytes: 0 });
  const { kernel } = detector;
  return {
    fingerprints: kernel.fingerprints,
    verdicts: kernel.verdicts,
    observe: (count) => takenBy(detector, count),
    countLoad: () => detector.countLoad(),
    stateBytes: kernel.cellsBytes + kernel.state.byteLength,
  };
}

/** Elements that a detector took of a batch: all, unless it is full. */
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

/** For batches of at most so many elements. @throws FirstseenError as `Detector.create`. */
export async function createSubject(spec: DetectorSpec, identity: Identity, batchElements: number): Promise<Subject> {
  return spec.algorithm === LOWER_HALF_NAME ? lowerHalfSubject(spec, batchElements) : detectorSubject(spec, identity);
}
