// Opens a resolved run: creates the kernel, opens the outputs, and gives each part of the run its own settings.

import { Checkpoints } from '../checkpoint/checkpoints.js';
import type { KeyNote } from '../checkpoint/note.js';
import { Progress } from '../checkpoint/progress.js';
import type { RunState, SavedState } from '../checkpoint/runstate.js';
import { Detector, kernelOf } from '../detectors/detector.js';
import { cellsBytesOf } from '../detectors/settings.js';
import type { StrictProblem } from '../framing/batch.js';
import { Counter } from '../framing/counts.js';
import type { TimeField } from '../framing/exceptions.js';
import { DecompressingThread } from '../io/compression/decompressingthread.js';
import { areArrays } from '../io/formats.js';
import type { Emission } from '../io/policies.js';
import {
  emittedMask,
  type OutputNote,
  type RecordWriter,
  type Selection,
  type Sink,
  type SinkPosition,
} from '../io/sink.js';
import { openSink, positionToResume } from '../io/sinks.js';
import type { Source } from '../io/source.js';
import { OpenStores } from '../io/store/openstores.js';
import { checkMemory, checkThreadsFit, explainNotGranted } from '../io/system/limits.js';
import { WANTED_DUPLICATES } from '../kernel/abi.js';
import { equalKeyIn } from '../kernel/keytext.js';
import { wholeKernel } from '../kernel/wholekernel.js';
import { maxRecordBytes } from '../options/records.js';
import { commentPrefix } from '../records/comments.js';
import { type FormatName, recordFormatNamed, terminatorOf } from '../records/formats.js';
import { parseKeyPath } from '../records/keypath.js';
import { hasYear, wordCountOf } from '../records/timeformat.js';
import { fieldsOfTime, formatOfTimes } from '../records/timekeys.js';
import { Crew } from '../threads/crew.js';
import { SharedDetector } from '../threads/detector.js';
import { oneThreadWarning } from '../threads/owners.js';
import { type SharedHost, sharedHost } from '../threads/sharedkernel.js';
import { CrewWorkers } from '../threads/workers.js';
import { annotatingWriter, annotationField, verdictAnnotation } from './annotate.js';
import { settleClock, watchedTiming } from './clock.js';
import type { JobRun } from './job.js';
import { BrokenRows, DamagedInputs } from './leftout.js';
import { MissedWatch } from './missed.js';
import { MissingKeyWatch } from './missingkeys.js';
import { Pipeline } from './pipeline.js';
import type { ResolvedMemory, ResolvedOutputs, ResolvedRun } from './resolved.js';
import { Run } from './run.js';
import type { RunThreads } from './sidebyside.js';
import { type Reading, TwoReadings } from './tworeadings.js';

function writerOf(
  { outputs, records }: Pick<ResolvedRun, 'outputs' | 'records'>,
  job: JobRun,
): RecordWriter | undefined {
  const written = { format: records.key.format, dialect: records.scan.dialect };
  if (job.writer) return job.writer(written);
  const field = annotationField(outputs);
  if (field === undefined) return undefined;
  return annotatingWriter({ ...written, field, annotation: job.annotation ?? verdictAnnotation });
}

/** Returns the content of the main output; a writer gets all records. */
function selectionOf(emit: Emission, writer: RecordWriter | undefined): Selection {
  if (writer) return writer;
  return emit === 'verdicts' ? emit : emittedMask(emit);
}

/** The contents of an output beside the main one. */
function selectionBeside({ contents }: OutputNote, { idsWriter }: Pick<OutputRequest, 'idsWriter'>): Selection {
  return contents === 'ids' && idsWriter ? idsWriter : WANTED_DUPLICATES;
}

/** Returns the fields of the time of records, for messages; undefined if records have no time. */
function timeFieldOf({ time, timeFormat }: KeyNote): TimeField | undefined {
  const names = fieldsOfTime(time);
  if (names.length === 0) return undefined;
  const format = formatOfTimes(names, timeFormat);
  return { names, format, hasYear: hasYear(format), wordCount: wordCountOf(format) };
}

