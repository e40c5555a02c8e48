// Settles everything that decides a run, from the options and from its state. It opens no file and creates no kernel.

import { defined } from '../base/defined.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { askedNote } from '../checkpoint/asked.js';
import { finishedRunsAfter } from '../checkpoint/finishedruns.js';
import type { KeyNote, RunNote } from '../checkpoint/note.js';
import {
  checkHeldOutput,
  checkSameSettings,
  namesOfTorn,
  runToResume,
  type SavedRun,
  startsOf,
} from '../checkpoint/resume.js';
import { cellsBytesOf, type DetectorSettings } from '../detectors/settings.js';
import type { Timing } from '../framing/batch.js';
import { noCounts } from '../framing/counts.js';
import { keyedScan } from '../framing/keyedscan.js';
import { folderOutput } from '../io/file/foldersink.js';
import { checkContinued, checkOutputs } from '../io/formats.js';
import { type InputOrder, type PartialPolicy, writtenFormatOf } from '../io/policies.js';
import type { OutputNote } from '../io/sink.js';
import type { Source } from '../io/source.js';
import { order as orderOption } from '../options/records.js';
import type { PlannedOptions } from '../plan/auto.js';
import { checkOtherLines } from '../records/comments.js';
import { dialectOf } from '../records/dialect.js';
import { fieldPlace } from '../records/fieldplace.js';
import type { FormatName } from '../records/formats.js';
import type { KeyRules } from '../records/policies.js';
import { encodeScanSettings, type ScanSettings } from '../records/settings.js';
import { timeProgram } from '../records/timeformat.js';
import { fieldsOfTime, formatOfTimes } from '../records/timekeys.js';
import { typesOf } from '../records/warc.js';
import { checkAnnotation } from './annotate.js';
import type { FolderKeys } from './foldercolumns.js';
import type { Job, ResolvedJob } from './job.js';
import { type KeyRequest, keyNoteOf, keySchemeFor, rulesOf, valuesOf } from './keys.js';
import { type RunRegionsRequest, regionsFor } from './regions.js';
import type {
  InputFindings,
  ResolvedInputs,
  ResolvedMemory,
  ResolvedRecords,
  ResolvedRun,
  ResolvedState,
} from './resolved.js';
import type {
  InputOptions,
  OutputOptions,
  RecordOptions,
  SettledOptions,
  StateOptions,
  TimeOptions,
} from './settled.js';
import { parseShard, type Shard } from './shard.js';
import { type ThreadsRequest, threadsFor, threadsMatter } from './threads.js';
import { checkUntrustedTimes } from './untrusted.js';

const FORMAT = optionName('format');
const TIME_KEY = optionName('timeKey');

/** A request for a run, with its inputs inspected. */
export interface RunRequest<Asked> extends KeyRequest {
  options: SettledOptions;
  job: Job<Asked>;
  /** The options of the job. */
  asked: Asked;
  sources: readonly Source[];
  /** The outputs with their real paths. By default, those of the options, as their paths are given. */
  outputs?: readonly OutputNote[];
  /** An output that is not empty. */
  heldOutput?: OutputNote | undefined;
  /** True if an earlier process began this run and wrote to its outputs, but saved no state after that. */
  isBegun?: boolean;
  /** Tells if an earlier process wrote to outputs of any run with the state, but saved no state after that. */
  areBegun?: (outputs: readonly OutputNote[]) => boolean;
  /** True if the format follows from the names of the inputs; false by default. */
  isFormatGuessed?: boolean | undefined;
  /** Returns the salt that the folders of an input add to its keys; nothing by default. */
  saltOf?: FolderKeys['saltOf'] | undefined;
  /** The secret in the secret file, if there is one. */
  secret?: PlannedOptions['secret'];
  /** Processors that this process may use; 1 by default. */
  processors?: number;
}

/** The outputs of a run: the main output, then those of the duplicates and of the names of documents. */
export function outputsOf({ output, outputFolder, duplicatesTo, idsTo, isCompressed }: OutputOptions): OutputNote[] {
  const path = outputFolder === undefined ? (output ?? null) : folderOutput(outputFolder);
  const notes: OutputNote[] = [{ path, isCompressed }];
  if (duplicatesTo !== undefined) notes.push({ path: duplicatesTo, isCompressed });
  if (idsTo !== undefined) notes.push({ path: idsTo, isCompressed, contents: 'ids' });
  return notes;
}

