// Measures how far duplicates in an input are from their previous occurrences, by reading the input as a run does.

import { devNull } from 'node:os';
import type { FingerprintName } from '../fingerprint/fingerprint.js';
import { GapSample } from '../plan/sample.js';
import type { RunOptions } from '../run/options.js';
import { runFiles } from './exact.js';

/** The options of a run that decide what is read and what a duplicate is. */
export type SampleOptions = Pick<
  RunOptions,
  'inputs' | 'format' | 'keys' | 'hasHeader' | 'missingKey' | 'onError' | 'maxRecordBytes'
> & {
  fingerprint?: FingerprintName;
  /** The number of elements to read at most. */
  mostElements: number;
};

/**
 * Counts the gaps of the first elements of the inputs exactly. Memory grows with the number of distinct elements.
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
