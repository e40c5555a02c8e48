// `firstseen plan sizes`: a table of the memory that numbers of elements take.

import type { Command } from 'commander';
import { sizesText } from '../plan/sizes.js';
import { writeOutput } from './streams.js';

export function addPlanSizesCommand(plan: Command): void {
  plan
    .command('sizes')
    .description('print the memory in which 1 M to 10 G elements are remembered, for false positives of 1e-3 to 1e-7')
    .allowExcessArguments(false)
    .action(() => writeOutput(sizesText()));
}
