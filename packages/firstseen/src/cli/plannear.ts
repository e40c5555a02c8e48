// `firstseen plan near`: predicts what a memory does for verified near-duplicates.

import type { Command } from 'commander';
import { defined } from '../base/defined.js';
import { planNear } from '../near/plan.js';
import { nearPlanData, nearPlanText } from '../near/plantext.js';
import { valuesOf } from '../options/filled.js';
import { nearPlanRows } from '../options/plan.js';
import { flagFor, givenValues } from './options.js';
import { writeOutput } from './streams.js';

export function addPlanNearCommand(plan: Command): void {
  const command = plan
    .command('near')
    .description('predict what a memory remembers, and what is dropped, for near-duplicates')
    .allowExcessArguments(false);
  for (const row of nearPlanRows) command.addOption(flagFor(row, 'near'));
  command.action(async () => {
    const { json, ...options } = valuesOf(nearPlanRows, givenValues(command, nearPlanRows));
    const advice = planNear(defined(options));
    await writeOutput(json ? `${JSON.stringify(nearPlanData(advice), null, 2)}\n` : nearPlanText(advice));
  });
}
