// The finished runs that a state remembers in addition to its last one, so that it recognizes one that is given again.

import type { OutputNote } from '../io/sink.js';
import { compactPosition } from '../io/sinks.js';
import { isSamePath } from '../io/system/identity.js';
import type { RunNote, StateNote } from './note.js';

/** The number of finished runs that a state remembers. */
const MAX_RUNS = 1024;

/** The number of inputs of finished runs that a state remembers. */
const MAX_READS = 4096;

/** Tells if two outputs are the same file. Standard output may be another file each time. */
function isSameFile(one: OutputNote, other: OutputNote): boolean {
  return one.path !== null && other.path !== null && isSamePath(one, other);
}

function sharesOutput(run: RunNote, outputs: readonly OutputNote[]): boolean {
  return run.outputs.some((one) => outputs.some((other) => isSameFile(one, other)));
}

/** The run with what is needed to recognize it and to continue it, in little space. */
function compactRun(run: RunNote): RunNote {
  const positions = run.positions.map((position, i) => compactPosition(run.outputs[i] as OutputNote, position));
  return { ...run, inputs: run.inputs.slice(run.input, run.input + 1), input: 0, positions };
}

/** The latest runs, as many as a state remembers; the latest last. */
function latest(runs: readonly RunNote[]): RunNote[] {
  let readCount = 0;
  const isRemembered = (run: RunNote) => {
    readCount += run.reads.length;
    return readCount <= MAX_READS;
  };
  const latestRuns: RunNote[] = [];
  for (const run of runs.slice(-MAX_RUNS).reverse()) {
    if (!isRemembered(run)) break;
    latestRuns.unshift(run);
  }
  return latestRuns;
}

export interface NewRun {
  /** The run that it continues. */
  resumes: RunNote | undefined;
  /** The outputs of the new run, which former runs no longer own. */
  outputs: readonly OutputNote[];
  /** Tells if a process went on to write to outputs and saved no state after that. */
  isBegun?: ((outputs: readonly OutputNote[]) => boolean) | undefined;
}

/**
 * The finished runs that the state of a new run remembers.
 * @param note the state before; undefined if there is none
 */
export function finishedRunsAfter(
  note: StateNote | undefined,
  { resumes, outputs, isBegun = () => false }: NewRun,
): readonly RunNote[] {
  if (!note) return [];
  const finishedRuns = [...note.finishedRuns, note.run].filter(
    (run) => run !== resumes && run.isFinished && run.inputs.length > 0 && !sharesOutput(run, outputs),
  );
  // The last piece of a compressed output may have been cut off, to be written again with more records.
  return latest(finishedRuns.map((run) => (isBegun(run.outputs) ? run : compactRun(run))));
}
