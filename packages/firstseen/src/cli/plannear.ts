// `firstseen plan near`: predicts what a memory does for verified near-duplicates.

import { type Command, Option } from 'commander';
import { defined } from '../base/defined.js';
import { DEFAULT_SHINGLES, type NearPlanOptions, planNear } from '../near/plan.js';
import { nearPlanData, nearPlanText } from '../near/plantext.js';
import { bands, distinctDocuments, hashes, similarity, tableMemory } from '../options/near.js';
import { confidence, sketchBytes } from '../options/verify.js';
import { numberOption } from './flags.js';
import { flagFor } from './options.js';
import { writeOutput } from './streams.js';

interface PlanNearFlags extends Pick<NearPlanOptions, Exclude<keyof NearPlanOptions, 'distinctDocuments' | 'at'>> {
  expectDistinct?: number;
  json?: boolean;
}

export function addPlanNearCommand(plan: Command): void {
  const command = plan
    .command('near')
    .description('predict what a memory remembers, and what is dropped, for near-duplicates')
    .allowExcessArguments(false);
  const rows = [similarity, tableMemory, hashes, bands, confidence];
  const flags = [
    ...rows.map((row) => flagFor(row, 'near')),
    flagFor(
      { ...sketchBytes, help: 'only sketches of this number of bytes, a multiple of 8', shownDefault: null },
      'near',
    ),
    flagFor(
      { ...distinctDocuments, help: 'expected number of different documents: recommends a size of sketches' },
      'near',
    ),
    numberOption('--shingles <n>', `different shingles of a document (default: ${DEFAULT_SHINGLES})`),
    new Option('--json', 'print the plan as JSON'),
  ];
  for (const flag of flags) command.addOption(flag);
  command.action(async ({ expectDistinct, json, ...flags }: PlanNearFlags) => {
    const advice = planNear(defined({ ...flags, distinctDocuments: expectDistinct }));
    await writeOutput(json ? `${JSON.stringify(nearPlanData(advice), null, 2)}\n` : nearPlanText(advice));
  });
}
