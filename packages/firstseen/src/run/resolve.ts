// Everything a run needs before its first record: settings checked, state read, kernel and outputs ready.

import { stat } from 'node:fs/promises';
import { Detector } from '../detectors/detector.js';
import type { DetectorSettings } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import type { Kernel } from '../kernel/kernel.js';
import { planSettings } from '../plan/auto.js';
import { type FormatName, recordFormats } from '../records/formats.js';
import { parseKeyPath } from '../records/keypath.js';
import { encodeScanSettings, type ScanSettings } from '../records/settings.js';
import type { StrictProblem, Timing } from './batch.js';
import { noCounts } from './counts.js';
import { commonFormat, type InputNote } from './input/files.js';
import { type Extension, fileSource, type InputSource, type Job, type JobRun } from './job.js';
import { DEFAULT_MAX_LEAD_SECONDS, type RunOptions } from './options.js';
import { identityOf } from './output/names.js';
import { Output, WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED, type Wanted } from './output/output.js';
import { openSink, type SinkPosition, startPosition } from './output/sink.js';
import { planRegions, type RegionPlan } from './regions.js';
import type { KeyNote, OutputNote, RunNote } from './state/note.js';
import { checkSameSettings, positionToResume, type RunRequest, runToResume } from './state/resume.js';
import { readSecretFile } from './state/secretfile.js';
import { checkWritable, readState, type SavedState } from './state/statefile.js';

/** @throws FirstseenError E_USAGE when there is nothing to annotate records with. */
function wantedBy(emit: RunOptions['emit'], job: JobRun | undefined): Wanted {
  if (emit === 'distinct') return WANTED_DISTINCT | WANTED_PASSED;
  if (emit === 'duplicates') return WANTED_DUPLICATES;
  if (emit === 'verdicts') return 'verdicts';
  if (job) return job.annotator;
  throw new FirstseenError('E_USAGE', 'emit is "annotated", which is for near-duplicates alone; ask for the verdicts');
}

/** A run ready to start. */
export interface Prepared {
  options: RunOptions;
  inputs: readonly InputNote[];
  key: KeyNote;
  scan: ScanSettings;
  detector: Detector;
  plan: RegionPlan;
  outputs: readonly Output[];
  /** How far the run has come; goes on changing with it. */
  run: RunNote;
  isResumed: boolean;
  /** The parser of records in full, when they are to be parsed so. */
  strictProblem: StrictProblem | undefined;
  timing: Timing;
  source: InputSource;
  /** Where it is not the main job. */
  job: JobRun | undefined;
}

/** The outputs of a run: the main one, then that of the duplicates. */
function notesOfOutputs({ output, duplicatesTo, isCompressed }: RunOptions): OutputNote[] {
  const notes: OutputNote[] = [{ path: output ?? null, isCompressed }];
  if (duplicatesTo !== undefined) notes.push({ path: duplicatesTo, isCompressed });
  return notes;
}

/** Where the scanner finds the time of a record. */
function timeSettings({ timeKey }: RunOptions, format: FormatName): Pick<ScanSettings, 'time'> {
  if (timeKey === undefined) return {};
  const kind = recordFormats[format].keys;
  // As for keys, the column is known once the header is.
  if (kind !== 'none') return { time: kind === 'paths' ? parseKeyPath(timeKey) : 0 };
  throw new FirstseenError(
    'E_USAGE',
    `--time-key was given, but records of format ${format} have no fields; leave it out or give --format`,
  );
}

/** @throws FirstseenError E_USAGE when records are to tell a time that the detector has no use for. */
function timingOf(options: RunOptions, settings: DetectorSettings): Timing {
  const { isTimed } = settings.parameters;
  const { timeKey, now = Date.now, maxLeadSeconds = DEFAULT_MAX_LEAD_SECONDS } = options;
  if (timeKey === undefined) return isTimed ? now : 'none';
  if (isTimed) return { latest: () => now() + maxLeadSeconds * 1000 };
  throw new FirstseenError(
    'E_USAGE',
    '--time-key was given, but the window is no time; give one such as --window 1h, or leave it out',
  );
}

function scanSettings(options: RunOptions, format: FormatName, fingerprint: ScanSettings['fingerprint']): ScanSettings {
  const { keys, maxRecordBytes } = options;
  const kind = recordFormats[format].keys;
  const settings = { format, fingerprint, maxRecordBytes, ...timeSettings(options, format) };
  if (keys.length === 0) return settings;
  if (kind === 'paths') return { ...settings, paths: keys.map(parseKeyPath) };
  // Columns are resolved for each input by its header; until then their number alone counts.
  if (kind === 'columns') return { ...settings, columns: keys.map((_, i) => i) };
  throw new FirstseenError(
    'E_USAGE',
    `format ${format} has no keys, the whole record counts; leave --key out or give --format`,
  );
}

interface OutputRequest {
  mainWanted: Wanted;
  kernel: Kernel;
  plan: RegionPlan;
  run: RunNote;
  known: RunNote | undefined;
}

async function openOutputs({ mainWanted, kernel, plan, run, known }: OutputRequest): Promise<Output[]> {
  const { outputs: notes, header } = run;
  const positions = await Promise.all(
    notes.map((note, i) =>
      known ? positionToResume(note, known.positions[i] ?? startPosition, known.isFinished) : startPosition,
    ),
  );
  const outputs: Output[] = [];
  for (const [i, buffers] of plan.outputs.entries()) {
    const note = notes[i] as OutputNote;
    const position = positions[i] as SinkPosition;
    const sink = await openSink({
      path: note.path ?? undefined,
      isCompressed: note.isCompressed,
      position,
      isWhole: () => run.isFinished,
    });
    const wanted = i === 0 ? mainWanted : WANTED_DUPLICATES;
    const output = new Output({ kernel, sink, buffers, wanted, position });
    // Where the file that had the header was taken away, a new one begins with it.
    const lacksHeader = header !== null && position === startPosition;
    if (lacksHeader) await output.appendHeader(Buffer.from(header, 'base64'));
    outputs.push(output);
  }
  return outputs;
}

