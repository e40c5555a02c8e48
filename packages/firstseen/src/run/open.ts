// Opens a run according to its plan: creates the kernel and opens the outputs.

import { Detector } from '../detectors/detector.js';
import { settleClock } from './clock.js';
import type { JobRun } from './job.js';
import type { Emission } from './options.js';
import type { OutputNote } from './output/contract.js';
import { Output, WANTED_DISTINCT, WANTED_DUPLICATES, WANTED_PASSED, type Wanted } from './output/output.js';
import { openSink, positionToResume } from './output/registry.js';
import type { RunPlan } from './resolve.js';
import { Run } from './run.js';
import type { SavedState } from './state/statefile.js';

function wantedBy(emit: Emission, { annotator }: JobRun): Wanted {
  if (emit === 'distinct') return WANTED_DISTINCT | WANTED_PASSED;
  if (emit === 'duplicates') return WANTED_DUPLICATES;
  return annotator && emit === 'annotated' ? annotator : 'verdicts';
}

interface OutputRequest {
  plan: RunPlan;
  detector: Detector;
  job: JobRun;
}

/** The position at which an output continues; undefined if it starts from the beginning. */
function startOf(note: OutputNote, index: number, { resumes }: RunPlan) {
  const known = resumes?.positions[index];
  return known && positionToResume(note, known.sink, resumes?.isFinished ?? false);
}

async function openOutputs({ plan, detector, job }: OutputRequest): Promise<Output[]> {
  const { resumes, regions, options } = plan;
  const starts = await Promise.all(plan.outputs.map((note, i) => startOf(note, i, plan)));
  const outputs: Output[] = [];
  for (const [i, note] of plan.outputs.entries()) {
    const start = starts[i];
    const wanted = i === 0 ? wantedBy(options.emit, job) : WANTED_DUPLICATES;
    const output = new Output({
      kernel: detector.kernel,
      sink: await openSink(note, start),
      buffers: regions.outputs[i] as (typeof regions.outputs)[0],
      wanted,
      owesNewline: start !== undefined && (resumes?.positions[i]?.owesNewline ?? false),
    });
    outputs.push(output);
    // If the file with the header was removed, the new file starts with the header.
    const header = start === undefined ? resumes?.header : undefined;
    if (header) await output.appendHeader(Buffer.from(header, 'base64'));
  }
  return outputs;
}

/**
 * Creates the kernel and opens the outputs.
 * @param saved the state whose detector continues, if there is one
 * @throws FirstseenError E_MEMORY when the machine does not grant the memory, E_OUTPUT when an output cannot be opened,
 * E_SNAPSHOT when the detector of the state is broken, E_CLOCK when its clock is too far ahead.
 */
export async function openRun(plan: RunPlan, saved: SavedState | undefined): Promise<Run> {
  const { regionBytes, settings, options } = plan;
  const leavesWitness = settings.witnessBytes === 0;
  const detector = saved
    ? await saved.restore({ regionBytes, leavesWitness })
    : await Detector.ofSettings(settings, { regionBytes });
  settleClock(detector, options);
  const job = plan.job.begin(detector);
  const outputs = await openOutputs({ plan, detector, job });
  const strictProblem = options.isStrict ? (await import('../records/strict.js')).strictProblem : undefined;
  return new Run(plan, { detector, job, outputs, strictProblem });
}
