// The jobs, one row each: what the command and programs can do with records.

import { exactJob, runFiles } from './exact/job.js';
import { motifEmissions, runMotifs } from './motifs/run.js';
import { nearJob } from './near/job.js';
import { runDocuments } from './near/run.js';

/** What a job receives of each record: a form of its key, or the record itself if the job has its own pipeline. */
export type RecordForm = 'fingerprints' | 'spans' | 'records';

export interface JobRow<Options, Stats> {
  /** The name in the note of a state. It is also the name of the subcommand, except for the job of the main command. */
  readonly name: string;
  readonly takes: RecordForm;
  /** What the main output can receive. */
  readonly emissions: readonly string[];
  /** Runs the job. Only the inputs, and options without a default, are mandatory. */
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
