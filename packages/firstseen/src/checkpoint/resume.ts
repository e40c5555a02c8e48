// Decides what a saved state means for a new run: it is refused, it is continued, or only its detector is used. Everything that
// requires reading files was found out before.

import { FirstseenError, type OptionReference, optionName, phrase } from '../base/errors.js';
import type { InputOrder } from '../io/policies.js';
import type { OutputNote } from '../io/sink.js';
import { type InputNote, nameOf, type Source } from '../io/source.js';
import { isSamePath } from '../io/system/identity.js';
import { U64_RECORD_BYTES } from '../kernel/abi.js';
import type { PlannedOptions } from '../plan/auto.js';
import { equalityText } from '../records/equality.js';
import { BYTE_ORDER_MARK, type FormatName, NEWLINE, terminatorOf } from '../records/formats.js';
import { fieldsOfTime, shownFields } from '../records/timekeys.js';
import { differences, type SavedDetector } from './asked.js';
import { UNNAMED_JOB } from './jobnote.js';
import type { KnownInput } from './knowninput.js';
import type { KnownRun } from './matches.js';
import type { KeyNote, StateNote } from './note.js';
import { refuseOrder } from './order.js';
import type { InputStart } from './progress.js';

const STATE = optionName('state');
const NEW_RUN = optionName('isNewRun');
const CARRIAGE_RETURN = 0x0d;

/** A state, compared with the files of a run. */
export interface SavedRun extends SavedDetector {
  path: string;
  note: StateNote;
  /** The run of the state that this run may continue. */
  known: KnownRun | undefined;
}

export interface ResumeRequest {
  format: FormatName;
  isNewRun: boolean;
  isReadOnly?: boolean;
  isFollowing: boolean;
  /** The order of the inputs, unless it is the one in which they were given. */
  order?: InputOrder | undefined;
  sources: readonly Source[];
  outputs: readonly OutputNote[];
}

/** Returns the name of a job, for messages. */
function shownJob(name: string): string {
  return name === UNNAMED_JOB ? 'exact deduplication' : name;
}

/** The settings to compare with those of the state. */
export interface SettingsRequest {
  jobName: string;
  detector: PlannedOptions;
  key: KeyNote;
  /** The option that names the state; `state` by default. */
  option?: OptionReference;
}

/** The error for a state whose settings differ. */
export function stateDiffers(path: string, found: readonly string[], option: OptionReference = STATE): FirstseenError {
  return new FirstseenError('E_STATE_DIFFERS', `state ${path} was saved with other settings: ${found.join('; ')}`, {
    remedy: phrase`use the same settings, or give another ${option}`,
  });
}

/** Describes in words the settings that make two records the same, and the place of their times. */
function wordsOf({ format, keys, time, timeFormat, timeZone, shard, equality, ...dialect }: KeyNote): string {
  const at = time === undefined ? '' : ` at ${shownFields(fieldsOfTime(time))}`;
  const asText = timeFormat === undefined ? '' : ` written ${timeFormat}`;
  const part = shard === undefined ? '' : ` in shard ${shard}`;
  const zone = timeZone === undefined ? '' : ` in ${timeZone}`;
  const options = (['delimiter', 'quote', 'escape'] as const).filter((name) => dialect[name] !== undefined);
  const written = options.map((name) => ` with the ${name} ${dialect[name]}`).join('');
  const alike = equality ? ` ${equalityText(equality)}` : '';
  return `${format}${written} by ${keys.length > 0 ? keys.join(', ') : 'whole records'}${alike}${at}${asText}${zone}${part}`;
}

/**
 * Returns the settings that make two records the same in a run, with the delimiter of the state if no run has read a
 * record or a header by it.
 */
function keyFor({ key, totals, run }: StateNote, now: KeyNote): KeyNote {
  if (totals.records > 0 || run.header !== null) return now;
  const { delimiter: _, ...others } = now;
  return key.delimiter === undefined ? others : { ...others, delimiter: key.delimiter };
}

/** @throws FirstseenError E_STATE_DIFFERS that names every difference. */
export function checkSameSettings(savedRun: SavedRun, request: SettingsRequest): void {
  const { path, note } = savedRun;
  const jobName = note.job?.name ?? UNNAMED_JOB;
  const differenceTexts =
    jobName === request.jobName
      ? differences(savedRun, request.detector)
      : [`it is a state of ${shownJob(jobName)}, not of ${shownJob(request.jobName)}`];
  const [keyBefore, now] = [note.key, keyFor(note, request.key)].map(wordsOf);
  if (keyBefore !== now) differenceTexts.push(`records are ${keyBefore} in the state, not ${now}`);
  if (differenceTexts.length === 0) return;
  throw stateDiffers(path, differenceTexts, request.option);
}

