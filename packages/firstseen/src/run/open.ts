// Opens a resolved run: creates the kernel and opens the outputs.

import type { RunState, SavedState } from '../checkpoint/runstate.js';
import { Detector, kernelOf } from '../detectors/detector.js';
import { cellsBytesOf } from '../detectors/settings.js';
import type { Emission } from '../io/policies.js';
import type { OutputNote, RecordWriter, Selection, Sink } from '../io/sink.js';
import { openSink, positionToResume } from '../io/sinks.js';
import { checkMemory, checkThreadsFit, explainNotGranted } from '../io/system/limits.js';
import { WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED } from '../kernel/abi.js';
import { compiledKernel } from '../kernel/compile.js';
import { Crew } from '../threads/crew.js';
import { SharedDetector } from '../threads/detector.js';
import { oneThreadWarning } from '../threads/owners.js';
import { type SharedHost, sharedHost } from '../threads/sharedkernel.js';
import { CrewWorkers } from '../threads/workers.js';
import { annotatingWriter, annotationField, verdictAnnotation } from './annotate.js';
import { settleClock } from './clock.js';
import type { JobRun } from './job.js';
import type { ResolvedRun } from './resolve.js';
import { Run } from './run.js';
import type { RunThreads } from './sidebyside.js';
import { TwoReadings } from './tworeadings.js';

function writerOf(
  { output, key }: Pick<ResolvedRun, 'output' | 'key'>,
  detector: Detector,
  { annotation, writer }: JobRun,
): RecordWriter | undefined {
  if (writer) return writer;
  const field = annotationField(output);
  return field === undefined
    ? undefined
    : annotatingWriter({
        kernel: kernelOf(detector),
        format: key.format,
        field,
        annotation: annotation ?? verdictAnnotation,
      });
}

/** What the main output gets; a writer gets all records. */
function selectionOf(emit: Emission, writer: RecordWriter | undefined): Selection {
  if (writer) return writer;
  if (emit === 'verdicts') return 'verdicts';
  if (emit === 'duplicates') return WANTED_DUPLICATES;
  const others = emit === 'all' ? WANTED_DUPLICATES : 0;
  return WANTED_DISTINCT | WANTED_PASSED | others;
}

interface OutputRequest {
  resolved: ResolvedRun;
  detector: Detector;
  writer: RecordWriter | undefined;
  state: RunState | undefined;
}

/** The position at which an output continues; undefined if it starts from the beginning. */
function startOf(note: OutputNote, index: number, { resumes, isBegun, isDone }: ResolvedRun) {
  const known = resumes?.positions[index];
  return known && positionToResume(note, known, { isFinished: resumes?.isFinished ?? false, isBegun, isDone });
}

/**
 * Whether a run writes what an earlier process wrote after the state was saved. Times of arrival differ, and so do random secrets
 * that no state has kept, which decide what else a detector takes for a repeat.
 */
function repeatsOutput({
  state: { state, isNewRun, isReadOnly },
  settings,
  resumes,
  timing,
}: Pick<ResolvedRun, 'state' | 'settings' | 'resumes' | 'timing'>): boolean {
  if (state === undefined || isNewRun || isReadOnly) return false;
  return typeof timing !== 'function' && (resumes !== undefined || settings.secret === undefined);
}

async function openOutputs({ resolved, detector, writer, state }: OutputRequest): Promise<Sink[]> {
  const { regions, output: asked, isDone, sources } = resolved;
  const starts = await Promise.all(resolved.outputs.map((note, i) => startOf(note, i, resolved)));
  // A run with nothing to do only checks its outputs.
  if (isDone) return [];
  const outputs: Sink[] = [];
  try {
    for (const [i, note] of resolved.outputs.entries()) {
      const [one, other] = regions.outputs[i] as (typeof regions.outputs)[0];
      const output = await openSink(note, {
        kernel: kernelOf(detector),
        buffers: [one.offset, other.offset],
        selection: i === 0 ? selectionOf(asked.emit, writer) : WANTED_DUPLICATES,
        sources,
        beforeWrite: state && (() => state.check()),
        position: starts[i],
        keepsLineEnd: asked.keepsLineEnd,
        isRepeated: repeatsOutput(resolved),
      });
      outputs.push(output);
    }
    return outputs;
  } catch (error) {
    // The error to report is the first one.
    await Promise.allSettled(outputs.map((output) => output.abort()));
    throw error;
  }
}

