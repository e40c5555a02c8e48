// Plans of detectors, which take seconds of computing. A server makes them in another thread (thread.ts).

import { FirstseenError } from '../../base/errors.js';
import type { LayoutName, ParameterValue } from '../../detectors/contract.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { type StreamHints, streamOf, streamText } from '../../plan/goal.js';
import { type CreateOptions, settingsWithKeys } from '../../plan/keys.js';
import { planMeasured, predictMeasured } from '../../plan/measured.js';

export type AdviceOptions = Parameters<typeof planMeasured>[0];

/** A detector on a stream of which something is known. */
export interface PredictionTask {
  hints: Omit<StreamHints, 'stream'>;
  algorithm: string;
  layout: LayoutName;
  parameters: Readonly<Record<string, ParameterValue>>;
  memoryBytes: number;
}

/** The rates of errors over a whole stream, and the stream in words. */
export interface PredictedRates {
  falsePositiveRate: number;
  falseNegativeRate: number;
  stream: string;
}

export interface Planning {
  /** The settings of a detector that is planned. @throws FirstseenError as `create` */
  settingsOf(options: CreateOptions): Promise<DetectorSettings>;
  /** Returns the recommendation for a stream, as JSON. @throws FirstseenError as `plan` */
  recommend(options: AdviceOptions): Promise<unknown>;
  /** The rates that the model of the planner gives; undefined where it gives none. @throws FirstseenError as `plan` */
  predict(task: PredictionTask): Promise<PredictedRates | undefined>;
}

async function predict({ hints, memoryBytes, ...candidate }: PredictionTask): Promise<PredictedRates | undefined> {
  const stream = streamOf(hints);
  const [measured] = await predictMeasured({ stream, memory: memoryBytes }, [candidate]);
  return measured && { falsePositiveRate: measured.fpr, falseNegativeRate: measured.fnr, stream: streamText(stream) };
}

/** Plans in this thread. */
export const planningHere: Planning = {
  settingsOf: settingsWithKeys,
  predict,
  recommend: async (options) => JSON.parse(JSON.stringify((await planMeasured(options)).recommended)),
};

/** Plans that wait for others. With more, a request is refused, so that their number has a limit. */
export const MAX_WAITING_PLANS = 32;

export function tooManyPlans(): FirstseenError {
  return new FirstseenError('E_USAGE', `${MAX_WAITING_PLANS} plans are waiting already`, {
    remedy: 'try again later, or name an algorithm, which needs no plan',
  });
}
