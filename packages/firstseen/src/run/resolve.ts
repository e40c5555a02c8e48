// Settles everything that decides a run, from the options and from its state. It opens no file and creates no kernel.

import { isDeepStrictEqual } from 'node:util';
import { defined } from '../base/defined.js';
import { FirstseenError, invalidOption, optionName, phrase } from '../base/errors.js';
import { type AskedNote, askedNote } from '../checkpoint/asked.js';
import { finishedRunsAfter } from '../checkpoint/finishedruns.js';
import type { UnrecognizedFiles } from '../checkpoint/matches.js';
import type { KeyNote, RunNote } from '../checkpoint/note.js';
import type { InputStart } from '../checkpoint/progress.js';
import {
  checkHeldOutput,
  checkSameSettings,
  namesOfTorn,
  runToResume,
  type SavedRun,
  startsOf,
} from '../checkpoint/resume.js';
import { cellsBytesOf, type DetectorSettings, kernelSizes } from '../detectors/settings.js';
import type { Timing } from '../framing/batch.js';
import { noCounts, type RunCounts } from '../framing/counts.js';
import { keyedScan } from '../framing/keyedscan.js';
import { checkContinued, checkOutputs, guessFormat, isAllOrNothing } from '../io/formats.js';
import type { PartialPolicy } from '../io/policies.js';
import type { OutputNote } from '../io/sink.js';
import type { Source } from '../io/source.js';
import { MOST_MEMORY_BYTES, regionOffset } from '../kernel/kernel.js';
import type { PlannedOptions } from '../plan/auto.js';
import { type FormatName, recordFormats } from '../records/formats.js';
import { parseKeyPath } from '../records/keypath.js';
import { documentScheme, type KeyScheme, type KeySchemeFormat } from '../records/keyscheme.js';
import { type KeyRules, keyRuleDefaults, plainKeyRules } from '../records/policies.js';
import { encodeScanSettings, type ScanSettings } from '../records/settings.js';
import { timeProgram } from '../records/timeformat.js';
import { checkAnnotation } from './annotate.js';
import type { Job, ResolvedJob } from './job.js';
import { layOutRegions, type Regions } from './regions.js';
import type {
  InputOptions,
  OutputOptions,
  RecordOptions,
  SettledOptions,
  StateOptions,
  TimeOptions,
} from './settled.js';
import { parseShard, type Shard } from './shard.js';
import { type ThreadsRequest, threadsFor } from './threads.js';

const FORMAT = optionName('format');
const TIME_KEY = optionName('timeKey');

/** A request for a run, with its inputs inspected. */
export interface RunRequest<Asked> {
  options: SettledOptions;
  format: FormatName;
  keys: readonly string[];
  /** The rules for keys without content that were asked for, if the job takes any. */
  keyRules?: Partial<KeyRules> | undefined;
  job: Job<Asked>;
  /** The options of the job. */
  asked: Asked;
  sources: readonly Source[];
  /** The outputs with their real paths. By default, those of the options, as their paths are given. */
  outputs?: readonly OutputNote[];
  /** An output that is not empty. */
  heldOutput?: OutputNote | undefined;
  /** Whether an earlier process began this run and wrote to its outputs, but saved no state after that. */
  isBegun?: boolean;
  /** Whether an earlier process wrote to outputs of any run with the state, but saved no state after that. */
  areBegun?: (outputs: readonly OutputNote[]) => boolean;
  /** The secret in the secret file, if there is one. */
  secret?: PlannedOptions['secret'];
  /** Processors that this process may use; 1 by default. */
  processors?: number;
}

/** A run with everything settled. */
export interface ResolvedRun extends SettledOptions {
  readonly sources: readonly Source[];
  readonly outputs: readonly OutputNote[];
  readonly key: KeyNote;
  readonly keyRules: KeyRules;
  /** The options of the detector that were given to this run and to those before it. */
  readonly asked: AskedNote;
  readonly job: ResolvedJob;
  readonly settings: DetectorSettings;
  readonly scan: ScanSettings;
  readonly timing: Timing;
  /** The shard of the stream that the run takes; undefined for all records. */
  readonly shard: Shard | undefined;
  readonly regions: Regions;
  /** The number of threads, with that of the caller. */
  readonly threads: number;
  /** Bytes after the detector: the regions of the job and of the run. */
  readonly regionBytes: number;
  readonly partial: PartialPolicy;
  /** Whether an output is valid only when the run has reached its end, so that no state is saved before that. */
  readonly savesAtEnd: boolean;
  /** The run to continue; undefined for a new run. */
  readonly resumes: RunNote | undefined;
  /** The counts of all earlier runs with the state. */
  readonly totals: RunCounts;
  /** How far each input was read before. */
  readonly starts: readonly (InputStart | undefined)[];
  /** Whether the outputs may hold more than the state says, which this run writes again. */
  readonly isBegun: boolean;
  /** Whether the run to continue is finished, and has nothing new to read. */
  readonly isDone: boolean;
  /** The names of inputs that have become other files since they were read, where the earlier file is gone. */
  readonly replaced: readonly string[];
  /** The names of inputs that are other files than those that were read, and begin with the same few bytes. */
  readonly undecided: readonly string[];
  /** Logs that were rotated, and files that may belong to them, which are not read. */
  readonly unrecognized: readonly UnrecognizedFiles[];
  /** The names of inputs with an incomplete record that was read as a whole. The rest of the record is read now. */
  readonly torn: readonly string[];
  readonly finishedRuns: readonly RunNote[];
}