/**
 * Tells if the inputs continue an unfinished run: the input that it was reading must be there, and each one after that. A run that
 * follows its input goes on with whatever is there now.
 */
function continuesUnfinished({ run, sources, known }: KnownRun, { isFollowing }: ResumeRequest): boolean {
  const [current, ...rest] = run.inputs.slice(run.input) as [InputNote, ...InputNote[]];
  // A file that log rotation had renamed may have another name now.
  const isThere = (input: InputNote) =>
    sources.some(({ note, isSameLog }) => isSameLog?.(input) ?? isSamePath(note, input));
  const isReadOn = known.some((input) => input !== undefined && isSamePath(input.read.input, current));
  return (isReadOn || ((isFollowing || run.offset === 0) && isThere(current))) && rest.every(isThere);
}

/** The end of the last record of an input that has grown, as it was when it was read. */
interface RecordEnding {
  /** Bytes of the newline that the record got since. */
  newlineBytes: number;
  /** The missing part, if the record was incomplete. */
  lacked?: string;
}

const wholeRecord: RecordEnding = { newlineBytes: 0 };

/** Bytes of the newline that follows a record; 0 if none does. A line keeps its carriage return. */
function newlineBytesAfter([first, second]: Uint8Array, format: FormatName): number {
  if (first === terminatorOf(format)) return 1;
  const isText = format !== 'lines' && format !== 'nul';
  return isText && first === CARRIAGE_RETURN && second === NEWLINE ? 2 : 0;
}

function recordEnding({ read: readNote, bytesAround }: KnownInput, format: FormatName): RecordEnding {
  const [last, ...next] = bytesAround;
  if (format === 'u64') {
    const isWhole = last === undefined || readNote.offset % U64_RECORD_BYTES === 0;
    return isWhole ? wholeRecord : { newlineBytes: 0, lacked: 'all bytes of its last integer' };
  }
  if (format === 'warc') {
    const isWhole = last === undefined || last === NEWLINE;
    return isWhole ? wholeRecord : { newlineBytes: 0, lacked: 'all bytes of its last record' };
  }
  // A byte order mark alone is not a record.
  const isBeforeRecords =
    readNote.lines === 0 && readNote.offset === BYTE_ORDER_MARK.length && last === BYTE_ORDER_MARK.at(-1);
  if (last === terminatorOf(format) || next.length === 0 || isBeforeRecords) return wholeRecord;
  const newlineBytes = newlineBytesAfter(Uint8Array.from(next), format);
  return newlineBytes > 0 ? { newlineBytes } : { newlineBytes: 0, lacked: 'a newline at its end' };
}

/** Bytes of the newline that completes the last record of an input, if it was read without one. */
export function newlineBytesOf(input: KnownInput, format: FormatName): number {
  return recordEnding(input, format).newlineBytes;
}

/** The inputs with an incomplete record that was read as a whole, and what the record lacked. */
function tornInputs({ sources, known }: KnownRun, format: FormatName): [Source, string][] {
  return known.flatMap((input, i) => {
    const lacked = input && recordEnding(input, format).lacked;
    return lacked === undefined ? [] : [[sources[i] as Source, lacked] as [Source, string]];
  });
}

/** The names of inputs whose last record was read in two parts. */
export function namesOfTorn(known: KnownRun, format: FormatName): string[] {
  return tornInputs(known, format).map(([{ name }]) => name);
}

/** @throws FirstseenError E_STATE_RUN when an earlier run took an incomplete record of an input for a whole one. */
function checkWholeRecords({ path }: SavedRun, knownRun: KnownRun, format: FormatName): void {
  // A rotated file is not refused, because the command line does not name it.
  const tornInput = tornInputs(knownRun, format).find(([source]) => knownRun.given.includes(source));
  if (!tornInput) return;
  const [{ name }, missingEnd] = tornInput;
  throw new FirstseenError(
    'E_STATE_RUN',
    `${name} has grown since state ${path} was saved; it did not have ${missingEnd} then, so an incomplete record was passed on`,
    { remedy: phrase`use ${NEW_RUN} and another output to read the file again` },
  );
}

