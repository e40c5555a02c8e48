// The action of `firstseen lab run`: the runs, and a table at the end.

import { invalidOption, STANDARD_STREAM, writeOutput } from 'firstseen/internal';
import { measurementsText } from './measured.js';
import { runShown } from './runs.js';
import { type RunFlags, specsOf } from './specs.js';

/** @throws FirstseenError E_USAGE for an output to which results cannot be appended. */
function checkOutput(output: string | undefined): void {
  if (output !== '' && output !== STANDARD_STREAM) return;
  const expected = 'the name of a file';
  throw invalidOption({
    code: 'E_USAGE',
    option: 'output',
    given: output,
    expected,
    remedy: 'name one, or leave it out',
  });
}

export async function runLab(flags: RunFlags): Promise<void> {
  checkOutput(flags.output);
  const specs = await specsOf(flags);
  await writeOutput(await measurementsText(await runShown(specs, flags), flags));
}
