// An experiment: many runs. Those that are in a file of results are not repeated.

import { availableParallelism, freemem } from 'node:os';
import type { Measurement, RunSpec } from '../contract.js';
import { runKey } from './key.js';
import { runTasks, type TaskRunner } from './pool.js';
import { openResults, type ResultsFile } from './results.js';
import { tasksOf } from './tasks.js';

export interface ExperimentOptions {
  /** A file of JSON lines, created or appended to. */
  output?: string | undefined;
  /** Concurrent tasks; the number of cores by default. */
  jobs?: number | undefined;
  /** Memory for all detectors and truths at the same time; 80 % of the free memory by default. */
  memoryBytes?: number | undefined;
  /** Called repeatedly with the share of the work that is done. Results from the file do not count as work. */
  onProgress?: ((share: number) => void) | undefined;
  /** Ends the experiment. The finished runs are in the file. */
  signal?: AbortSignal | undefined;
  /** Runs a task; in a worker thread by default. */
  runTask?: TaskRunner | undefined;
}

/** The rest is left for other programs. */
const MEMORY_SHARE = 0.8;

const noFile: ResultsFile = { kept: [], append: async () => undefined, close: async () => undefined };

/**
 * Measures the runs that are not in the file; returns a measurement for each spec, in order.
 * @throws FirstseenError as `measure` does, and E_OUTPUT for the file; the signal's reason.
 */
export async function runExperiment(
  specs: readonly RunSpec[],
  options: ExperimentOptions = {},
): Promise<Measurement[]> {
  const { jobs = availableParallelism(), memoryBytes = freemem() * MEMORY_SHARE } = options;
  const results = options.output === undefined ? noFile : await openResults(options.output);
  try {
    const byKey = new Map(results.kept.map((measurement) => [measurement.key, measurement]));
    const missingSpecs = new Map(specs.map((spec) => [runKey(spec), spec] as const).filter(([key]) => !byKey.has(key)));
    await runTasks(await tasksOf([...missingSpecs.values()], { jobs, memoryBytes }), {
      jobs,
      memoryBytes,
      onDone: async (measurements) => {
        for (const measurement of measurements) {
          await results.append(measurement);
          byKey.set(measurement.key, measurement);
        }
      },
      onProgress: options.onProgress && ((doneWork, all) => options.onProgress?.(doneWork / all)),
      signal: options.signal,
      runTask: options.runTask,
    });
    return specs.map((spec) => byKey.get(runKey(spec)) as Measurement);
  } finally {
    await results.close();
  }
}
