// The main job over files: what the command runs, and what a program may run.

import type { Extension } from './job.js';
import { unlockState } from './lock.js';
import type { RunOptions, RunStats } from './options.js';
import { prepare } from './prepare.js';
import { Runner } from './runner.js';

export { OutputClosed } from './sink.js';

/**
 * Deduplicates the inputs into the outputs.
 * @throws FirstseenError for everything that stops a run, its code saying what; OutputClosed when the reader of an
 * output has gone.
 */
export async function runFiles(options: RunOptions): Promise<RunStats> {
  return runExtended(options, {});
}

/**
 * A run of another job, or over other inputs than files.
 * @internal
 */
export async function runExtended(options: RunOptions, extension: Extension): Promise<RunStats> {
  try {
    return await new Runner(await prepare(options, extension)).run();
  } finally {
    if (options.state !== undefined) unlockState(options.state);
  }
}
