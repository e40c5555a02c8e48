// Runs of the lab as the command does them: with a bar, and stopped by a signal where they can be gone on with.

import { formatCount, Interrupted, stopListener } from 'firstseen/internal';
import type { Measurement, RunSpec } from '../contract.js';
import { runExperiment } from '../measure/run.js';
import { openShareBar } from './progress.js';

export interface RunsFlags {
  /** A file of results. */
  output?: string | undefined;
  jobs?: number | undefined;
  progress: boolean;
}

function whereToGoOn({ output }: RunsFlags): string {
  return output === undefined
    ? 'nothing is kept without --output'
    : `what was finished is in ${output}: start the same command again to go on`;
}

/** A measurement for each spec, in their order. @throws Interrupted after a signal; as `runExperiment` does. */
export async function runShown(specs: readonly RunSpec[], flags: RunsFlags): Promise<Measurement[]> {
  const stop = stopListener();
  const bar = await openShareBar(flags.progress);
  stop.listen();
  try {
    const { output, jobs } = flags;
    return await runExperiment(specs, { output, jobs, onProgress: bar.update, signal: stop.signal });
  } catch (error) {
    const signal = stop.received();
    if (signal === undefined) throw error;
    throw new Interrupted(
      signal,
      `before ${specs.length === 1 ? 'the run' : `all ${formatCount(specs.length)} runs`} had ended; ${whereToGoOn(flags)}`,
    );
  } finally {
    bar.stop();
    stop.close();
  }
}
