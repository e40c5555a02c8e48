// Runs as the command does them: with a progress bar, and stopped by a signal at a point where they can continue.

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

function howToContinue({ output }: RunsFlags): string {
  return output === undefined
    ? 'finished runs are only kept with --output'
    : `finished runs are in ${output}; repeat the command to continue`;
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
      `before the end of ${specs.length === 1 ? 'the run' : `all ${formatCount(specs.length)} runs`}; ${howToContinue(flags)}`,
    );
  } finally {
    bar.stop();
    stop.close();
  }
}
