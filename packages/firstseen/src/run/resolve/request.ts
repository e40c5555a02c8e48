// A request for a run.

import type { OutputNote } from '../../io/sink.js';
import type { Source } from '../../io/source.js';
import type { PlannedOptions } from '../../plan/auto.js';
import type { FormatName } from '../../records/formats.js';
import type { Job } from '../job.js';
import type { KeyRequest } from '../keys.js';
import type { SettledOptions } from '../settled.js';

/** A request for a run, with its inputs inspected. */
export interface RunRequest<Asked> {
  format: FormatName;
  key: KeyRequest;
  options: SettledOptions;
  job: Job<Asked>;
  /** The options of the job. */
  asked: Asked;
  sources: readonly Source[];
  /** The outputs with their real paths. By default, those of the options, as their paths are given. */
  outputs?: readonly OutputNote[];
  /** An output that is not empty. */
  heldOutput?: OutputNote | undefined;
  /** True if an earlier process began this run and wrote to its outputs, but saved no state after that. */
  isBegun?: boolean;
  /** Tells if an earlier process wrote to outputs of any run with the state, but saved no state after that. */
  areBegun?: (outputs: readonly OutputNote[]) => boolean;
  /** True if the format follows from the names of the inputs; false by default. */
  isFormatGuessed?: boolean | undefined;
  /** The secret in the secret file, if there is one. */
  secret?: PlannedOptions['secret'];
  /** Processors that this process may use; 1 by default. */
  processors?: number;
}
