// Runs a job over inputs: inspects the inputs and the state, settles everything, opens the run and runs it.

import { setTimeout as sleep } from 'node:timers/promises';
import { FirstseenError, optionName, type Phrase, phrase } from '../base/errors.js';
import type { BeginningRun } from '../checkpoint/begun.js';
import { heldOutputOf, knownRunOf, type MatchRequest } from '../checkpoint/matches.js';
import { inNotedOrder } from '../checkpoint/order.js';
import type { SavedRun } from '../checkpoint/resume.js';
import { RunState, type SavedState } from '../checkpoint/runstate.js';
import { followed } from '../io/file/follow.js';
import { checkColumns, checkFollowed, commonFormat, formatOfInput } from '../io/formats.js';
import type { OutputNote } from '../io/sink.js';
import { InputReplaced, type InputRequest, type LookOptions, type Source } from '../io/source.js';
import { lookAtInput, requestOf } from '../io/sources.js';
import { OpenStores } from '../io/store/openstores.js';
import { Folders } from '../io/system/folders.js';
import { linkedFile, realPathOf } from '../io/system/identity.js';
import { checkOpenFiles, processorsHere } from '../io/system/limits.js';
import { readSecretFile } from '../io/system/secretfile.js';
import { tableAs } from '../records/dialect.js';
import { fieldsOf } from '../records/equality.js';
import { type InputFormatName, recordFormatOf } from '../records/formats.js';
import { fieldsOfTime } from '../records/timekeys.js';
import { InPlace } from './inplace.js';
import type { Job } from './job.js';
import type { KeyRequest } from './keys.js';
import { withKeyOptions } from './missingkeys.js';
import { checkApart, checkNames, checkStandardOutput, type FileUse, filesWritten } from './names.js';
import { openRun } from './open.js';
import { checkOutputFolder } from './outputfolder.js';
import { notedOrder } from './resolve/inputs.js';
import { outputsOf } from './resolve/outputs.js';
import { resolveRun } from './resolve.js';
import { checkedSource, withSeparator } from './separator.js';
import type { OutputOptions, ReportOptions, SettledOptions, StateOptions, TimeOptions } from './settled.js';
import type { RunStats } from './stats.js';

/** A request to run a job over records. */
export interface JobRequest<Asked> {
  job: Job<Asked>;
  asked: Asked;
  options: SettledOptions;
  /** The inputs that are read, with the files of folders in place of the folders. */
  inputs: readonly InputRequest[];
  /** Guessed from the names of the inputs by default. */
  format?: InputFormatName | undefined;
  /** True if the format follows from the names of the inputs, so that their content is looked at; false by default. */
  isFormatGuessed?: boolean | undefined;
  key: KeyRequest;
  /** The stores that the inputs were looked up in; the run's own by default. */
  stores?: OpenStores;
  onFailure?: ((stats: RunStats) => void) | undefined;
}

/** @throws FirstseenError E_USAGE when a name is invalid, or when a file would be both read and written, or written twice. */
function checkFiles({ detector, output, state: { state } }: SettledOptions, inputs: readonly InputRequest[]): void {
  const { secretFile } = detector;
  const written = { ...output, state };
  checkNames(written);
  const read = inputs.map((input): FileUse => [input, 'an input']);
  if (secretFile !== undefined) read.push([requestOf(secretFile), 'the secret file']);
  checkApart(read, filesWritten(written));
  if (outputsOf(output).some(({ path }) => path === null)) checkStandardOutput(read.map(([file]) => file));
}

/** A link to a state stays one: the file that it leads to is replaced, and locked. */
function withLinkedState(options: StateOptions): StateOptions {
  return options.state === undefined ? options : { ...options, state: linkedFile(options.state) };
}

/** The options with the time format of inputs that say their times have no zone. @throws FirstseenError as `checkColumns` */
function withTimeFormat(options: TimeOptions, keys: readonly string[], sources: readonly Source[]): TimeOptions {
  const { timeKey, timeFormat } = options;
  const hasLocalTimes = checkColumns(sources, { keys, timeKeys: fieldsOfTime(timeKey) });
  return hasLocalTimes && timeFormat === undefined ? { ...options, timeFormat: 'iso' } : options;
}

