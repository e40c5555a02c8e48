// What the planner's model says of a trial, and what no structure could do better.

import type { StreamModel } from 'firstseen';
import {
  COARSE,
  type Course,
  FINE,
  familyPlans,
  type Grid,
  gridOf,
  leastFnrOf,
  predictionOf,
  resolveSettings,
} from 'firstseen/internal';
import type { DetectorSpec, Rates, RunSpec } from '../contract.js';
import { streamKey } from '../measure/key.js';
import { LOWER_HALF_NAME, lowerHalfCourse } from '../measure/lowerhalf.js';
import { streamModel } from '../streams/registry.js';

export interface Expectation {
  predicted: Partial<Rates>;
  limit: Partial<Rates>;
}

/** What there is to know of a stream before it runs; the same for every run over it. */
interface Outlook {
  model: StreamModel;
  fine: Grid;
  coarse: Grid;
  /** By bits. */
  leastFnr: Map<number, (fpr: number) => number>;
}

async function outlookOf(spec: RunSpec): Promise<Outlook> {
  const model = await streamModel(spec.stream);
  return { model, fine: gridOf(model, FINE), coarse: gridOf(model, COARSE), leastFnr: new Map() };
}

function courseOf(detector: DetectorSpec, fine: Grid): Course | undefined {
  const { algorithm, layout, memoryBytes: memory, parameters, seed } = detector;
  if (algorithm === LOWER_HALF_NAME) return lowerHalfCourse(memory, fine);
  const plan = familyPlans.find(({ name }) => name === algorithm);
  return plan?.course(resolveSettings({ algorithm, layout, memory, parameters, seed }), fine);
}

/** The rates of a run by the planner's model, on a fine grid; none where it has none, as for identifiers without gaps. */
export function predictedFor({ detector, identity }: RunSpec, fine: Grid): Partial<Rates> {
  const course = identity === 'hashed' ? courseOf(detector, fine) : undefined;
  if (course === undefined) return {};
  const { fpr, fnr } = predictionOf(course, fine);
  return { fpr, fnr };
}

function limitFor({ detector }: RunSpec, { coarse, leastFnr }: Outlook): (fpr: number) => number {
  const bits = detector.memoryBytes * 8;
  const least = leastFnr.get(bits) ?? leastFnrOf(coarse, bits);
  leastFnr.set(bits, least);
  return least;
}

/**
 * What is to be expected of runs. Both the model and the limit are of keys as good as random: of identifiers without gaps,
 * which a bitmap tells apart, neither says anything.
 */
export interface Expectations {
  /** At the measured rate of false positives. */
  expectedOf(spec: RunSpec, fpr: number | undefined): Promise<Expectation>;
  /** The least FNR of any structure of the run's memory over its stream, by its FPR. */
  leastFnrOf(spec: RunSpec): Promise<(fpr: number) => number>;
}

/** Expectations that work out a stream once for all runs over it. */
export function expectations(): Expectations {
  const outlooks = new Map<string, Promise<Outlook>>();
  const outlookFor = (spec: RunSpec) => {
    const key = streamKey(spec);
    const outlook = outlooks.get(key) ?? outlookOf(spec);
    outlooks.set(key, outlook);
    return outlook;
  };
  return {
    async expectedOf(spec, fpr) {
      if (spec.identity === 'identifier') return { predicted: {}, limit: {} };
      const outlook = await outlookFor(spec);
      const limit = fpr === undefined ? {} : { fnr: limitFor(spec, outlook)(fpr) };
      return { predicted: predictedFor(spec, outlook.fine), limit };
    },
    leastFnrOf: async (spec) => limitFor(spec, await outlookFor(spec)),
  };
}
