// Exact deduplication: a detector observes the fingerprint of each key. "Exact" means that keys must be equal to be duplicates; how
// reliably repeats are found depends on the detector.

import { checkWord } from '../check.js';
import type { Detector } from '../detectors/detector.js';
import { FirstseenError } from '../errors.js';
import type { PlannedOptions } from '../plan/auto.js';
import { planSettings } from '../plan/auto.js';
import { formatNames } from '../records/formats.js';
import { type Job, type JobRun, type Observation, UNNAMED_JOB } from '../run/job.js';
import { type RunOptions, runDefaults } from '../run/options.js';
import { runJob } from '../run/runjob.js';
import type { RunStats } from '../run/stats.js';

interface ExactOptions {
  detector: PlannedOptions;
  onElements?: RunOptions['onElements'];
  /** Only tests keys. */
  isReadOnly?: boolean;
}

/** Observes keys; if the detector refuses one, returns how many were observed before it. */
function observed(detector: Detector, count: number, observe: () => void): Observation {
  const before = detector.observed;
  try {
    observe();
    return { taken: count };
  } catch (failure) {
    if (!(failure instanceof FirstseenError)) throw failure;
    return { taken: detector.observed - before, failure };
  }
}

/** Tests each key at its time. Only the clock of this copy of the detector advances. */
function testTimed(detector: Detector, count: number): void {
  for (let i = 0; i < count; i++) {
    detector.advance(detector.kernel.times[i] as number);
    detector.testPlaced(1, i);
  }
}

function tested(count: number, test: () => void): Observation {
  test();
  return { taken: count };
}

function begin(detector: Detector, { onElements, isReadOnly }: ExactOptions): JobRun {
  const { kernel } = detector;
  const observe = (count: number, observeAll: () => void): Observation => {
    onElements?.(kernel.fingerprints.subarray(0, count));
    return observed(detector, count, observeAll);
  };
  return {
    observe: (count) =>
      isReadOnly
        ? tested(count, () => detector.testPlaced(count))
        : observe(count, () => detector.observePlaced(count)),
    observeTimed: (count) =>
      isReadOnly
        ? tested(count, () => testTimed(detector, count))
        : observe(count, () => detector.observePlacedTimed(count)),
    advance: (timeMilliseconds) => detector.advance(timeMilliseconds),
    note: () => undefined,
  };
}

export const exactJob: Job<ExactOptions> = {
  name: UNNAMED_JOB,
  takes: 'fingerprints',
  emissions: ['distinct', 'duplicates', 'verdicts', 'all'],
  resolve(options, { secret }) {
    const { detector: asked } = options;
    const detector = secret === undefined ? asked : { ...asked, secret };
    return {
      detector,
      settings: () => planSettings(detector),
      regionsEnd: (offset) => offset,
      begin: (made) => begin(made, options),
    };
  },
};

/**
 * Deduplicates the inputs into the outputs.
 * @throws FirstseenError for every failure of a run; OutputClosed when the reader of an output has closed it.
 */
export async function runFiles(options: RunOptions): Promise<RunStats> {
  const { keys = runDefaults.keys, onElements, onFailure } = options;
  const format = options.format && checkWord('format', options.format, formatNames, 'E_USAGE');
  const detector = { ...runDefaults.detector, ...options.detector };
  const isReadOnly = options.isReadOnly ?? runDefaults.isReadOnly;
  const asked = { detector, isReadOnly, ...(onElements === undefined ? {} : { onElements }) };
  return runJob({ job: exactJob, asked, options, format, keys, onFailure });
}