interface OutputRequest {
  outputs: ResolvedOutputs;
  regions: ResolvedMemory['regions'];
  sources: readonly Source[];
  /** The position of each output when the state was saved; empty for a new run. */
  positions: readonly SinkPosition[];
  isDone: boolean;
  detector: Detector;
  format: FormatName;
  writer: RecordWriter | undefined;
  /** The writer of names of documents beside the records, if the job finds them. */
  idsWriter: RecordWriter | undefined;
  state: RunState | undefined;
  stores: OpenStores;
  onWarning: ResolvedRun['report']['onWarning'];
}

/** The position at which an output continues; undefined if it starts from the beginning. */
function startOf(note: OutputNote, known: SinkPosition | undefined, request: OutputRequest) {
  const { isDone, outputs, stores } = request;
  return known && positionToResume(note, known, { isBegun: outputs.isBegun, isDone, stores });
}

async function openSinks(request: OutputRequest): Promise<Sink[]> {
  const { outputs, regions, sources, positions, detector, format, writer, state, stores } = request;
  const { notes, emit, keepsLineEnd, isRepeated } = outputs;
  const starts = await Promise.all(notes.map((note, i) => startOf(note, positions[i], request)));
  // A run with nothing to do only checks its outputs.
  if (request.isDone) return [];
  const sinks: Sink[] = [];
  try {
    for (const [i, note] of notes.entries()) {
      const hasRecords = note.contents !== 'ids' && (i > 0 || outputs.names.written === undefined);
      const [one, other] = regions.outputs[i] as (typeof regions.outputs)[0];
      const sink = await openSink(note, {
        kernel: kernelOf(detector),
        buffers: [one.offset, other.offset],
        selection: i === 0 ? selectionOf(emit, writer) : selectionBeside(note, request),
        sources,
        names: outputs.names,
        stores,
        beforeWrite: state && (() => state.check()),
        position: starts[i],
        keepsLineEnd,
        terminator: terminatorOf(format),
        isArray: hasRecords && areArrays(sources),
        hasRecordMembers: hasRecords && recordFormatNamed(format).hasMembers === true,
        isRepeated,
        onWarning: request.onWarning,
      });
      sinks.push(sink);
    }
    return sinks;
  } catch (error) {
    // The error to report is the first one.
    await Promise.allSettled(sinks.map((sink) => sink.abort()));
    throw error;
  }
}

async function openThreads(
  { memory, records, report }: Pick<ResolvedRun, 'memory' | 'records' | 'report'>,
  detector: Detector,
  made: SharedHost,
  workers: CrewWorkers,
): Promise<RunThreads> {
  const { threads, tellsOneThread } = memory;
  const { scratch, crew: offset, detector: detectorOffset, maxPieceBytes } = memory.regions.threads;
  const crew = await Crew.start({ kernel: kernelOf(detector), made, threads, offset, workers });
  const takesKeys = records.scan.fingerprint !== 'spans';
  const warning = takesKeys && tellsOneThread ? oneThreadWarning(detector.settings) : undefined;
  if (warning) report.onWarning?.(warning);
  return {
    crew,
    decompressing: new DecompressingThread(),
    shared: new SharedDetector(detector, crew, detectorOffset, takesKeys),
    scratch,
    maxPieceBytes,
  };
}

/** @throws FirstseenError E_MEMORY when the system does not grant the memory. */
async function hostOfThreads({ detector, memory }: Pick<ResolvedRun, 'detector' | 'memory'>): Promise<SharedHost> {
  try {
    return await sharedHost(detector.settings, memory.regionBytes);
  } catch (error) {
    throw explainNotGranted(error);
  }
}