/**
 * A fresh run with a kept detector would not write again what an earlier one wrote.
 * @throws FirstseenError E_STATE_RUN when it would write over an output of the run in the state.
 */
async function checkOutputsKept(state: string, known: RunNote, outputs: readonly OutputNote[]): Promise<void> {
  const before = new Set(known.outputs.map(({ path }) => (path === null ? '' : identityOf(path))));
  for (const { path } of outputs) {
    if (path === null || !before.has(identityOf(path))) continue;
    const found = await stat(path).catch(() => undefined);
    if (!found?.isFile() || found.size === 0) continue;
    throw new FirstseenError(
      'E_STATE_RUN',
      `${path} holds what an earlier run with state ${state} wrote, and the inputs are not those of that run; ` +
        'name another output, or give --new-run to write over it',
    );
  }
}

function freshRun(options: RunOptions, inputs: readonly InputNote[], outputs: OutputNote[]): RunNote {
  return {
    inputs: [...inputs],
    outputs,
    emit: options.emit,
    input: 0,
    offset: 0,
    lines: 0,
    header: null,
    positions: outputs.map(() => startPosition),
    counts: { ...noCounts },
    isFinished: false,
  };
}

/** A run goes on with what it was, knowing its inputs as they are now. */
function resumedRun(known: RunNote, inputs: readonly InputNote[]): RunNote {
  const isReadAgain = known.inputs[known.input]?.isFile ?? false;
  return {
    ...known,
    inputs: [...inputs],
    ...(isReadAgain ? {} : { offset: 0, lines: 0 }),
    counts: { ...known.counts },
    isFinished: false,
  };
}

/** The settings of a state once they are known to be those asked for, or else those asked for. */
function settingsFor(
  saved: SavedState | undefined,
  options: RunOptions,
  key: KeyNote,
  job: Job | undefined,
): DetectorSettings {
  if (!saved) return job ? job.settings() : planSettings(options.detector);
  const { settings } = saved.header;
  const detector = job?.detector ?? options.detector;
  const asked = { detector, key, jobName: job?.name };
  checkSameSettings(options.state as string, { settings, key: saved.note.key, job: saved.note.job }, asked);
  return settings;
}

async function savedState({ state }: RunOptions): Promise<SavedState | undefined> {
  if (state === undefined) return undefined;
  await checkWritable(state);
  return readState(state);
}

/** The run to go on with; when there is none, a fresh one may be started. */
async function knownRun(saved: RunNote, request: RunRequest): Promise<RunNote | undefined> {
  const { options, outputs } = request;
  const state = options.state as string;
  const known = await runToResume(state, saved, request);
  if (!known && !options.isNewRun) await checkOutputsKept(state, saved, outputs);
  return known;
}

async function withSecret(options: RunOptions): Promise<RunOptions> {
  const { secretFile, detector } = options;
  if (secretFile === undefined) return options;
  return { ...options, detector: { ...detector, secret: await readSecretFile(secretFile) } };
}

/**
 * Whoever calls it has locked the state.
 * @throws FirstseenError when what is asked for contradicts itself, the state, or what the inputs and outputs are.
 */
export async function prepare(asked: RunOptions, extension: Extension = {}): Promise<Prepared> {
  const options = await withSecret(asked);
  const { timeKey } = options;
  const { source = fileSource } = extension;
  const format = options.format ?? commonFormat(options.inputs);
  const key: KeyNote = { format, keys: [...options.keys], ...(timeKey === undefined ? {} : { time: timeKey }) };
  const inputs: InputNote[] = [];
  for (const path of options.inputs) inputs.push(await source.look(path, format === 'u64'));
  const saved = await savedState(options);
  const job = extension.job?.(saved?.note.job, options.detector.secret);
  const settings = settingsFor(saved, options, key, job);
  const timing = timingOf(options, settings);
  const scan = scanSettings(options, format, job ? 'places' : settings.fingerprint);
  const outputNotes = notesOfOutputs(options);
  const request = { options, format, inputs, outputs: outputNotes, source };
  const known = saved && (await knownRun(saved.note.run, request));
  const run = known ? resumedRun(known, inputs) : freshRun(options, inputs, outputNotes);

  const outputCount = outputNotes.length;
  const ownBytes = planRegions({ regionOffset: 0, scan, outputCount }).totalBytes;
  const host = { regionBytes: ownBytes + (job?.regionBytes ?? 0) };
  const detector = saved
    ? await saved.restore({ ...host, leavesWitness: options.detector.witness === false })
    : await Detector.ofSettings(settings, host);
  const jobRun = job?.begin(detector, run.counts);
  const regionOffset = jobRun?.regionOffset ?? detector.kernel.regionOffset;
  const plan = planRegions({ regionOffset, scan, outputCount });
  // What is wrong with the keys is said before any output is opened.
  encodeScanSettings(scan, plan.scratch);
  const mainWanted = wantedBy(options.emit, jobRun);
  const outputs = await openOutputs({ mainWanted, kernel: detector.kernel, plan, run, known });
  const strictProblem = options.isStrict ? (await import('../records/strict.js')).strictProblem : undefined;
  const isResumed = known !== undefined;
  options.onReady?.();
  return {
    options,
    inputs,
    key,
    scan,
    detector,
    plan,
    outputs,
    run,
    isResumed,
    strictProblem,
    timing,
    source,
    job: jobRun,
  };
}
