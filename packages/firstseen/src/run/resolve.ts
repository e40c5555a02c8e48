// Settles everything that decides a run, from the options and from its state. It opens no file and creates no kernel. Each group of
// options has a file in resolve/, with its checks.

import { askedNote } from '../checkpoint/asked.js';
import type { SavedRun } from '../checkpoint/resume.js';
import { noCounts } from '../framing/counts.js';
import { checkContinued } from '../io/formats.js';
import { encodeScanSettings } from '../records/settings.js';
import { keyNoteOf, rulesOf, valuesOf } from './keys.js';
import { detectorOf, memoryFor } from './resolve/detector.js';
import { notedOrder, partialPolicy, resumption } from './resolve/inputs.js';
import { namedOutputs, repeatsOutput } from './resolve/outputs.js';
import { recordsOf, shardOf } from './resolve/records.js';
import type { RunRequest } from './resolve/request.js';
import { clockOf } from './resolve/time.js';
import type { ResolvedRun } from './resolved.js';

/**
 * Settles everything that decides a run.
 * @throws FirstseenError when the options contradict each other, the state, or the inputs and outputs.
 */
export function resolveRun<Asked>(request: RunRequest<Asked>, saved: SavedRun | undefined): ResolvedRun {
  const { options, isBegun = false } = request;
  const rules = rulesOf(request.key, saved);
  const key = keyNoteOf(request, rules, valuesOf(request.format));
  const shard = shardOf(options.records, request.job);
  const detector = detectorOf(request, key, saved);
  const clock = clockOf(options, detector.settings);
  const records = recordsOf(request, { key, rules, shard }, detector);
  const { notes, names } = namedOutputs(request);
  const { resumes, finishedRuns, isDone: isRead, ...inputs } = resumption(request, saved, notes);
  const memory = memoryFor(request, { ...detector, scan: records.scan, outputCount: notes.length }, inputs.sources);
  // Invalid keys must fail before any output is opened.
  encodeScanSettings(records.scan, memory.regions.scratch);
  const { job, settings } = detector;
  // A run that leaves out the witness of its state saves the state without it.
  const isDone = isRead && settings.witnessBytes === saved?.settings.witnessBytes;
  if (resumes && !isDone) checkContinued(notes);
  const isRepeated = repeatsOutput(options.state, clock.timing, resumes !== undefined || settings.secret === undefined);
  return {
    ...{ detector, records, clock, memory },
    inputs: {
      ...{ ...inputs, isDone, isFollowing: options.input.isFollowing, order: notedOrder(options.input) },
      partial: partialPolicy(options.input, options.state, resumes),
    },
    outputs: { ...options.output, ...{ names, notes, isBegun, isRepeated } },
    state: {
      ...{ resumes, finishedRuns },
      asked: { ...saved?.asked, ...askedNote(job.detector) },
      totals: saved?.note.totals ?? noCounts,
      periodMilliseconds: options.state.checkpoint,
    },
    report: options.report,
  };
}