async function openDetector(
  { detector, memory, report }: Pick<ResolvedRun, 'detector' | 'memory' | 'report'>,
  saved: SavedState | undefined,
  shared: SharedHost | undefined,
) {
  const { settings } = detector;
  const { witnessBytes } = settings;
  checkMemory({ detectorBytes: cellsBytesOf(settings) + witnessBytes, onWarning: report.onWarning });
  const host = {
    ...{ regionBytes: memory.regionBytes, equalKeyIn },
    ...(shared ? { module: shared.module, memory: shared.memory } : { module: await wholeKernel() }),
  };
  try {
    if (saved) return await saved.restore({ ...host, leavesWitness: witnessBytes === 0 });
    return await Detector.ofSettings(settings, host);
  } catch (error) {
    throw explainNotGranted(error);
  }
}

/** The limit of a record, unless a run sets another. */
const DEFAULT_MAX_RECORD_BYTES = maxRecordBytes.default;

/**
 * The sources as the run reads them. If the outputs take their records from the inputs, and the job compares only the keys, the
 * records are read without their other columns.
 */
function readSources(
  { inputs: { sources }, records }: Pick<ResolvedRun, 'inputs' | 'records'>,
  job: JobRun,
  sinks: readonly Sink[],
): readonly Source[] {
  const { key, rank, isStrict, lineKeys } = records;
  const readsWhole = isStrict || rank !== undefined || lineKeys !== undefined || key.equality?.keyExcept !== undefined;
  const isOfJob = job.elementName !== undefined || job.firstReading !== undefined || job.review !== undefined;
  const isLimited = records.maxRecordBytes < DEFAULT_MAX_RECORD_BYTES;
  if (readsWhole || isOfJob || isLimited || key.keys.length === 0) return sources;
  if (sinks.length === 0 || sinks.some(({ takesVerdicts }) => !takesVerdicts)) return sources;
  const names = [...key.keys, ...fieldsOfTime(key.time)].map((path) => String(parseKeyPath(path)[0]));
  return sources.map((source) => source.withColumns?.(names) ?? source);
}

/** The resources that were opened for a run, for all its readings. */
interface Opened {
  detector: Detector;
  /** Validates records in full, if that was asked for. */
  strictProblem: StrictProblem | undefined;
  threads: RunThreads | undefined;
  /** Open while the run lasts, if there is one. */
  state: RunState | undefined;
}

/** Makes the parts of a run for a reading. */
function runOf(resolved: ResolvedRun, opened: Opened, { sources, job, outputs, report }: Reading): Run {
  const { records, clock, inputs, state: before, memory } = resolved;
  const { emit, annotate } = resolved.outputs;
  const { detector, strictProblem, threads, state } = opened;
  const { resumes, periodMilliseconds } = before;
  const { starts, partial, order } = inputs;
  const { key, shard } = records;
  const counter = new Counter();
  const written = { outputs: outputs.notes, emit, annotate };
  const damagedInputs = new DamagedInputs(records, report.onWarning);
  const readable = sources.map((source) => damagedInputs.around(source));
  const progress = new Progress({ sources: readable, starts, ...written, partial, order, resumes });
  const checkpoints = new Checkpoints({
    ...{ state, detector, outputs: outputs.sinks, progress, resumes, periodMilliseconds },
    before: { ...before, key },
    isFollowing: inputs.isFollowing,
    signal: report.signal,
    jobNote: () => job.note?.(),
    counts: () => counter.counts,
  });
  const brokenRows = new BrokenRows(report.onWarning);
  const pipeline = new Pipeline({
    ...{ kernel: kernelOf(detector), job, input: memory.regions.input, outputs: outputs.sinks, threads, counter },
    ...{
      format: key.format,
      dialect: records.scan.dialect,
      lineKeys: records.lineKeys,
      linesBefore: { skipLines: records.skipLines, comment: commentPrefix(records.comment) },
      maxRecordBytes: records.maxRecordBytes,
      strictProblem,
      onError: records.onError,
    },
    ...{ missingKey: records.missingKey, emptyKey: records.emptyKey },
    timing: watchedTiming(clock, detector, report.onWarning),
    timeField: timeFieldOf(key),
    takesKeyless: (shard?.index ?? 0) === 0,
    hasRanks: records.rank !== undefined,
    onBrokenRow: (row) => brokenRows.add(row),
  });
  const { onWarning } = report;
  const kernels = threads?.crew.kernels ?? [kernelOf(detector)];
  const hasCut = () => kernels.some(({ exports }) => exports.scanHasCut() !== 0);
  const watched = { keys: key.keys, except: key.equality?.keyExcept ?? [], hasCut };
  const addsNothing = inputs.isDone || (state?.isReadOnly ?? false);
  const canSpill = job.elementName === undefined;
  return new Run({
    ...{ detector, job, inputs, progress, counter, checkpoints, pipeline, outputs, threads, records, report },
    missed: new MissedWatch(detector, { isFollowing: inputs.isFollowing, addsNothing, canSpill, onWarning }),
    missingKeys: new MissingKeyWatch(watched, onWarning),
    brokenRows,
    damagedInputs,
    threadCount: memory.threads,
    scratch: memory.regions.scratch,
  });
}

