// Plans of detectors, which take seconds of computing. A server makes them in another thread (thread.ts).

import { FirstseenError } from '../../base/errors.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import { type CreateOptions, settingsWithKeys } from '../../plan/keys.js';
import { planMeasured } from '../../plan/measured.js';

export type AdviceOptions = Parameters<typeof planMeasured>[0];

export interface Planning {
  /** The settings of a detector that is planned. @throws FirstseenError as `create` */
  settingsOf(options: CreateOptions): Promise<DetectorSettings>;
  /** What is recommended for a stream, as JSON. @throws FirstseenError as `plan` */
  recommend(options: AdviceOptions): Promise<unknown>;
}

/** Plans in this thread. */
export const planningHere: Planning = {
  settingsOf: settingsWithKeys,
  recommend: async (options) => JSON.parse(JSON.stringify((await planMeasured(options)).recommended)),
};

/** Plans that wait for others. With more, a request is refused, so that their number has a limit. */
export const MOST_WAITING_PLANS = 32;

export function tooManyPlans(): FirstseenError {
  return new FirstseenError('E_USAGE', `${MOST_WAITING_PLANS} plans wait already`, {
    remedy: 'try again later, or name an algorithm, which needs no plan',
  });
}