function shownRun(inputs: readonly string[], outputs: readonly OutputNote[]): string {
  return `from ${inputs.join(', ')} to ${outputs.map(({ path }) => path ?? 'standard output').join(', ')}`;
}

/** The name of the input without a path that the run was reading, if it has changed. */
function changedName({ run, sources, known }: KnownRun): string[] {
  const current = run.inputs[run.input];
  const changed = sources.find(
    ({ note }, i) => known[i] === undefined && note.path === undefined && current && isSamePath(note, current),
  );
  return changed ? [changed.name] : [];
}

/** Names the inputs that have changed, where names alone do not show the difference. */
function changedInputs({ known }: SavedRun): string {
  const names = known ? [...known.replaced, ...changedName(known)] : [];
  return names.length === 0 ? '' : ` and ${names.join(', ')} has changed`;
}

/** @throws FirstseenError E_STATE_RUN that names the unfinished run and this one. */
function refuseOtherRun(savedRun: SavedRun, { sources, outputs }: ResumeRequest): never {
  const { inputs, outputs: outputsBefore } = savedRun.note.run;
  const namesOf = (notes: readonly InputNote[]) => notes.map(nameOf);
  const now = shownRun(namesOf(sources.map(({ note }) => note)), outputs);
  const runBefore = shownRun(namesOf(inputs), outputsBefore);
  throw new FirstseenError(
    'E_STATE_RUN',
    `state ${savedRun.path} holds an unfinished run ${runBefore}, but this run is ${now}${changedInputs(savedRun)}`,
    { remedy: phrase`repeat that run to finish it, or use ${NEW_RUN} to keep only its detector` },
  );
}

/** Tells if an input has nothing that was not read before. */
export function isRead(input: KnownInput | undefined): boolean {
  return (input?.read.isWhole ?? false) && input?.comparison === 'same';
}

/**
 * Returns the progress in the inputs of a known run.
 * @param isFollowing whether the last one is never read to its end
 */
export function startsOf(
  { known: knownInputs, sources }: KnownRun,
  format: FormatName,
  isFollowing: boolean,
): (InputStart | undefined)[] {
  const isFollowed = (index: number) => isFollowing && index === sources.length - 1;
  return knownInputs.map((input, i) => {
    if (!input) return undefined;
    return { read: input.read, isRead: isRead(input) && !isFollowed(i), newlineBytes: newlineBytesOf(input, format) };
  });
}

/**
 * The run to continue, or undefined to start a new run with the detector of the state.
 * @throws FirstseenError E_STATE_RUN when the state holds an unfinished run with other inputs or outputs, or in another order, or a finished run whose
 * input was incomplete.
 */
export function runToResume(savedRun: SavedRun, request: ResumeRequest): KnownRun | undefined {
  if (request.isNewRun || request.isReadOnly) return undefined;
  const { known: knownRun, note } = savedRun;
  const isDone = knownRun?.run.isFinished && knownRun.known.every(isRead);
  if (!note.run.isFinished && !isDone) {
    if (knownRun?.run !== note.run || !continuesUnfinished(knownRun, request)) refuseOtherRun(savedRun, request);
    if (note.run.order !== request.order) refuseOrder(savedRun, request.order);
  }
  if (knownRun?.run.isFinished) checkWholeRecords(savedRun, knownRun, request.format);
  return knownRun;
}

/** An output that exists, as a run finds it. */
export interface HeldOutput {
  output: OutputNote;
  state: string;
  /** The state, if it exists. */
  note: StateNote | undefined;
  /** True if the run only reads the state. Then it may overwrite what no run with the state has written. */
  isReadOnly: boolean;
}

/** @throws FirstseenError for an output that a new run would overwrite: E_STATE_RUN for one of an earlier run, otherwise E_OUTPUT. */
export function checkHeldOutput({ output, state, note, isReadOnly }: HeldOutput): void {
  const runs = note ? [note.run, ...note.finishedRuns] : [];
  const isOwn = runs.some((run) => run.outputs.some((runOutput) => isSamePath(runOutput, output)));
  const remedy = isReadOnly ? 'name another output' : phrase`name another output, or use ${NEW_RUN} to overwrite it`;
  if (isOwn) {
    const problem = `${output.path} contains the output of an earlier run with state ${state}, which was a different run`;
    throw new FirstseenError('E_STATE_RUN', problem, { remedy });
  }
  if (isReadOnly) return;
  const problem = `${output.path} already exists, and no run with state ${state} has written it`;
  throw new FirstseenError('E_OUTPUT', problem, { remedy });
}