/** The error for an option that names a field where records have none. */
export function withoutFields(option: string, given: string, records: string): FirstseenError {
  return new FirstseenError('E_USAGE', phrase`${optionName(option)} was given, but ${records} have no fields`, {
    option,
    given,
    remedy: phrase`leave it out, or give another ${FORMAT}`,
  });
}

/** @throws FirstseenError E_USAGE for setting back the clock of a window without one. */
function checkClockReset({ isClockReset }: TimeOptions, { parameters }: DetectorSettings): void {
  if (!isClockReset || parameters.isTimed) return;
  const reset = optionName('isClockReset');
  throw new FirstseenError('E_USAGE', phrase`${reset} has no effect, because the window is not a duration`, {
    option: 'isClockReset',
    remedy: phrase`leave it out, or give a ${optionName('window')} such as 1h`,
  });
}

/** @throws FirstseenError E_USAGE for an option about times that is given without the key of the time. */
function checkTimeKey(option: string, given: string | undefined): void {
  if (given === undefined) return;
  throw new FirstseenError('E_USAGE', phrase`${optionName(option)} was given without ${TIME_KEY}`, {
    ...{ option, given },
    remedy: phrase`give ${TIME_KEY}, or leave ${optionName(option)} out`,
  });
}

/** Returns the scanner's settings for the time of a record. */
function timeSettings(
  { timeKey, timeFormat, timeZone, timeUntil }: TimeOptions,
  format: FormatName,
): Pick<ScanSettings, 'times' | 'timeProgram'> {
  if (timeKey === undefined) {
    for (const [option, given] of Object.entries({ timeFormat, timeZone, timeUntil })) checkTimeKey(option, given);
    return {};
  }
  const fields = fieldsOfTime(timeKey);
  const program = timeProgram(formatOfTimes(fields, timeFormat), { zone: timeZone, until: timeUntil });
  const times = fields.map((field) => {
    const place = fieldPlace(format, field, 'timeKey');
    if (place !== undefined) return place;
    throw withoutFields('timeKey', field, `records of format ${format}`);
  });
  return { times, timeProgram: program };
}

/** The source of times. @throws FirstseenError E_USAGE when there is a time key but the window is not a duration. */
function timingOf({ timeKey, now = Date.now, maxLead }: TimeOptions, settings: DetectorSettings): Timing {
  const { isTimed } = settings.parameters;
  if (timeKey === undefined) return isTimed ? now : 'none';
  if (isTimed) return { latest: () => now() + maxLead };
  throw new FirstseenError('E_USAGE', phrase`${TIME_KEY} was given, but the window is not a duration`, {
    option: 'timeKey',
    given: timeKey,
    remedy: phrase`give a ${optionName('window')} such as 1h, or leave ${TIME_KEY} out`,
  });
}

/** Returns the scanner's settings for the value that ranks a record. */
function rankSettings(rank: string | undefined, format: FormatName): Pick<ScanSettings, 'rank'> {
  if (rank === undefined) return {};
  const place = fieldPlace(format, rank, 'keep');
  if (place === undefined) throw withoutFields('keep', rank, `records of format ${format}`);
  return { rank: place };
}

function scanSettings<Asked>(
  { options, format, keys, lineKeys, equality }: RunRequest<Asked>,
  fingerprint: ScanSettings['fingerprint'],
  rules: KeyRules,
  { rank, texts }: Pick<ResolvedJob, 'rank' | 'texts'>,
): ScanSettings {
  const { maxRecordBytes, warcTypes, comment } = options.records;
  const dialect = dialectOf(options.records, format);
  checkOtherLines(options.records, format, dialect);
  return {
    ...keyedScan({
      format,
      fingerprint,
      maxRecordBytes,
      dialect,
      comment,
      equality,
      keys,
      rules,
      types: typesOf(warcTypes, format),
      lineKeys,
    }),
    ...timeSettings(options.time, format),
    ...rankSettings(rank, format),
    ...defined({ texts }),
  };
}

