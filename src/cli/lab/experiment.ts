// `firstseen lab run` at work: the runs, and a table at the end.

import { writeOutput } from '../streams.js';
import { measuredText } from './measured.js';
import type { RunFlags } from './run.js';
import { runShown } from './runs.js';
import { specsOf } from './specs.js';

export async function runLab(flags: RunFlags): Promise<void> {
  const specs = await specsOf(flags);
  await writeOutput(await measuredText(await runShown(specs, flags), flags));
}