/** The error for inputs whose names suggest several formats. */
export function ambiguousFormat(formats: readonly string[]): FirstseenError {
  return new FirstseenError('E_USAGE', `the names of the inputs suggest the formats ${formats.join(' and ')}`, {
    option: 'format',
    remedy: phrase`give ${FORMAT}`,
  });
}

/** The format that the names of the inputs suggest. @throws FirstseenError E_USAGE when they suggest several. */
export function commonFormat(inputs: readonly string[]): FormatName {
  const guesses = new Set(inputs.map((path) => guessFormat(path)));
  const [format] = guesses;
  if (format && guesses.size === 1) return format;
  throw ambiguousFormat([...guesses]);
}

/** The outputs of a run: the main output, then the output of the duplicates. */
export function outputsOf({ output, duplicatesTo, isCompressed }: OutputOptions): OutputNote[] {
  const notes: OutputNote[] = [{ path: output ?? null, isCompressed }];
  if (duplicatesTo !== undefined) notes.push({ path: duplicatesTo, isCompressed });
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

/** Where the scanner finds the time of a record. */
function timeSettings(
  { timeKey, timeFormat, timeZone }: TimeOptions,
  format: FormatName,
): Pick<ScanSettings, 'time' | 'timeProgram'> {
  if (timeKey === undefined) {
    checkTimeKey('timeFormat', timeFormat);
    checkTimeKey('timeZone', timeZone);
    return {};
  }
  const kind = recordFormats[format].keys;
  // As with keys, the column is unknown until the header is read.
  const program = timeProgram(timeFormat ?? 'auto', timeZone);
  if (kind !== 'none') return { time: kind === 'paths' ? parseKeyPath(timeKey) : 0, timeProgram: program };
  throw withoutFields('timeKey', timeKey, `records of format ${format}`);
}

/** The source of times. @throws FirstseenError E_USAGE when there is a time key but the window is not a duration. */
function timingOf({ timeKey, now = Date.now, maxLeadSeconds }: TimeOptions, settings: DetectorSettings): Timing {
  const { isTimed } = settings.parameters;
  if (timeKey === undefined) return isTimed ? now : 'none';
  if (isTimed) return { latest: () => now() + maxLeadSeconds * 1000 };
  throw new FirstseenError('E_USAGE', phrase`${TIME_KEY} was given, but the window is not a duration`, {
    option: 'timeKey',
    given: timeKey,
    remedy: phrase`give a ${optionName('window')} such as 1h, or leave ${TIME_KEY} out`,
  });
}

function scanSettings<Asked>(
  { options, format, keys }: RunRequest<Asked>,
  fingerprint: ScanSettings['fingerprint'],
  rules: KeyRules,
): ScanSettings {
  const { maxRecordBytes } = options.records;
  return { ...keyedScan({ format, fingerprint, maxRecordBytes, keys, rules }), ...timeSettings(options.time, format) };
}

/** The rules of the run. Rules that are not given are those of the state, or else the defaults. */
export function rulesOf<Asked>(
  { keys, keyRules }: Pick<RunRequest<Asked>, 'keys' | 'keyRules'>,
  saved: SavedRun | undefined,
): KeyRules {
  if (keyRules === undefined || keys.length === 0) return plainKeyRules;
  const before = saved ? (saved.note.key.rules ?? plainKeyRules) : keyRuleDefaults;
  return { ...before, ...keyRules };
}

export interface KeyNoteRequest extends Pick<RunRequest<unknown>, 'format' | 'keys'> {
  options: { records: Pick<RecordOptions, 'shard'>; time: Pick<TimeOptions, 'timeKey' | 'timeFormat' | 'timeZone'> };
}

export function keyNoteOf({ format, keys, options }: KeyNoteRequest, rules: KeyRules): KeyNote {
  const { shard } = options.records;
  const { timeKey: time, timeFormat, timeZone } = options.time;
  return {
    ...{ format, keys: [...keys] },
    ...defined({ time, timeFormat, timeZone, shard }),
    ...(isDeepStrictEqual(rules, plainKeyRules) ? {} : { rules }),
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

/** How the elements of a new detector are made. A whole record needs no scheme: it is the bytes that a program has too. */
function keySchemeFor({ takes }: Job<never>, { format, keys }: KeyNote): KeyScheme | undefined {
  if (takes === 'spans') return documentScheme;
  return keys.length > 0 ? { format: format as KeySchemeFormat, keys } : undefined;
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

interface RunRegionsRequest {
  settings: DetectorSettings;
  job: ResolvedJob;
  scan: ScanSettings;
  outputCount: number;
  threads: number;
}

/** The regions of the job, followed by those of the run, and their size in all, for as many of the threads as there is memory for. */
function regionsFor(request: RunRegionsRequest): Pick<ResolvedRun, 'regions' | 'regionBytes' | 'threads'> {
  const { settings, job, scan, outputCount, threads } = request;
  const start = regionOffset(kernelSizes(settings));
  const regions = layOutRegions({ regionOffset: job.regionsEnd(start, threads), scan, outputCount, threads });
  if (threads > 1 && regions.end > MOST_MEMORY_BYTES) return regionsFor({ ...request, threads: threads - 1 });
  return { regions, regionBytes: regions.end - start, threads };
}

/** What to do with unfinished last records. An unfinished run goes on as it began, unless it is told otherwise. */
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

/** What decides how many threads a run may use. */
function threadOptions({ detector, time, output, state, input }: SettledOptions): ThreadsRequest['options'] {
  const { threads } = detector;
  return {
    threads,
    timeKey: time.timeKey,
    emit: output.emit,
    isReadOnly: state.isReadOnly,
    isFollowing: input.isFollowing,
  };
}

/** What a run takes from its state. */
type Resumption = Pick<
  ResolvedRun,
  'resumes' | 'starts' | 'sources' | 'isDone' | 'replaced' | 'undecided' | 'unrecognized' | 'torn' | 'finishedRuns'
>;

/** @throws FirstseenError as `runToResume`, or when a new run with a state would overwrite an output. */
function resumption<Asked>(
  request: RunRequest<Asked>,
  saved: SavedRun | undefined,
  outputs: readonly OutputNote[],
): Resumption {
  const { options, format, sources, heldOutput, isBegun, areBegun } = request;
  const { isNewRun, isReadOnly, state } = options.state;
  const { isFollowing } = options.input;
  const known = saved && runToResume(saved, { format, isNewRun, isReadOnly, isFollowing, sources, outputs });
  if (!known && state !== undefined && heldOutput && !isNewRun && !isBegun) {
    checkHeldOutput({ output: heldOutput, state, note: saved?.note, isReadOnly });
  }
  const finishedRuns = finishedRunsAfter(saved?.note, { resumes: known?.run, outputs, isBegun: areBegun });
  if (!known) {
    const none = { starts: [], replaced: [], undecided: [], unrecognized: [], torn: [] };
    return { resumes: undefined, sources, isDone: false, finishedRuns, ...none };
  }
  const starts = startsOf(known, format, isFollowing);
  const isDone = known.run.isFinished && starts.every((start) => start?.isRead);
  const torn = namesOfTorn(known, format);
  const { run, sources: found, replaced, undecided, unrecognized } = known;
  return { resumes: run, starts, sources: found, isDone, replaced, undecided, unrecognized, torn, finishedRuns };
}

/**
 * Settles everything that decides a run.
 * @throws FirstseenError when the options contradict each other, the state, or the inputs and outputs.
 */
export function resolveRun<Asked>(request: RunRequest<Asked>, saved: SavedRun | undefined): ResolvedRun {
  const { options, job, isBegun = false } = request;
  const keyRules = rulesOf(request, saved);
  const key = keyNoteOf(request, keyRules);
  const shard = shardOf(options.records, job);
  const askedBefore = (saved?.asked ?? {}) as PlannedOptions;
  const resolved = job.resolve(request.asked, { note: saved?.note.job, secret: request.secret, askedBefore });
  const settings = settingsFor(resolved, job, key, saved);
  checkClockReset(options.time, settings);
  const timing = timingOf(options.time, settings);
  const scan = scanSettings(request, job.takes === 'spans' ? 'spans' : settings.fingerprint, keyRules);
  checkEmission(options.output, job, request.format);
  const { outputs = outputsOf(options.output) } = request;
  checkOutputs(outputs, { ...options.output, sources: request.sources });
  const resumed = resumption(request, saved, outputs);
  const { processors = 1 } = request;
  const canUseThreads = resolved.canUseThreads ?? false;
  const wanted = threadsFor({
    options: threadOptions(options),
    sources: resumed.sources,
    canUseThreads,
    processors,
    detectorBytes: cellsBytesOf(settings),
    pays: resolved.threadsPay,
  });
  const { regions, regionBytes, threads } = regionsFor({
    ...{ settings, job: resolved, scan },
    outputCount: outputs.length,
    threads: wanted,
  });
  // Invalid keys must fail before any output is opened.
  encodeScanSettings(scan, regions.scratch);
  const asked = { ...saved?.asked, ...askedNote(resolved.detector) };
  const totals = saved?.note.totals ?? noCounts;
  const settled = { ...options, outputs, key, keyRules, asked, job: resolved, settings, scan, timing, shard, totals };
  // A run that leaves out the witness of its state saves the state without it.
  const isDone = resumed.isDone && settings.witnessBytes === saved?.settings.witnessBytes;
  if (resumed.resumes && !isDone) checkContinued(outputs);
  const partial = partialPolicy(options.input, options.state, resumed.resumes);
  const savesAtEnd = outputs.some(isAllOrNothing);
  return { ...settled, regions, regionBytes, threads, ...resumed, isDone, isBegun, partial, savesAtEnd };
}
