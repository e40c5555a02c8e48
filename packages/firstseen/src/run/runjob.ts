// Runs a job over inputs: inspects the inputs and the state, settles everything, opens the run and runs it.

import type { FormatName } from '../records/formats.js';
import type { DocumentList, InputRequest, Source } from './input/contract.js';
import { lookAtInput } from './input/registry.js';
import type { Job } from './job.js';
import { checkApart, checkNames, type FileUse, filesWritten } from './names.js';
import { openRun } from './open.js';
import { type FilledOptions, fillDefaults, type KeyRules, type SharedOptions } from './options.js';
import { commonFormat, outputsOf, type RunRequest, resolveRun } from './resolve.js';
import { findingsOf } from './state/findings.js';
import { lockState } from './state/lock.js';
import type { SavedRun } from './state/resume.js';
import { readSecretFile } from './state/secretfile.js';
import { checkWritable, readState, type SavedState } from './state/statefile.js';
import type { RunStats } from './stats.js';

/** A request to run a job over records. */
export interface JobRequest<Asked> {
  job: Job<Asked>;
  asked: Asked;
  options: SharedOptions;
  /** Guessed from the names of the inputs by default. */
  format?: FormatName | undefined;
  keys: readonly string[];
  /** The rules for keys without content that were asked for, if the job takes any. */
  keyRules?: Partial<KeyRules> | undefined;
  /** Read instead of the inputs in the options. */
  documents?: DocumentList | undefined;
  onFailure?: ((stats: RunStats) => void) | undefined;
}

/** @throws FirstseenError E_USAGE when a name is invalid, or when a file would be both read and written, or written twice. */
function checkFiles(options: FilledOptions, inputs: readonly string[]): void {
  const { secretFile } = options;
  checkNames(options);
  const secret: FileUse[] = secretFile === undefined ? [] : [[secretFile, 'the secret file']];
  const read = inputs.map((input): FileUse => [input, 'an input']);
  checkApart([...read, ...secret], filesWritten(options));
}

async function lookAtAll(inputs: readonly InputRequest[], isBinary: boolean): Promise<Source[]> {
  const sources: Source[] = [];
  for (const input of inputs) sources.push(await lookAtInput(input, { isBinary }));
  return sources;
}

async function savedState({ state }: FilledOptions): Promise<SavedState | undefined> {
  if (state === undefined) return undefined;
  await checkWritable(state);
  return readState(state);
}

async function savedRun(
  { note, header }: SavedState,
  options: FilledOptions,
  sources: readonly Source[],
): Promise<SavedRun> {
  const findings = await findingsOf(note.run, sources, outputsOf(options));
  return { path: options.state as string, note, settings: header.settings, asked: note.asked, ...findings };
}

/** Requires that the caller has locked the state. */
async function runLocked<Asked>(
  request: JobRequest<Asked>,
  options: FilledOptions,
  inputs: readonly InputRequest[],
): Promise<RunStats> {
  const { job, asked, keys, keyRules, onFailure } = request;
  const secret = options.secretFile === undefined ? undefined : await readSecretFile(options.secretFile);
  const format = request.format ?? commonFormat(options.inputs);
  const sources = await lookAtAll(inputs, format === 'u64');
  const resolvable: RunRequest<Asked> = { options, format, keys, keyRules, job, asked, sources, secret };
  const saved = await savedState(options);
  const plan = resolveRun(resolvable, saved && (await savedRun(saved, options, sources)));
  const run = await openRun(plan, saved);
  options.onReady?.();
  return run.toEnd(onFailure);
}

/**
 * Runs a job over the inputs.
 * @throws FirstseenError for every failure of a run; OutputClosed when the reader of an output has closed it.
 */
export async function runJob<Asked>(request: JobRequest<Asked>): Promise<RunStats> {
  const options = fillDefaults(request.options) as FilledOptions;
  const inputs = request.documents ? [request.documents] : options.inputs;
  checkFiles(
    options,
    inputs.map((input) => (typeof input === 'string' ? input : input.name)),
  );
  const unlock = options.state === undefined ? undefined : lockState(options.state);
  try {
    return await runLocked(request, options, inputs);
  } finally {
    unlock?.();
  }
}