/**
 * Creates the kernel and opens the outputs.
 * @param saved what the state has, whose detector continues
 * @param state the state, if there is one
 * @param stores the stores of the run
 * @throws FirstseenError E_MEMORY when the machine does not grant the memory or would end the run for it, E_OUTPUT when an output
 * cannot be opened, E_SNAPSHOT when the detector of the state is broken, E_CLOCK when its clock is too far ahead.
 */
export async function openRun(
  resolved: ResolvedRun,
  saved: SavedState | undefined,
  state?: RunState,
  stores = new OpenStores(),
): Promise<Run | TwoReadings> {
  const { threads } = resolved.memory;
  const hasThreads = threads > 1 && !resolved.inputs.isDone;
  if (hasThreads) checkThreadsFit(threads);
  const workers = hasThreads ? new CrewWorkers(threads) : undefined;
  try {
    return await openWith(resolved, { saved, state, workers, stores });
  } catch (error) {
    await workers?.close();
    throw error;
  }
}

/** The parts of a run that it does not settle itself. */
interface Brought {
  saved: SavedState | undefined;
  state: RunState | undefined;
  workers: CrewWorkers | undefined;
  stores: OpenStores;
}

async function openWith(resolved: ResolvedRun, { saved, state, workers, stores }: Brought): Promise<Run | TwoReadings> {
  const { memory, records, outputs: requests, report } = resolved;
  const { sources, isDone } = resolved.inputs;
  const { positions = [] } = resolved.state.resumes ?? {};
  const shared = workers && (await hostOfThreads(resolved));
  const detector = await openDetector(resolved, saved, shared);
  settleClock(detector, resolved.clock);
  if (records.shard) kernelOf(detector).exports.scanShard(records.shard.index, records.shard.count);
  const notes = sources.map(({ note }) => note);
  const job = resolved.detector.job.begin(detector, notes);
  const writer = writerOf(resolved, job);
  const { regions } = memory;
  const request = {
    ...{ outputs: requests, regions, sources, positions, isDone, detector, writer, state, stores },
    idsWriter: job.idsWriter?.(),
    format: records.key.format,
    onWarning: report.onWarning,
  };
  const sinks = await openSinks(request).catch((error) => {
    job.firstReading?.close();
    throw error;
  });
  const strictProblem = records.isStrict ? (await import('../records/parsed.js')).strictProblem : undefined;
  const threads = shared && workers && (await openThreads(resolved, detector, shared, workers));
  const whole: Reading = {
    sources: readSources(resolved, job, sinks),
    job,
    outputs: { notes: requests.notes, sinks, writer },
    report,
  };
  const begin = (reading: Reading) => runOf(resolved, { detector, strictProblem, threads, state }, reading);
  return job.firstReading ? new TwoReadings(whole, job.firstReading, begin) : begin(whole);
}
