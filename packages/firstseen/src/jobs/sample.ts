// Measures how recent the duplicates of an input are, reading it as a run does.

import { devNull } from 'node:os';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import { GapSample } from '../plan/sample.js';
import type { RunOptions } from '../run/options.js';
import { runFiles } from './exact.js';

/** A run's inputs and what decides identity in them. */
export type SampleOptions = Pick<
  RunOptions,
  'inputs' | 'format' | 'keys' | 'hasHeader' | 'missingKey' | 'onError' | 'maxRecordBytes'
> & {
  fingerprint?: FingerprintName;
  /** Elements after which no more are read. */
  mostElements: number;
};

/**
 * Counts the gaps of the first elements of the inputs exactly; memory grows with the number of distinct ones.
 * @throws FirstseenError as a run over the inputs would.
 */
export async function sampleGaps({ mostElements, fingerprint, ...input }: SampleOptions): Promise<GapSample> {
  const sample = new GapSample();
  const enough = new AbortController();
  await runFiles({
    ...input,
    detector: {
      algorithm: 'bsbf',
      memory: '1KiB',
      witness: false,
      ...(fingerprint === undefined ? {} : { fingerprint }),
    },
    emit: 'verdicts',
    output: devNull,
    signal: enough.signal,
    onElements(fingerprints) {
      for (const element of fingerprints) if (sample.elements < mostElements) sample.add(element);
      if (sample.elements >= mostElements) enough.abort();
    },
  });
  return sample;
}
