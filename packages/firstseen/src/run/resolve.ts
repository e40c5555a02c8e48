// Everything that decides a run, settled once, from what is asked and from what its state says. No file is touched and no
// kernel is made.

import { cellsBytesOf, type DetectorSettings } from '../detectors/settings.js';
import { FirstseenError } from '../errors.js';
import { regionOffset } from '../kernel/kernel.js';
import type { PlannedOptions } from '../plan/auto.js';
import { type FormatName, guessFormat, recordFormats } from '../records/formats.js';
import { parseKeyPath } from '../records/keypath.js';
import { encodeScanSettings, type ScanSettings } from '../records/settings.js';
import type { Timing } from './batch.js';
import type { Source } from './input/contract.js';
import type { Job, JobPlan } from './job.js';
import type { FilledOptions } from './options.js';
import type { OutputNote } from './output/contract.js';
import { planRegions, type RegionPlan } from './regions.js';
import { type AskedNote, askedNote } from './state/asked.js';
import type { KeyNote, RunNote } from './state/note.js';
import { checkSameSettings, runToResume, type SavedRun } from './state/resume.js';

/** A run as it is asked for, its inputs looked at. */
export interface RunRequest<Asked> {
  options: FilledOptions;
  format: FormatName;
  keys: readonly string[];
  job: Job<Asked>;
  /** What is asked of the job. */
  asked: Asked;
  sources: readonly Source[];
  /** What the secret file holds, if one is named. */
  secret?: PlannedOptions['secret'];
}

/** A run as it will be. */
export interface RunPlan {
  readonly options: FilledOptions;
  readonly sources: readonly Source[];
  readonly outputs: readonly OutputNote[];
  readonly key: KeyNote;
  /** What was asked of the detector, in this run and in those before it. */
  readonly asked: AskedNote;
  readonly job: JobPlan;
  readonly settings: DetectorSettings;
  readonly scan: ScanSettings;
  readonly timing: Timing;
  readonly regions: RegionPlan;
  /** Bytes behind the detector: the regions of the job and of the run. */
  readonly regionBytes: number;
  /** The run that is gone on with; nothing for a new one. */
  readonly resumes: RunNote | undefined;
}

/** @throws FirstseenError E_USAGE when the names of the inputs suggest several formats. */
export function commonFormat(inputs: readonly string[]): FormatName {
  const guesses = new Set(inputs.map((path) => guessFormat(path)));
  const [format] = guesses;
  if (format && guesses.size === 1) return format;
  throw new FirstseenError(
    'E_USAGE',
    `the names of the inputs suggest the formats ${[...guesses].join(' and ')}; say which one with --format`,
  );
}

/** The outputs of a run: the main one, then that of the duplicates. */
export function outputsOf({ output, duplicatesTo, isCompressed }: FilledOptions): OutputNote[] {
  const notes: OutputNote[] = [{ path: output ?? null, isCompressed }];
  if (duplicatesTo !== undefined) notes.push({ path: duplicatesTo, isCompressed });
  return notes;
}

/** Where the scanner finds the time of a record. */
function timeSettings({ timeKey }: FilledOptions, format: FormatName): Pick<ScanSettings, 'time'> {
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
function timingOf(options: FilledOptions, settings: DetectorSettings): Timing {
  const { isTimed } = settings.parameters;
  const { timeKey, now = Date.now, maxLeadSeconds } = options;
  if (timeKey === undefined) return isTimed ? now : 'none';
  if (isTimed) return { latest: () => now() + maxLeadSeconds * 1000 };
  throw new FirstseenError(
    'E_USAGE',
    '--time-key was given, but the window is no time; give one such as --window 1h, or leave it out',
  );
}

function scanSettings<Asked>(request: RunRequest<Asked>, fingerprint: ScanSettings['fingerprint']): ScanSettings {
  const { options, format, keys } = request;
  const { maxRecordBytes } = options;
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

function keyOf<Asked>({ format, keys, options }: RunRequest<Asked>): KeyNote {
  const { timeKey } = options;
  return { format, keys: [...keys], ...(timeKey === undefined ? {} : { time: timeKey }) };
}

/** The settings of a state once they are known to be those asked for, or else those asked for. */
function settingsFor(plan: JobPlan, name: string, key: KeyNote, saved: SavedRun | undefined): DetectorSettings {
  if (!saved) return plan.settings();
  const { detector } = plan;
  checkSameSettings(saved, { jobName: name, detector, key });
  return detector.witness === false ? { ...saved.settings, witnessBytes: 0 } : saved.settings;
}

/** @throws FirstseenError E_USAGE when there is nothing to annotate records with. */
function checkEmission({ job, options }: Pick<RunRequest<unknown>, 'options'> & { job: Job<never> }): void {
  if (job.emissions.includes(options.emit)) return;
  throw new FirstseenError(
    'E_USAGE',
    `emit is "${options.emit}", which is for near-duplicates alone; ask for the verdicts`,
  );
}

interface RegionRequest {
  settings: DetectorSettings;
  plan: JobPlan;
  scan: ScanSettings;
  outputCount: number;
}

/** The regions of the job and, behind them, those of the run: where they lie, and what they take in all. */
function regionsFor({ settings, plan, scan, outputCount }: RegionRequest): Pick<RunPlan, 'regions' | 'regionBytes'> {
  const { witnessBytes } = settings;
  const start = regionOffset({ cellsBytes: cellsBytesOf(settings), witnessBytes });
  const regions = planRegions({ regionOffset: plan.regionsEnd(start), scan, outputCount });
  return { regions, regionBytes: regions.end - start };
}

/**
 * Settles everything that decides a run.
 * @throws FirstseenError when what is asked for contradicts itself, the state, or what the inputs and outputs are.
 */
export function resolveRun<Asked>(request: RunRequest<Asked>, saved: SavedRun | undefined): RunPlan {
  const { options, format, sources, job } = request;
  const key = keyOf(request);
  const plan = job.resolve(request.asked, { note: saved?.note.job, secret: request.secret });
  const settings = settingsFor(plan, job.name, key, saved);
  const timing = timingOf(options, settings);
  const scan = scanSettings(request, job.takes === 'spans' ? 'spans' : settings.fingerprint);
  checkEmission(request);
  const outputs = outputsOf(options);
  const { emit, isNewRun } = options;
  const resumes = saved && runToResume(saved, { format, emit, isNewRun, sources, outputs });
  const { regions, regionBytes } = regionsFor({ settings, plan, scan, outputCount: outputs.length });
  // What is wrong with the keys is said before any output is opened.
  encodeScanSettings(scan, regions.scratch);
  const asked = { ...saved?.asked, ...askedNote(plan.detector) };
  return { options, sources, outputs, key, asked, job: plan, settings, scan, timing, regions, regionBytes, resumes };
}
