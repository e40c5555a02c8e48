// Runs a job over inputs: inspects the inputs and the state, settles everything, opens the run and runs it.

import { FirstseenError, optionName, phrase } from '../errors.js';
import type { FormatName } from '../records/formats.js';
import type { DocumentList, InputRequest, Source } from './input/contract.js';
import { lookAtInput } from './input/registry.js';
import type { Job } from './job.js';
import { checkApart, checkNames, type FileUse, filesWritten } from './names.js';
import { openRun } from './open.js';
import { type FilledOptions, fillDefaults, type SharedOptions } from './options.js';
import { commonFormat, outputsOf, type RunRequest, resolveRun } from './resolve.js';
import { findingsOf } from './state/findings.js';
import { lockState } from './state/lock.js';
import type { SavedRun } from './state/resume.js';
import { readSecretFile } from './state/secretfile.js';
import { checkWritable, noState, readState, type SavedState } from './state/statefile.js';
import type { RunStats } from './stats.js';

/** A request to run a job over records. */
export interface JobRequest<Asked> {
  job: Job<Asked>;
  asked: Asked;
  options: SharedOptions;
  /** Guessed from the names of the inputs by default. */
  format?: FormatName | undefined;
  keys: readonly string[];
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

async function savedState({ state, isReadOnly }: FilledOptions): Promise<SavedState | undefined> {
  if (state === undefined) return undefined;
  if (!isReadOnly) await checkWritable(state);
  const saved = await readState(state);
  if (isReadOnly && !saved) throw noState(state);
  return saved;
}

/** @throws FirstseenError E_USAGE for a run that only reads a state but has none, or asks for what writes it. */
function checkReadOnly({ isReadOnly, isNewRun, state }: FilledOptions): void {
  if (!isReadOnly) return;
  const option = optionName('isReadOnly');
  if (state === undefined) {
    const remedy = phrase`give ${optionName('state')}, or leave ${option} out`;
    throw new FirstseenError('E_USAGE', phrase`${option} requires ${optionName('state')}`, {
      option: 'isReadOnly',
      remedy,
    });
  }
  if (!isNewRun) return;
  const problem = phrase`${optionName('isNewRun')} has no effect together with ${option}`;
  throw new FirstseenError('E_USAGE', problem, { option: 'isNewRun', remedy: 'leave one of them out' });
}

async function savedRun(
  { note, header }: SavedState,
  options: FilledOptions,
  sources: readonly Source[],
): Promise<SavedRun> {
  const findings = await findingsOf(note.run, sources, outputsOf(options));
  return { path: options.state as string, note, settings: header.settings, asked: note.asked, ...findings };
}

/** Requires that the caller has locked the state, unless it is only read. */
async function runLocked<Asked>(
  request: JobRequest<Asked>,
  options: FilledOptions,
  inputs: readonly InputRequest[],
): Promise<RunStats> {
  const { job, asked, keys, onFailure } = request;
  const secret = options.secretFile === undefined ? undefined : await readSecretFile(options.secretFile);
  const format = request.format ?? commonFormat(options.inputs);
  const sources = await lookAtAll(inputs, format === 'u64');
  const resolvable: RunRequest<Asked> = { options, format, keys, job, asked, sources, secret };
  const saved = await savedState(options);
  try {
    const plan = resolveRun(resolvable, saved && (await savedRun(saved, options, sources)));
    const run = await openRun(plan, saved);
    options.onReady?.();
    return await run.toEnd(onFailure);
  } finally {
    await saved?.close();
  }
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
  checkReadOnly(options);
  const unlock = options.state === undefined || options.isReadOnly ? undefined : lockState(options.state);
  try {
    return await runLocked(request, options, inputs);
  } finally {
    unlock?.();
  }
}
