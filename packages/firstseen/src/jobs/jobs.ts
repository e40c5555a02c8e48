// The jobs, one row each: what the command and programs can do with records.

import { type CommandJob, type CommandRow, commandRows } from '../options/commands.js';
import { motifEmit } from '../options/motifs.js';
import type { RunOptions } from '../run/runoptions.js';
import { exactJob } from './exact/job.js';
import { runFiles } from './exact/run.js';
import { type MotifRunOptions, runMotifs } from './motifs/run.js';
import type { DocumentOptions } from './near/documentoptions.js';
import { nearJob } from './near/job.js';
import { runDocuments } from './near/run.js';
import { passagesJob } from './passages/job.js';
import type { PassageOptions } from './passages/passageoptions.js';
import { runPassages } from './passages/run.js';
import { spillJob } from './spill/job.js';

/**
 * The form in which a job receives each record: a form of its key, or the record itself if the job has its own
 * pipeline.
 */
export type RecordForm = 'fingerprints' | 'spans' | 'records';

export interface JobRow<Options, Stats> {
  /** The name in the note of a state. */
  readonly name: string;
  readonly takes: RecordForm;
  /** The kinds of content that the main output can receive. */
  readonly emissions: readonly string[];
  /** Its command. A job without one is an option of another job. */
  readonly command?: CommandRow;
  /** Runs the job. Only the inputs, and options without a default, are mandatory. */
  run(options: Options): Promise<Stats>;
}

function row<Options, Stats, Job extends Omit<JobRow<Options, Stats>, 'run' | 'command'>>(
  { name, takes, emissions }: Job,
  run: (options: Options) => Promise<Stats>,
): JobRow<Options, Stats> & { emissions: Job['emissions'] } {
  return { name, takes, emissions, run };
}

function withCommand<Row>(made: Row, job: CommandJob): Row & { command: CommandRow } {
  return { ...made, command: commandRows[job] };
}

/**
 * The commands are in the order of the help. The functions that most runs do not call are not read before they are called: the bundle loads
 * them then (tools/build/later.mjs).
 */
export const jobs = {
  exact: withCommand(row(exactJob, runFiles), 'exact'),
  spill: row(spillJob, (options: RunOptions & { spill: string }) => runFiles(options)),
  motifs: withCommand(
    row({ name: 'motifs', takes: 'records', emissions: motifEmit.words } as const, (options: MotifRunOptions) =>
      runMotifs(options),
    ),
    'motifs',
  ),
  near: withCommand(
    row(nearJob, (options: DocumentOptions) => runDocuments(options)),
    'near',
  ),
  passages: withCommand(
    row(passagesJob, (options: PassageOptions) => runPassages(options)),
    'passages',
  ),
};
