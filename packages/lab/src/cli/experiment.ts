// `firstseen lab run` at work: the runs, and a table at the end.

import { FirstseenError } from 'firstseen';
import { STANDARD_STREAM, writeOutput } from 'firstseen/internal';
import { measurementsText } from './measured.js';
import { runShown } from './runs.js';
import { type RunFlags, specsOf } from './specs.js';

/** @throws FirstseenError E_USAGE for an output to which nothing can be added. */
function checkOutput(output: string | undefined): void {
  if (output !== '' && output !== STANDARD_STREAM) return;
  throw new FirstseenError(
    'E_USAGE',
    `--output is "${output}", but results are added to a file; name one, or leave it out`,
  );
}

export async function runLab(flags: RunFlags): Promise<void> {
  checkOutput(flags.output);
  const specs = await specsOf(flags);
  await writeOutput(await measurementsText(await runShown(specs, flags), flags));
}