async function openThreads(
  { threads, regions, scan, detector: asked, report }: ResolvedRun,
  detector: Detector,
  made: SharedHost,
  workers: CrewWorkers,
): Promise<RunThreads> {
  const { scratch, crew: offset, detector: detectorOffset, mostPieceBytes } = regions.threads;
  const crew = await Crew.start({ kernel: kernelOf(detector), made, threads, offset, workers });
  const takesKeys = scan.fingerprint !== 'spans';
  const warning = takesKeys && asked.threads !== 'auto' ? oneThreadWarning(detector.settings) : undefined;
  if (warning) report.onWarning?.(warning);
  return { crew, shared: new SharedDetector(detector, crew, detectorOffset, takesKeys), scratch, mostPieceBytes };
}

/** @throws FirstseenError E_MEMORY when the system does not grant the memory. */
async function hostOfThreads({ settings, regionBytes }: ResolvedRun): Promise<SharedHost> {
  try {
    return await sharedHost(settings, regionBytes);
  } catch (error) {
    throw explainNotGranted(error);
  }
}

async function openDetector(
  { regionBytes, settings, report }: ResolvedRun,
  saved: SavedState | undefined,
  shared: SharedHost | undefined,
) {
  const { witnessBytes } = settings;
  checkMemory({ detectorBytes: cellsBytesOf(settings) + witnessBytes, onWarning: report.onWarning });
  const host = {
    regionBytes,
    ...(shared ? { module: shared.module, memory: shared.memory } : { module: await compiledKernel() }),
  };
  try {
    if (saved) return await saved.restore({ ...host, leavesWitness: witnessBytes === 0 });
    return await Detector.ofSettings(settings, host);
  } catch (error) {
    throw explainNotGranted(error);
  }
}

/**
 * Creates the kernel and opens the outputs.
 * @param saved what the state has, whose detector continues
 * @param state the state, if there is one
 * @throws FirstseenError E_MEMORY when the machine does not grant the memory or would end the run for it, E_OUTPUT when an output
 * cannot be opened, E_SNAPSHOT when the detector of the state is broken, E_CLOCK when its clock is too far ahead.
 */
export async function openRun(
  resolved: ResolvedRun,
  saved: SavedState | undefined,
  state?: RunState,
): Promise<Run | TwoReadings> {
  const hasThreads = resolved.threads > 1 && !resolved.isDone;
  if (hasThreads) checkThreadsFit(resolved.threads);
  const workers = hasThreads ? new CrewWorkers(resolved.threads) : undefined;
  try {
    return await openWith(resolved, saved, state, workers);
  } catch (error) {
    await workers?.close();
    throw error;
  }
}

async function openWith(
  resolved: ResolvedRun,
  saved: SavedState | undefined,
  state: RunState | undefined,
  workers: CrewWorkers | undefined,
): Promise<Run | TwoReadings> {
  const shared = workers && (await hostOfThreads(resolved));
  const detector = await openDetector(resolved, saved, shared);
  settleClock(detector, resolved.time);
  if (resolved.shard) kernelOf(detector).exports.scanShard(resolved.shard.index, resolved.shard.count);
  const job = resolved.job.begin(
    detector,
    resolved.sources.map(({ note }) => note),
  );
  const writer = writerOf(resolved, detector, job);
  const outputs = await openOutputs({ resolved, detector, writer, state }).catch((error) => {
    job.firstReading?.close();
    throw error;
  });
  const strictProblem = resolved.records.isStrict ? (await import('../records/parsed.js')).strictProblem : undefined;
  const threads = shared && workers && (await openThreads(resolved, detector, shared, workers));
  const parts = { detector, job, outputs, writer, strictProblem, threads, state };
  return job.firstReading ? new TwoReadings(resolved, parts, job.firstReading) : new Run(resolved, parts);
}
