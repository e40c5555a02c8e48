// The jobs, a row each: what the command and a program can have done with records.

import { exactJob, runFiles } from './exact.js';
import { motifEmissions, runMotifs } from './motifs/run.js';
import { nearJob } from './near/job.js';
import { runDocuments } from './near/run.js';

/** What a job is given of each record: a form of its key, or for a job with a pipeline of its own the record itself. */
export type RecordForm = 'fingerprints' | 'spans' | 'records';

export interface JobRow<Options, Stats> {
  /** What the note of a state calls it; also the subcommand, but for the job that the program does without one. */
  readonly name: string;
  readonly takes: RecordForm;
  /** What the main output can be asked to receive. */
  readonly emissions: readonly string[];
  /** From options, of which only the inputs and what has no default are mandatory, to the summary. */
  run(options: Options): Promise<Stats>;
}

function row<Options, Stats, Job extends Omit<JobRow<Options, Stats>, 'run'>>(
  { name, takes, emissions }: Job,
  run: (options: Options) => Promise<Stats>,
): JobRow<Options, Stats> & { emissions: Job['emissions'] } {
  return { name, takes, emissions, run };
}

export const jobs = {
  exact: row(exactJob, runFiles),
  near: row(nearJob, runDocuments),
  motifs: row({ name: 'motifs', takes: 'records', emissions: motifEmissions } as const, runMotifs),
};
