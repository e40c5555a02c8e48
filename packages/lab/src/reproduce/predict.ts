// The rates that the planner's model predicts for a trial, and the limit for any structure.

import {
  COARSE,
  FINE,
  familyPlans,
  type Grid,
  gridOf,
  minFnrOf,
  predictionOf,
  resolveSettings,
} from 'firstseen/internal';
import type { StreamModel } from 'firstseen/plan';
import type { DetectorSpec, Rates, RunSpec } from '../contract.js';
import { streamKey } from '../measure/key.js';
import { LOWER_HALF_NAME, lowerHalfCourse } from '../measure/lowerhalf.js';
import { streamModel } from '../streams/registry.js';

export interface Expectation {
  predicted: Partial<Rates>;
  limit: Partial<Rates>;
}

/** The data of a stream that are known before it runs; the same for every run over it. */
interface Outlook {
  model: StreamModel;
  fine: Grid;
  coarse: Grid;
  /** The least FNR by FPR, for each size in bits. */
  minFnr: Map<number, (fpr: number) => number>;
}

async function outlookOf(spec: RunSpec): Promise<Outlook> {
  const model = await streamModel(spec.stream);
  return { model, fine: gridOf(model, FINE), coarse: gridOf(model, COARSE), minFnr: new Map() };
}

function courseOf(detector: DetectorSpec, fine: Grid): ReturnType<typeof lowerHalfCourse> | undefined {
  const { algorithm, layout, memoryBytes: memory, parameters, seed } = detector;
  if (algorithm === LOWER_HALF_NAME) return lowerHalfCourse(memory, fine);
  const plan = familyPlans.find(({ name }) => name === algorithm);
  return plan?.course(resolveSettings({ algorithm: plan.name, layout, memory, parameters, seed }), fine);
}

/** The rates of a run by the planner's model, on a fine grid; empty if there is no model, as for identifiers. */
export function predictedFor({ detector, identity }: RunSpec, fine: Grid): Partial<Rates> {
  const course = identity === 'hashed' ? courseOf(detector, fine) : undefined;
  if (course === undefined) return {};
  const { fpr, fnr } = predictionOf(course, fine);
  return { fpr, fnr };
}

function limitFor({ detector }: RunSpec, { coarse, minFnr }: Outlook): (fpr: number) => number {
  const bits = detector.memoryBytes * 8;
  const least = minFnr.get(bits) ?? minFnrOf(coarse, bits);
  minFnr.set(bits, least);
  return least;
}

/**
 * The expected rates of runs. The model and the limit both assume random keys. They do not apply to identifiers without
 * gaps between their numbers, because a bitmap distinguishes those exactly.
 */
export interface Expectations {
  /** `fpr` is the measured rate of false positives, at which the limit is taken. */
  expectedOf(spec: RunSpec, fpr: number | undefined): Promise<Expectation>;
  /** The least FNR, by FPR, of any structure with the run's memory over its stream. */
  minFnrOf(spec: RunSpec): Promise<(fpr: number) => number>;
}

/** Expectations that compute the data of a stream once for all runs over it. */
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
    minFnrOf: async (spec) => limitFor(spec, await outlookFor(spec)),
  };
}
