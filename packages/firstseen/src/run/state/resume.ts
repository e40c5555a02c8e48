// Decides what a saved state means for a new run: it is refused, it is continued, or only its detector is used. Everything that
// requires reading files was found out before.

import { FirstseenError, optionName, phrase } from '../../errors.js';
import { U64_RECORD_BYTES } from '../../kernel/abi.js';
import type { PlannedOptions } from '../../plan/auto.js';
import type { FormatName } from '../../records/formats.js';
import type { InputComparison, Source } from '../input/contract.js';
import { type JobNote, UNNAMED_JOB } from '../job.js';
import type { Emission } from '../options.js';
import type { OutputNote } from '../output/contract.js';
import { differences, type SavedDetector } from './asked.js';
import type { KeyNote, RunNote, StateNote } from './note.js';

const STATE = optionName('state');
const NEW_RUN = optionName('isNewRun');

/** What the files of a run show about the run in its state. */
export interface SavedFindings {
  /** How each input compares with the input in the state at the same index. */
  comparisons: readonly InputComparison[];
  /** The last processed byte of the current input, and the byte after it; empty if the input has not grown. */
  bytesAround: Uint8Array;
  /** An output that holds what the run in the state wrote, and that a new run would overwrite. */
  heldOutput: string | undefined;
}

/** A state, compared with the files of a run. */
export interface SavedRun extends SavedDetector, SavedFindings {
  path: string;
  note: StateNote;
}

export interface ResumeRequest {
  format: FormatName;
  emit: Emission;
  annotate?: string | undefined;
  isNewRun: boolean;
  isReadOnly?: boolean;
  sources: readonly Source[];
  outputs: readonly OutputNote[];
}

function otherJob(job: JobNote | undefined): string {
  return `the job is ${job?.name ?? UNNAMED_JOB} in the state`;
}

/** The settings to compare with those of the state. */
export interface SettingsRequest {
  jobName: string;
  detector: PlannedOptions;
  key: KeyNote;
}

/** The error for a state whose settings differ. */
export function stateDiffers(path: string, found: readonly string[]): FirstseenError {
  return new FirstseenError('E_STATE_DIFFERS', `state ${path} was saved with other settings: ${found.join('; ')}`, {
    remedy: phrase`use the same settings, or give another ${STATE}`,
  });
}

/** @throws FirstseenError E_STATE_DIFFERS that names every difference. */
export function checkSameSettings(saved: SavedRun, asked: SettingsRequest): void {
  const { path, note } = saved;
  const jobName = note.job?.name ?? UNNAMED_JOB;
  const found = jobName === asked.jobName ? differences(saved, asked.detector) : [otherJob(note.job)];
  const wordsOf = ({ format, keys, time, shard }: KeyNote) =>
    [
      `${format} by ${keys.length > 0 ? keys.join(', ') : 'whole records'}`,
      ...(time === undefined ? [] : [`at ${time}`]),
      ...(shard === undefined ? [] : [`in shard ${shard}`]),
    ].join(' ');
  if (wordsOf(note.key) !== wordsOf(asked.key)) {
    found.push(`records are ${wordsOf(note.key)} in the state, not ${wordsOf(asked.key)}`);
  }
  if (found.length === 0) return;
  throw stateDiffers(path, found);
}

const NEWLINE = 0x0a;

/** Whether a run can continue with an input. If one before the current input has grown, its new records would be missed. */
function isUnchanged({ note, comparisons }: SavedRun, index: number): boolean {
  const compared = comparisons[index];
  return compared === 'same' || (compared === 'grown' && index >= note.run.input);
}

function isSameRun(saved: SavedRun, { emit, annotate, sources, outputs }: ResumeRequest): boolean {
  const { run } = saved.note;
  if (run.emit !== emit || run.annotate !== annotate) return false;
  if (JSON.stringify(run.outputs) !== JSON.stringify(outputs)) return false;
  return run.inputs.length === sources.length && sources.every((_, i) => isUnchanged(saved, i));
}

/** What was missing at the end of an input that has grown, so that its last record was incomplete. */
function lackedAtEnd({ note, bytesAround }: SavedRun, format: FormatName): string | undefined {
  if (format === 'u64') return note.run.offset % U64_RECORD_BYTES === 0 ? undefined : 'bytes of the integer';
  const [last, next] = bytesAround;
  return last === NEWLINE || next === undefined ? undefined : 'newline';
}

/** @throws FirstseenError E_STATE_RUN when a finished run took an incomplete record for a whole one. */
function checkWholeRecords(saved: SavedRun, { format, sources }: ResumeRequest): void {
  const { input, offset } = saved.note.run;
  if (saved.comparisons[input] !== 'grown' || offset === 0) return;
  const lacked = lackedAtEnd(saved, format);
  if (lacked === undefined) return;
  throw new FirstseenError(
    'E_STATE_RUN',
    `${sources[input]?.name} has grown since state ${saved.path} was saved, when its last record had no ${lacked} and was incomplete`,
    { remedy: phrase`use ${NEW_RUN} and another output to read the file again` },
  );
}

function shownRun(inputs: readonly string[], outputs: readonly OutputNote[]): string {
  return `from ${inputs.join(', ')} to ${outputs.map(({ path }) => path ?? 'standard output').join(', ')}`;
}

/** Names the inputs that have changed, where names alone do not show the difference. */
function changedInputs(saved: SavedRun, { sources }: ResumeRequest): string {
  const { inputs } = saved.note.run;
  const changed = sources.filter(({ note }, i) => inputs[i]?.path === note.path && !isUnchanged(saved, i));
  return changed.length > 0 ? ` and ${changed.map(({ name }) => name).join(', ')} has changed` : '';
}

/** @throws FirstseenError E_STATE_RUN when a new run with the detector of the state would overwrite an output of its last run. */
function checkOutputKept({ heldOutput, path }: SavedRun, { isReadOnly = false }: ResumeRequest): void {
  if (heldOutput === undefined) return;
  throw new FirstseenError(
    'E_STATE_RUN',
    `${heldOutput} contains the output of an earlier run with state ${path}, which was a different run`,
    { remedy: isReadOnly ? 'name another output' : phrase`name another output, or use ${NEW_RUN} to overwrite it` },
  );
}

/**
 * The run to continue, or undefined to start a new run with the detector of the state.
 * @throws FirstseenError E_STATE_RUN when the state holds an unfinished run with other inputs or outputs, or a finished run whose
 * input was incomplete; when a new run would overwrite an output of the run in the state.
 */
export function runToResume(saved: SavedRun, request: ResumeRequest): RunNote | undefined {
  if (request.isNewRun) return undefined;
  if (request.isReadOnly) {
    checkOutputKept(saved, request);
    return undefined;
  }
  const { run } = saved.note;
  if (isSameRun(saved, request)) {
    if (!run.isFinished) return run;
    checkWholeRecords(saved, request);
    // A finished run over inputs that cannot be reread has nothing left to continue.
    if (run.inputs.every(({ isFile }) => isFile)) return run;
  } else if (!run.isFinished) {
    const now = shownRun(
      request.sources.map(({ note }) => note.path),
      request.outputs,
    );
    const before = shownRun(
      run.inputs.map(({ path }) => path),
      run.outputs,
    );
    throw new FirstseenError(
      'E_STATE_RUN',
      `state ${saved.path} holds an unfinished run ${before}, but this run is ${now}${changedInputs(saved, request)}`,
      { remedy: phrase`repeat that run to finish it, or use ${NEW_RUN} to keep only its detector` },
    );
  }
  checkOutputKept(saved, request);
  return undefined;
}
