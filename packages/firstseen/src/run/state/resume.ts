// What a saved state means for the run that is asked for: refused, gone on with, or only its detector kept. Everything that
// files have to be read for was found before.

import { FirstseenError } from '../../errors.js';
import { U64_RECORD_BYTES } from '../../kernel/abi.js';
import type { PlannedOptions } from '../../plan/auto.js';
import type { FormatName } from '../../records/formats.js';
import type { Comparison, Source } from '../input/contract.js';
import { type JobNote, UNNAMED_JOB } from '../job.js';
import type { Emission } from '../options.js';
import type { OutputNote } from '../output/contract.js';
import { differences, type SavedDetector } from './asked.js';
import type { KeyNote, RunNote, StateNote } from './note.js';

/** What the files of a run say of the run in its state. */
export interface SavedFindings {
  /** How each input compares with the one in the state of the same number. */
  comparisons: readonly Comparison[];
  /** The byte before the end of what was taken of the input at hand, and the next; none where it has not grown. */
  bytesAround: Uint8Array;
  /** An output that holds what the run in the state wrote, and which a fresh run would write over. */
  heldOutput: string | undefined;
}

/** A state as it bears on a run. */
export interface SavedRun extends SavedDetector, SavedFindings {
  path: string;
  note: StateNote;
}

export interface RunRequest {
  format: FormatName;
  emit: Emission;
  isNewRun: boolean;
  sources: readonly Source[];
  outputs: readonly OutputNote[];
}

function otherJob(job: JobNote | undefined): string {
  return job ? `it is one of firstseen ${job.name}` : 'it is one of exact duplicates, of the command without a name';
}

/** What is asked of the detector and of the records. */
export interface SettingsRequest {
  jobName: string;
  detector: PlannedOptions;
  key: KeyNote;
}

/** @throws FirstseenError E_STATE_DIFFERS naming every difference. */
export function checkSameSettings(saved: SavedRun, asked: SettingsRequest): void {
  const { path, note } = saved;
  const jobName = note.job?.name ?? UNNAMED_JOB;
  const found = jobName === asked.jobName ? differences(saved, asked.detector) : [otherJob(note.job)];
  const wordsOf = ({ format, keys, time }: KeyNote) =>
    `${format} by ${keys.length > 0 ? keys.join(', ') : 'whole records'}${time === undefined ? '' : ` at ${time}`}`;
  if (wordsOf(note.key) !== wordsOf(asked.key)) {
    found.push(`records are ${wordsOf(note.key)} there, not ${wordsOf(asked.key)}`);
  }
  if (found.length === 0) return;
  throw new FirstseenError(
    'E_STATE_DIFFERS',
    `state ${path} was saved with other settings: ${found.join('; ')}; ask for the same, or name another state`,
  );
}

const NEWLINE = 0x0a;

/** Whether a run can go on where it is with an input: of one before the input at hand, what has come since would be passed over. */
function isUnchanged({ note, comparisons }: SavedRun, index: number): boolean {
  const compared = comparisons[index];
  return compared === 'same' || (compared === 'grown' && index >= note.run.input);
}

function isSameRun(saved: SavedRun, { emit, sources, outputs }: RunRequest): boolean {
  const { run } = saved.note;
  if (run.emit !== emit || JSON.stringify(run.outputs) !== JSON.stringify(outputs)) return false;
  return run.inputs.length === sources.length && sources.every((_, i) => isUnchanged(saved, i));
}

/** What an input that has grown lacked at its end, so that its last record was only the beginning of one. */
function lackedAtEnd({ note, bytesAround }: SavedRun, format: FormatName): string | undefined {
  if (format === 'u64') return note.run.offset % U64_RECORD_BYTES === 0 ? undefined : 'bytes of the integer';
  const [last, next] = bytesAround;
  return last === NEWLINE || next === undefined ? undefined : 'newline';
}

/** @throws FirstseenError E_STATE_RUN when a finished run took the beginning of a record for a whole one. */
function checkWholeRecords(saved: SavedRun, { format, sources }: RunRequest): void {
  const { input, offset } = saved.note.run;
  if (saved.comparisons[input] !== 'grown' || offset === 0) return;
  const lacked = lackedAtEnd(saved, format);
  if (lacked === undefined) return;
  throw new FirstseenError(
    'E_STATE_RUN',
    `${sources[input]?.name} has grown, but it had no ${lacked} at its end when state ${saved.path} was saved, so that its last record was ` +
      'taken before it was whole; give --new-run and another output to read the file again',
  );
}

function shownRun(inputs: readonly string[], outputs: readonly OutputNote[]): string {
  return `from ${inputs.join(', ')} to ${outputs.map(({ path }) => path ?? 'standard output').join(', ')}`;
}

/** Names the inputs that are not what they were, where the names alone do not show the difference. */
function changedInputs(saved: SavedRun, { sources }: RunRequest): string {
  const { inputs } = saved.note.run;
  const changed = sources.filter(({ note }, i) => inputs[i]?.path === note.path && !isUnchanged(saved, i));
  return changed.length > 0 ? `, but ${changed.map(({ name }) => name).join(', ')} has changed since` : '';
}

/** A fresh run with a kept detector would not write again what an earlier one wrote. */
function checkOutputKept({ heldOutput, path }: SavedRun): void {
  if (heldOutput === undefined) return;
  throw new FirstseenError(
    'E_STATE_RUN',
    `${heldOutput} holds what an earlier run with state ${path} wrote, and the inputs are not those of that run; ` +
      'name another output, or give --new-run to write over it',
  );
}

/**
 * The run to go on with, or undefined to start a new one with the kept detector.
 * @throws FirstseenError E_STATE_RUN when the state holds an unfinished run of something else, or a finished one whose
 * input was not whole; when a fresh run would write over an output of the run in the state.
 */
export function runToResume(saved: SavedRun, request: RunRequest): RunNote | undefined {
  if (request.isNewRun) return undefined;
  const { run } = saved.note;
  if (isSameRun(saved, request)) {
    if (!run.isFinished) return run;
    checkWholeRecords(saved, request);
    // A finished run over what cannot be read again has nothing left to go on with.
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
      `state ${saved.path} holds an unfinished run ${before}, and this one is ${now}${changedInputs(saved, request)}; ` +
        'run the same command again to finish it, or give --new-run to keep only its detector',
    );
  }
  checkOutputKept(saved);
  return undefined;
}
