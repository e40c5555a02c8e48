// Plans without turns of the event loop.

import { runAtOnce } from '../../src/base/steps.js';
import { withJson } from '../../src/plan/json.js';
import { type PartitionedPlanOptions, planInSteps } from '../../src/plan/partitions.js';
import type { Plan } from '../../src/plan/plan.js';

/** Returns the plan of computed rates, at once. */
export function planSync(options: PartitionedPlanOptions): Plan {
  return withJson(runAtOnce(planInSteps(options)));
}