/** @throws FirstseenError E_USAGE for a job whose records cannot be divided by their keys. */
function shardOf({ shard }: RecordOptions, job: Job<never>): Shard | undefined {
  if (shard === undefined) return undefined;
  if (job.comparesKeys) return parseShard(shard);
  throw new FirstseenError(
    'E_USAGE',
    phrase`${optionName('shard')} was given, but similar documents have different keys`,
    {
      option: 'shard',
      given: shard,
      remedy: 'leave it out',
    },
  );
}

/** The settings of the state, after checking that they agree with the request; without a state, those requested. */
function settingsFor(
  resolved: ResolvedJob,
  job: Job<never>,
  key: KeyNote,
  saved: SavedRun | undefined,
): DetectorSettings {
  if (!saved) return { ...resolved.settings(), ...defined({ keyScheme: keySchemeFor(job, key) }) };
  const { detector } = resolved;
  checkSameSettings(saved, { jobName: job.name, detector, key });
  return detector.witness === false ? { ...saved.settings, witnessBytes: 0 } : saved.settings;
}

/** @throws FirstseenError E_USAGE when the job cannot emit what was asked for. */
function checkEmission(output: OutputOptions, job: Job<never>, format: FormatName): void {
  if (job.emissions.includes(output.emit)) {
    checkAnnotation(output, format);
    return;
  }
  const expected = `one of ${job.emissions.join(', ')} for this job`;
  throw invalidOption({ code: 'E_USAGE', option: 'emit', given: output.emit, expected });
}

/** Returns the policy for unfinished last records. An unfinished run goes on as it began, unless options differ. */
function partialPolicy(
  { partial }: InputOptions,
  { state, isReadOnly }: StateOptions,
  resumes: RunNote | undefined,
): PartialPolicy {
  if (partial !== undefined) return partial;
  if (resumes && !resumes.isFinished) return resumes.partial;
  // No later run continues one that only reads the state.
  return state === undefined || isReadOnly ? 'record' : 'wait';
}

/** Returns the options that decide how many threads a run may use. */
function threadOptions({ detector, time, output, input }: SettledOptions): ThreadsRequest['options'] {
  const { threads } = detector;
  return {
    threads,
    timeKey: time.timeKey,
    emit: output.emit,
    isFollowing: input.isFollowing,
  };
}

/** The order of the inputs, as states note it: none if it is the one in which they were given. */
export function notedOrder({ order }: InputOptions): InputOrder | undefined {
  return order === orderOption.default ? undefined : order;
}

/** The parts of a resolved run that follow from its state. */
interface Resumption
  extends Pick<ResolvedInputs, 'sources' | 'starts' | 'isDone' | 'findings'>,
    Pick<ResolvedState, 'resumes' | 'finishedRuns'> {}

const noFindings: InputFindings = { replaced: [], undecided: [], unrecognized: [], torn: [] };

/** @throws FirstseenError as `runToResume`, or when a new run with a state would overwrite an output. */
function resumption<Asked>(
  request: RunRequest<Asked>,
  saved: SavedRun | undefined,
  outputs: readonly OutputNote[],
): Resumption {
  const { options, format, sources, heldOutput, isBegun, areBegun } = request;
  const { isNewRun, isReadOnly, state } = options.state;
  const { isFollowing } = options.input;
  const order = notedOrder(options.input);
  const known = saved && runToResume(saved, { format, isNewRun, isReadOnly, isFollowing, order, sources, outputs });
  if (!known && state !== undefined && heldOutput && !isNewRun && !isBegun) {
    checkHeldOutput({ output: heldOutput, state, note: saved?.note, isReadOnly });
  }
  const finishedRuns = finishedRunsAfter(saved?.note, { resumes: known?.run, outputs, isBegun: areBegun });
  if (!known) return { resumes: undefined, sources, starts: [], isDone: false, finishedRuns, findings: noFindings };
  const starts = startsOf(known, format, isFollowing);
  const isDone = known.run.isFinished && starts.every((start) => start?.isRead);
  const { run, sources: found, replaced, undecided, unrecognized } = known;
  const findings = { replaced, undecided, unrecognized, torn: namesOfTorn(known, format) };
  return { resumes: run, starts, sources: found, isDone, finishedRuns, findings };
}

/**
 * Tells if a run writes what an earlier process wrote after the state was saved. Times of arrival differ, and so do random secrets
 * that no state has kept, which decide what else a detector takes for a repeat.
 */
