// `firstseen lab run` at work: the runs, a bar meanwhile, and a table at the end.

import type { Measurement, RunSpec } from '../../lab/contract.js';
import { runExperiment } from '../../lab/run.js';
import { Interrupted, stopListener } from '../signals.js';
import { writeOutput } from '../streams.js';
import { formatCount } from '../text.js';
import { measuredText } from './measured.js';
import { openShareBar } from './progress.js';
import type { RunFlags } from './run.js';
import { specsOf } from './specs.js';

function whereToGoOn({ output }: RunFlags): string {
  return output === undefined
    ? 'nothing is kept without --output'
    : `what was finished is in ${output}: start the same command again to go on`;
}

async function runAll(specs: readonly RunSpec[], flags: RunFlags): Promise<Measurement[]> {
  const stop = stopListener();
  const bar = await openShareBar(flags.progress);
  stop.listen();
  try {
    const { output, jobs } = flags;
    return await runExperiment(specs, { output, jobs, onProgress: bar.update, signal: stop.signal });
  } catch (error) {
    const signal = stop.received();
    if (signal === undefined) throw error;
    throw new Interrupted(signal, `before all ${formatCount(specs.length)} runs had ended; ${whereToGoOn(flags)}`);
  } finally {
    bar.stop();
    stop.close();
  }
}

export async function runLab(flags: RunFlags): Promise<void> {
  const specs = await specsOf(flags);
  await writeOutput(await measuredText(await runAll(specs, flags), flags));
}
