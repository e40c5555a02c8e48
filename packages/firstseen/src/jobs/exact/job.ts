// Exact deduplication: a detector observes the fingerprint of each key. "Exact" means that keys must be equal to be duplicates; how
// reliably repeats are found depends on the detector.

import { defined } from '../../base/defined.js';
import { optionName, phrase } from '../../base/errors.js';
import { UNNAMED_JOB } from '../../checkpoint/jobnote.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import { type Observation, observed } from '../../framing/batch.js';
import type { PlannedOptions } from '../../plan/auto.js';
import { planSettings } from '../../plan/autosettings.js';
import { type OverloadWatch, runWatch } from '../../plan/overload.js';
import type { Job, JobRun, ObservingThreads, RecordReview } from '../../run/job.js';
import type { RunOptions } from '../../run/runoptions.js';
import type { ThreadBatch } from '../../threads/owners.js';

interface ExactOptions extends Pick<RunOptions, 'onElements' | 'onOverload' | 'onWarning'> {
  detector: PlannedOptions;
  /** Only tests keys. */
  isReadOnly?: boolean;
  /** Notes records for a report. */
  review?: RecordReview;
}

/** Tests each key at its time. Only the clock of this copy of the detector advances. */
function testTimed(detector: Detector, count: number): void {
  for (let i = 0; i < count; i++) {
    detector.advance(kernelOf(detector).times[i] as number);
    detector.testPlaced(1, i);
  }
}

/** A run over files can do with less memory, unlike a detector of a program. */
function withSpill({ failure, ...observation }: Observation): Observation {
  if (failure === undefined) return observation;
  const remedy = phrase`give ${optionName('spill')} a folder for what memory cannot hold`;
  return { ...observation, failure: failure.code === 'E_FULL' ? failure.orRemedy(remedy) : failure };
}

interface BeginRequest extends Pick<ExactOptions, 'onElements' | 'isReadOnly' | 'review'> {
  detector: Detector;
  /** Absent if the detector has no target. */
  watch: OverloadWatch | undefined;
}

function begin({ detector, onElements, isReadOnly, review, watch }: BeginRequest): JobRun {
  const kernel = kernelOf(detector);
  const inParts = (count: number, observeSome: (count: number, from: number) => void): Observation =>
    withSpill(
      observed(detector, count, () => {
        for (let from = 0; from < count; ) {
          const size = Math.min(count - from, watch?.elementsAhead() ?? count);
          observeSome(size, from);
          from += size;
        }
      }),
    );
  const observe = (count: number, observeSome: (count: number, from: number) => void): Observation => {
    onElements?.(kernel.fingerprints.subarray(0, count));
    return inParts(count, observeSome);
  };
  // The detector stays as it is, so one look at it is enough.
  const test = (count: number, testAll: () => void): Observation =>
    observed(detector, count, () => {
      watch?.elementsAhead();
      testAll();
    });
  const observeOnThreads = async (
    batches: readonly ThreadBatch[],
    { shared, meanwhile }: ObservingThreads,
  ): Promise<Observation[]> => {
    const total = batches.reduce((sum, { count }) => sum + count, 0);
    const isAhead = watch === undefined || detector.observed + total <= watch.withinElements;
    if (isAhead && shared.canObserve(batches)) {
      await shared.observe(batches, meanwhile);
      return batches.map(({ count }) => ({ taken: count }));
    }
    await meanwhile();
    const observations: Observation[] = [];
    for (const { threadBase, count } of batches) {
      const observation = inParts(count, (size, from) => detector.observePlaced(size, from, threadBase));
      observations.push(observation);
      if (observation.failure) break;
    }
    return observations;
  };
  return {
    review,
    observeOnThreads,
    observe: (count) =>
      isReadOnly
        ? test(count, () => detector.testPlaced(count))
        : observe(count, (size, from) => detector.observePlaced(size, from)),
    observeTimed: (count) =>
      isReadOnly
        ? test(count, () => testTimed(detector, count))
        : observe(count, (size, from) => detector.observePlacedTimed(size, from)),
    advance: (timeMilliseconds) => detector.advance(timeMilliseconds),
    overload: () => watch?.atEnd(),
  };
}

export const exactJob: Job<ExactOptions> = {
  name: UNNAMED_JOB,
  takes: 'fingerprints',
  comparesKeys: true,
  emissions: ['distinct', 'duplicates', 'verdicts', 'all'],
  resolve({ detector: base, onElements, onOverload: policy, onWarning, isReadOnly, review }, { secret, askedBefore }) {
    const detector = secret === undefined ? base : { ...base, secret };
    // A run watches its rate in any case, but only a run that was told what to do then may rely on expectations.
    const promise = policy === undefined ? 'every stream' : 'expected stream';
    return {
      detector,
      settings: () => planSettings(detector, promise),
      // Tests and samples take one batch at a time.
      canUseThreads: !isReadOnly && !onElements,
      begin: (createdDetector) => {
        const watch = runWatch(createdDetector, {
          ...{ name: 'elements', holder: 'detector', asked: { ...askedBefore, ...defined(base) } },
          ...defined({ policy, onWarning }),
        });
        return begin({ detector: createdDetector, watch, ...defined({ onElements, isReadOnly, review }) });
      },
    };
  },
};
