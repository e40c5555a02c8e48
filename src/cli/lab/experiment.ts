// `firstseen lab run` at work: the runs, and a table at the end.

import { writeOutput } from '../streams.js';
import { measurementsText } from './measured.js';
import { runShown } from './runs.js';
import { type RunFlags, specsOf } from './specs.js';

export async function runLab(flags: RunFlags): Promise<void> {
  const specs = await specsOf(flags);
  await writeOutput(await measurementsText(await runShown(specs, flags), flags));
}