function repeatsOutput({ state, isNewRun, isReadOnly }: StateOptions, timing: Timing, isKnown: boolean): boolean {
  return state !== undefined && !isNewRun && !isReadOnly && typeof timing !== 'function' && isKnown;
}

/** Returns the number of threads of the run, and its regions, for as many as there is memory for. */
function memoryFor<Asked>(
  { options, processors = 1, lineKeys }: RunRequest<Asked>,
  parts: Omit<RunRegionsRequest, 'threads'>,
  sources: readonly Source[],
): ResolvedMemory {
  const { settings, job } = parts;
  const wanted = threadsFor({
    options: threadOptions(options),
    sources,
    canUseThreads: (job.canUseThreads ?? false) && !lineKeys,
    processors,
    detectorBytes: cellsBytesOf(settings),
    pays: job.threadsPay,
  });
  const tellsOneThread = options.detector.threads !== 'auto' && threadsMatter(sources, options.input.isFollowing);
  return { ...regionsFor({ ...parts, threads: wanted }), tellsOneThread };
}

/** The keys of a run, and its settings. */
function settle<Asked>(request: RunRequest<Asked>, saved: SavedRun | undefined) {
  const { options, job: asked, format } = request;
  const keyRules = rulesOf(request, saved);
  const key = keyNoteOf(request, keyRules, valuesOf(request));
  const shard = shardOf(options.records, asked);
  const askedBefore = (saved?.asked ?? {}) as PlannedOptions;
  const job = asked.resolve(request.asked, { note: saved?.note.job, secret: request.secret, askedBefore });
  const settings = settingsFor(job, asked, key, saved);
  checkClockReset(options.time, settings);
  if (options.detector.isUntrusted) checkUntrustedTimes(options.time, settings);
  const timing = timingOf(options.time, settings);
  const scan = scanSettings(request, asked.takes === 'spans' ? 'spans' : settings.fingerprint, keyRules, job);
  checkEmission(options.output, asked, format);
  const records: ResolvedRecords = {
    ...options.records,
    key,
    emptyKey: keyRules.emptyKey,
    rank: job.rank,
    scan,
    isFormatGuessed: request.isFormatGuessed ?? false,
    saltOf: request.saltOf,
    shard,
    lineKeys: request.lineKeys,
  };
  return { job, settings, timing, records };
}

/**
 * Settles everything that decides a run.
 * @throws FirstseenError when the options contradict each other, the state, or the inputs and outputs.
 */
export function resolveRun<Asked>(request: RunRequest<Asked>, saved: SavedRun | undefined): ResolvedRun {
  const { options, isBegun = false, outputs: notes = outputsOf(request.options.output) } = request;
  const { job, settings, timing, records } = settle(request, saved);
  const written = writtenFormatOf(options.output.emit, records.key.format);
  const names = { given: options.input.inputs, written };
  checkOutputs(notes, { ...options.output, ...names, sources: request.sources });
  const { resumes, finishedRuns, isDone: isRead, ...found } = resumption(request, saved, notes);
  const memory = memoryFor(request, { settings, job, scan: records.scan, outputCount: notes.length }, found.sources);
  // Invalid keys must fail before any output is opened.
  encodeScanSettings(records.scan, memory.regions.scratch);
  // A run that leaves out the witness of its state saves the state without it.
  const isDone = isRead && settings.witnessBytes === saved?.settings.witnessBytes;
  if (resumes && !isDone) checkContinued(notes);
  const isRepeated = repeatsOutput(options.state, timing, resumes !== undefined || settings.secret === undefined);
  const asked = { ...saved?.asked, ...askedNote(job.detector) };
  const totals = saved?.note.totals ?? noCounts;
  return {
    detector: { job, settings },
    records,
    clock: { ...options.time, maxLeadMilliseconds: options.time.maxLead, timing },
    inputs: {
      ...{ ...found, isDone, isFollowing: options.input.isFollowing, order: notedOrder(options.input) },
      partial: partialPolicy(options.input, options.state, resumes),
    },
    outputs: {
      ...options.output,
      names,
      notes,
      isBegun,
      isRepeated,
    },
    state: { resumes, asked, totals, finishedRuns, periodMilliseconds: options.state.checkpoint },
    memory,
    report: options.report,
  };
}