/** Time between two looks for a log that does not exist. */
const LOG_MILLISECONDS = 250;

/** Waits for the log to follow, and says so once if that takes long. Until the run begins, a signal ends the process. */
async function waitForLog(log: InputRequest | undefined, { onWarning }: ReportOptions): Promise<void> {
  for (let looks = 0; log?.file?.isAwaited(); looks++) {
    if (looks === 1) onWarning?.(new FirstseenError('E_INPUT', `${log.name} does not exist yet; waiting for it`));
    await sleep(LOG_MILLISECONDS);
  }
}

async function lookAtAll(
  inputs: readonly InputRequest[],
  format: InputFormatName,
  folders: Folders,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const input of inputs) sources.push(await lookAtInput(input, format, folders));
  return sources;
}

/** The inputs, of which the last is read on as it grows. */
async function withFollowed(sources: readonly Source[], options: LookOptions): Promise<readonly Source[]> {
  const last = sources.at(-1) as Source;
  checkFollowed(last);
  return [...sources.slice(0, -1), await followed(last, options)];
}

/** @throws FirstseenError E_USAGE for a run that only reads a state but has none, or asks for what writes it. */
function checkReadOnly({ isReadOnly, isNewRun, state }: StateOptions): void {
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

async function savedRun(saved: SavedState, path: string, inputs: MatchRequest): Promise<SavedRun> {
  const { note, header, savedMilliseconds } = saved;
  const known = await knownRunOf(note, { ...inputs, savedMilliseconds });
  return { path, note, settings: header.settings, asked: note.asked, known };
}

/** A run with its inputs in the order that the state has noted, if it goes on with an order of its own. */
function inOrderOf(
  run: BeginningRun,
  { state, isNewRun, isReadOnly }: StateOptions,
  saved: SavedState | undefined,
): BeginningRun {
  if (run.order === undefined || state === undefined || isNewRun || isReadOnly) return run;
  return { ...run, sources: inNotedOrder(state, run, saved?.note) };
}

function formatOf<Asked>({ format, inputs }: JobRequest<Asked>): InputFormatName {
  return format ?? commonFormat(inputs);
}

/** The request with its table as it is read. */
function withTable<Asked>(request: JobRequest<Asked>): JobRequest<Asked> {
  const { format, options } = tableAs(formatOf(request), request.options.records);
  return { ...request, format, options: { ...request.options, records: options } };
}

/** The outputs with their real paths, as they are before the run. */
function lookAtOutputs(options: OutputOptions): OutputNote[] {
  return outputsOf(options).map((note) => (note.path === null ? note : { ...note, realPath: realPathOf(note.path) }));
}

/** @param state the state, if there is one */
async function runWith<Asked>(
  request: JobRequest<Asked>,
  options: SettledOptions,
  state: RunState | undefined,
): Promise<RunStats> {
  const { inputs, job, asked, key, isFormatGuessed, onFailure, stores = new OpenStores() } = request;
  const { emit, annotate } = options.output;
  const { secretFile } = options.detector;
  const secret = secretFile === undefined ? undefined : await readSecretFile(secretFile);
  const fileFormat = formatOf(request);
  const format = recordFormatOf(fileFormat, fieldsOf(key.keys, key.equality));
  const folders = new Folders();
  const inspected = await lookAtAll(inputs, fileFormat, folders);
  const separation = await withSeparator(options, format, inspected, key.keys);
  const { isBinary } = formatOfInput(inputs.at(-1) as InputRequest, fileFormat);
  const growing = options.input.isFollowing
    ? await withFollowed(separation.sources, { isBinary, folders })
    : separation.sources;
  const readable = growing.map((source, i) => (i === 0 && separation.mayNameLater ? checkedSource(source) : source));
  state?.checkInputsFit(readable.map(({ note }) => note));
  const outputs = lookAtOutputs(options.output);
  const saved = await state?.read();
  try {
    const order = notedOrder(options.input);
    const files = inOrderOf({ sources: readable, outputs, emit, annotate, order }, options.state, saved);
    const { sources } = files;
    const heldOutput = state && (await heldOutputOf(outputs, stores));
    const runRequest = {
      ...{
        options: { ...options, records: separation.records, time: withTimeFormat(options.time, key.keys, sources) },
        format,
        key,
        isFormatGuessed,
        job,
        asked,
        sources,
        secret,
        outputs,
        heldOutput,
        processors: processorsHere(),
      },
      isBegun: state?.isBegun(files) ?? false,
      areBegun: (some: readonly OutputNote[]) => state?.mayHaveWritten(some) ?? false,
    };
    const resolved = resolveRun(runRequest, saved && state && (await savedRun(saved, state.path, files)));
    const run = await openRun(resolved, saved, state, stores);
    if (!resolved.inputs.isDone) await state?.noteBegun(files);
    options.report.onReady?.(() => run.statsSoFar());
    return await run.toEnd(onFailure);
  } finally {
    await saved?.close();
  }
}

/** The number of times that a run looks at its inputs if log rotation replaces one before it is opened. */
const MAX_LOOKS = 10;

/** Time before the second look. It grows with each look. */
const PAUSE_MILLISECONDS = 20;

/** Tells if a run can begin again after it has written something: the outputs are cut back to the state. */
function isRepeatable({ state, output }: SettledOptions): boolean {
  const savesState = state.state !== undefined && !state.isReadOnly;
  return savesState && outputsOf(output).every(({ path }) => path !== null);
}

/** Runs a job again if an input was replaced between the look at it and its opening. */
async function runLooking<Asked>(
  request: JobRequest<Asked>,
  options: SettledOptions,
  run: (request: JobRequest<Asked>) => Promise<RunStats>,
): Promise<RunStats> {
  for (let looks = 1; ; looks++) {
    let failed: RunStats | undefined;
    const onFailure = (stats: RunStats) => {
      failed = stats;
    };
    try {
      return await run({ ...request, onFailure });
    } catch (error) {
      const canRepeat = (failed?.bytesIn ?? 0) === 0 || isRepeatable(options);
      if (error instanceof InputReplaced && canRepeat && looks < MAX_LOOKS) {
        await sleep(looks * PAUSE_MILLISECONDS);
        continue;
      }
      if (failed) request.onFailure?.(failed);
      throw error;
    }
  }
}

/** The policies for records that a run would stop at. */
const policies: ReadonlySet<string> = new Set(['onError', 'missingKey', 'emptyKey']);

/** Tells if a remedy is another policy. */
function namesPolicy(remedy: string | Phrase | undefined): remedy is Phrase {
  return Array.isArray(remedy) && remedy.some((part) => typeof part === 'object' && policies.has(part.option));
}

/** The error of a record at which a run with a state stops. The next run begins at that record, so another policy is needed once. */
function onceInState(error: unknown, { state, isReadOnly }: StateOptions): unknown {
  if (state === undefined || isReadOnly || !(error instanceof FirstseenError)) return error;
  const { code, problem, details } = error.data;
  if (!namesPolicy(details.remedy)) return error;
  const remedy = phrase`${details.remedy}; one run with that policy is enough, because later runs go on after the record`;
  return new FirstseenError(code, problem, { ...details, remedy, cause: error });
}

/**
 * Runs a job over the inputs.
 * @throws FirstseenError for every failure of a run; OutputClosed when the reader of an output has closed it.
 */
export async function runJob<Asked>(jobRequest: JobRequest<Asked>): Promise<RunStats> {
  const request = withTable(jobRequest);
  const linked = { ...request.options, state: withLinkedState(request.options.state) };
  const { inputs } = request;
  const inPlace = InPlace.of(linked, inputs, formatOf(request));
  const options = inPlace?.options ?? linked;
  checkFiles(options, inputs);
  const { outputFolder } = options.output;
  if (outputFolder !== undefined) checkOutputFolder(outputFolder, options, inputs, formatOf(request));
  checkReadOnly(options.state);
  checkOpenFiles();
  if (options.input.isFollowing) await waitForLog(inputs.at(-1), options.report);
  const { state: path, isReadOnly } = options.state;
  const { onWarning } = options.report;
  const state = path === undefined ? undefined : await RunState.open(path, { isReadOnly, onWarning });
  try {
    const run = () => runLooking(request, options, (again) => runWith(again, options, state));
    return await (inPlace ? inPlace.around(run) : run());
  } catch (error) {
    throw withKeyOptions(onceInState(error, options.state), request.key);
  } finally {
    await state?.close();
  }
}
