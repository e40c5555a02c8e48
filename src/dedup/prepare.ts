// Everything a run needs before its first record: settings checked, state read, kernel and outputs ready.

import { stat } from 'node:fs/promises';
import { Detector } from '../detectors/detector.js';
import { type DetectorSettings, resolveSettings } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import { type FormatName, recordFormats } from '../records/formats.js';
import { parseKeyPath } from '../records/keypath.js';
import type { ScanSettings } from '../records/settings.js';
import { noCounts, type StrictProblem } from './batch.js';
import { commonFormat, type InputFile, lookAtInput } from './inputs.js';
import type { RunOptions } from './options.js';
import { Output, WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED, type Wanted } from './output.js';
import { planRegions, type RegionPlan } from './regions.js';
import { checkSameSettings, positionToResume, runToResume } from './resume.js';
import { openSink, type SinkPosition, startPosition } from './sink.js';
import { checkWritable, type KeyNote, type OutputNote, type RunNote, readState, type SavedState } from './statefile.js';

const wantedBy: Readonly<Record<RunOptions['emit'], Wanted>> = {
  distinct: WANTED_DISTINCT | WANTED_PASSED,
  duplicates: WANTED_DUPLICATES,
  verdicts: 'verdicts',
};

/** A run ready to start. */
export interface Prepared {
  options: RunOptions;
  inputs: readonly InputFile[];
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
}

/** The outputs of a run: the main one, then that of the duplicates. */
function notesOfOutputs({ output, duplicatesTo, isCompressed }: RunOptions): OutputNote[] {
  const notes: OutputNote[] = [{ path: output ?? null, isCompressed }];
  if (duplicatesTo !== undefined) notes.push({ path: duplicatesTo, isCompressed });
  return notes;
}

async function identityOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? `${found.dev}:${found.ino}` : path;
}

/** @throws FirstseenError E_USAGE when a file would be read and written, or written twice. */
async function checkDistinctFiles(options: RunOptions): Promise<void> {
  const { inputs, output, duplicatesTo, state } = options;
  const written = [output, duplicatesTo, state].filter((path) => path !== undefined);
  const seen = new Map<string, string>();
  for (const input of inputs) seen.set(await identityOf(input), 'an input');
  for (const path of written) {
    const identity = await identityOf(path);
    const other = seen.get(identity);
    if (other && !path.startsWith('/dev/')) {
      throw new FirstseenError('E_USAGE', `${path} would be written, but it is also ${other}; name another file`);
    }
    seen.set(identity, 'another output or the state');
  }
}

function scanSettings(options: RunOptions, format: FormatName, fingerprint: ScanSettings['fingerprint']): ScanSettings {
  const { keys, maxRecordBytes } = options;
  const settings: ScanSettings = { format, fingerprint, maxRecordBytes };
  const kind = recordFormats[format].keys;
  if (keys.length === 0) return settings;
  if (kind === 'paths') return { ...settings, paths: keys.map(parseKeyPath) };
  // Columns are resolved for each input by its header; until then their number alone counts.
  if (kind === 'columns') return { ...settings, columns: keys.map((_, i) => i) };
  throw new FirstseenError(
    'E_USAGE',
    `format ${format} has no keys, the whole record counts; leave --key out or give --format`,
  );
}

async function openOutputs(
  { emit }: RunOptions,
  { kernel }: Detector,
  plan: RegionPlan,
  { outputs: notes }: RunNote,
  known: RunNote | undefined,
): Promise<Output[]> {
  const positions = await Promise.all(
    notes.map((note, i) =>
      known ? positionToResume(note, known.positions[i] ?? startPosition, known.isFinished) : startPosition,
    ),
  );
  const outputs: Output[] = [];
  for (const [i, buffers] of plan.outputs.entries()) {
    const note = notes[i] as OutputNote;
    const position = positions[i] as SinkPosition;
    const sink = await openSink({ path: note.path ?? undefined, isCompressed: note.isCompressed, position });
    const wanted = i === 0 ? wantedBy[emit] : WANTED_DUPLICATES;
    outputs.push(new Output({ kernel, sink, buffers, wanted, position }));
  }
  return outputs;
}

function freshRun(options: RunOptions, inputs: readonly InputFile[], outputs: OutputNote[]): RunNote {
  return {
    inputs: inputs.map(({ storedBytes: _, ...note }) => note),
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
function resumedRun(known: RunNote, inputs: readonly InputFile[]): RunNote {
  const isReadAgain = known.inputs[known.input]?.isFile ?? false;
  return {
    ...known,
    inputs: inputs.map(({ storedBytes: _, ...note }) => note),
    ...(isReadAgain ? {} : { offset: 0, lines: 0 }),
    counts: { ...known.counts },
    isFinished: false,
  };
}

/** The settings of a state once they are known to be those asked for, or else those asked for. */
function settingsFor(saved: SavedState | undefined, options: RunOptions, key: KeyNote): DetectorSettings {
  if (!saved) return resolveSettings(options.detector);
  const { settings } = saved.header;
  checkSameSettings(options.state as string, { settings, key: saved.note.key }, { detector: options.detector, key });
  return settings;
}

async function savedState({ state }: RunOptions): Promise<SavedState | undefined> {
  if (state === undefined) return undefined;
  await checkWritable(state);
  return readState(state);
}

/** @throws FirstseenError when what is asked for contradicts itself, the state, or what the inputs and outputs are. */
export async function prepare(options: RunOptions): Promise<Prepared> {
  const inputs = await Promise.all(options.inputs.map(lookAtInput));
  const key: KeyNote = { format: options.format ?? commonFormat(options.inputs), keys: [...options.keys] };
  await checkDistinctFiles(options);
  const saved = await savedState(options);
  const settings = settingsFor(saved, options, key);
  const scan = scanSettings(options, key.format, settings.fingerprint);
  const outputNotes = notesOfOutputs(options);
  const known =
    saved && (await runToResume(options.state as string, saved.note.run, { options, inputs, outputs: outputNotes }));
  const run = known ? resumedRun(known, inputs) : freshRun(options, inputs, outputNotes);

  const outputCount = outputNotes.length;
  const host = { regionBytes: planRegions({ regionOffset: 0, scan, outputCount }).totalBytes };
  const detector = saved ? await saved.restore(host) : await Detector.ofSettings(settings, host);
  const plan = planRegions({ regionOffset: detector.kernel.regionOffset, scan, outputCount });
  const outputs = await openOutputs(options, detector, plan, run, known);
  const strictProblem = options.isStrict ? (await import('../records/strict.js')).strictProblem : undefined;
  return { options, inputs, key, scan, detector, plan, outputs, run, isResumed: known !== undefined, strictProblem };
}
