// An experiment: many runs, of which those that a file of results holds already are not done again.

import { availableParallelism, freemem } from 'node:os';
import type { Measurement, RunSpec } from '../contract.js';
import { runKey } from './key.js';
import { runTasks, type TaskRunner } from './pool.js';
import { openResults, type ResultsFile } from './results.js';
import { tasksOf } from './tasks.js';

export interface ExperimentOptions {
  /** A file of JSON lines, begun or gone on with. */
  output?: string | undefined;
  /** Tasks at once; as many as there are cores by default. */
  jobs?: number | undefined;
  /** Memory for all detectors and truths that are there at once; most of what is free by default. */
  memoryBytes?: number | undefined;
  /** Called now and then with the share of the work that is done; what the file held already is no work. */
  onProgress?: ((share: number) => void) | undefined;
  /** Ends the experiment; what is finished is in the file. */
  signal?: AbortSignal | undefined;
  /** How tasks are done; in threads by default. */
  runTask?: TaskRunner | undefined;
}

/** What the rest of the machine may want meanwhile is left to it. */
const MEMORY_SHARE = 0.8;

const noFile: ResultsFile = { kept: [], append: async () => undefined, close: async () => undefined };

/**
 * Does runs, or takes them from the file; a measurement for each, in their order.
 * @throws FirstseenError as `measure` does, and E_OUTPUT for the file; the signal's reason.
 */
export async function runExperiment(
  specs: readonly RunSpec[],
  options: ExperimentOptions = {},
): Promise<Measurement[]> {
  const { jobs = availableParallelism(), memoryBytes = freemem() * MEMORY_SHARE } = options;
  const results = options.output === undefined ? noFile : await openResults(options.output);
  try {
    const found = new Map(results.kept.map((measurement) => [measurement.key, measurement]));
    const missing = new Map(specs.map((spec) => [runKey(spec), spec] as const).filter(([key]) => !found.has(key)));
    await runTasks(await tasksOf([...missing.values()], { jobs, memoryBytes }), {
      jobs,
      memoryBytes,
      onDone: async (measurements) => {
        for (const measurement of measurements) {
          await results.append(measurement);
          found.set(measurement.key, measurement);
        }
      },
      onProgress: options.onProgress && ((done, all) => options.onProgress?.(done / all)),
      signal: options.signal,
      runTask: options.runTask,
    });
    return specs.map((spec) => found.get(runKey(spec)) as Measurement);
  } finally {
    await results.close();
  }
}
