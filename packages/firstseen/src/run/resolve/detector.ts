// Settles the options of the detector: the job with its settings, and the threads and the memory of a run.

import { defined } from '../../base/defined.js';
import type { KeyNote } from '../../checkpoint/note.js';
import { checkSameSettings, type SavedRun } from '../../checkpoint/resume.js';
import { cellsBytesOf, type DetectorSettings } from '../../detectors/settings.js';
import type { Source } from '../../io/source.js';
import type { PlannedOptions } from '../../plan/auto.js';
import type { Job, ResolvedJob } from '../job.js';
import { keySchemeFor } from '../keys.js';
import { type RunRegionsRequest, regionsFor } from '../regions.js';
import type { ResolvedDetector, ResolvedMemory } from '../resolved.js';
import { threadsFor, threadsMatter } from '../threads.js';
import type { RunRequest } from './request.js';

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

/** The job and its settings. @throws FirstseenError for options that contradict each other or the state. */
export function detectorOf<Asked>(
  { job: asked, asked: options, secret }: RunRequest<Asked>,
  key: KeyNote,
  saved: SavedRun | undefined,
): ResolvedDetector {
  const askedBefore = (saved?.asked ?? {}) as PlannedOptions;
  const job = asked.resolve(options, { note: saved?.note.job, secret, askedBefore });
  return { job, settings: settingsFor(job, asked, key, saved) };
}

/** Returns the number of threads of the run, and its regions, for as many as there is memory for. */
export function memoryFor<Asked>(
  { options, processors = 1, key }: RunRequest<Asked>,
  parts: Omit<RunRegionsRequest, 'threads'>,
  sources: readonly Source[],
): ResolvedMemory {
  const { settings, job } = parts;
  const { detector, time, output, input } = options;
  const threads = threadsFor({
    options: { threads: detector.threads, timeKey: time.timeKey, emit: output.emit, isFollowing: input.isFollowing },
    sources,
    canUseThreads: (job.canUseThreads ?? false) && !key.lineKeys,
    processors,
    detectorBytes: cellsBytesOf(settings),
    pays: job.threadsPay,
  });
  const tellsOneThread = detector.threads !== 'auto' && threadsMatter(sources, input.isFollowing);
  return { ...regionsFor({ ...parts, threads }), tellsOneThread };
}
