// The main job over files: what the command runs, and what a program may run.

import type { Extension } from './job.js';
import type { RunOptions, RunStats } from './options.js';
import { checkApart, checkNames, type FileUse, filesWritten } from './output/names.js';
import { prepare } from './resolve.js';
import { Runner } from './run.js';
import { lockState } from './state/lock.js';

export { OutputClosed } from './output/sink.js';

/** @throws FirstseenError E_USAGE when a name is none, or a file would be read and written, or written twice. */
function checkFiles(options: RunOptions): void {
  const { inputs, secretFile } = options;
  checkNames(options);
  const secret: FileUse[] = secretFile === undefined ? [] : [[secretFile, 'the secret file']];
  const read = inputs.map((input): FileUse => [input, 'an input']);
  checkApart([...read, ...secret], filesWritten(options));
}

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
  checkFiles(options);
  const unlock = options.state === undefined ? undefined : lockState(options.state);
  try {
    return await new Runner(await prepare(options, extension)).run();
  } finally {
    unlock?.();
  }
}
