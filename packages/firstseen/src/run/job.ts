// The contract of a job: what a run does with the keys of its records. A run knows its job by this contract alone; the jobs
// are rows of src/jobs/registry.ts.

import type { Detector } from '../detectors/detector.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { FirstseenError } from '../errors.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { ExceptionCounts } from './counts.js';
import type { Emission } from './options.js';

/** What the scanner leaves of each key in the kernel: its fingerprint, or where it starts and ends. */
export type KeyForm = 'fingerprints' | 'spans';

/** What came of the keys of a batch. */
export interface Observation {
  /** Keys at the front that have a verdict: all of them, unless there is a failure. */
  taken: number;
  /** Why the key at `taken` has none. */
  failure?: FirstseenError;
  /** Keys among those taken that the job found nothing to observe in. */
  exceptions?: Partial<ExceptionCounts>;
}

/** Writes records together with what was found of them. */
export interface Annotator {
  /** What goes out for the header of the inputs. */
  header(header: Uint8Array): Uint8Array;
  /** What goes out for the first `count` records, whose verdicts are in the kernel. */
  records(count: number): Uint8Array;
}

/** The job of states that name none. */
export const UNNAMED_JOB = 'exact';

/** A job in the note of a state. */
export interface JobNote {
  name: string;
  /** What it was asked for, as `inspect` shows it. */
  settings: Record<string, string | number>;
  observed: number;
  duplicates: number;
  /** What else it holds besides the detector. */
  rest: unknown;
}

/** A job under way, over a detector. */
export interface JobRun {
  /** Gives the first `count` keys in the kernel their verdicts, there. */
  observe(count: number): Observation;
  /** The same, each key at its time in the kernel's `times`. */
  observeTimed(count: number): Observation;
  /** Tells a window in time what time it is, in milliseconds since 1970. */
  advance(timeMilliseconds: number): void;
  /** For a job that can be asked for records with what was found of them. */
  readonly annotator?: Annotator;
  /** What a state keeps of it besides the detector; nothing where that is all. */
  note(): JobNote | undefined;
}

/** A job whose settings are settled. */
export interface JobPlan {
  /** What is asked of the detector, which a state has to agree with. */
  detector: PlannedOptions;
  /** The settings of its detector when there is no state. */
  settings(): DetectorSettings;
  /** The end of its own regions in the kernel's memory, which begin at `offset`. */
  regionsEnd(offset: number): number;
  begin(detector: Detector): JobRun;
}

/** What a job is told before it is settled. */
export interface JobContext {
  /** What a state says of it, if there is one. */
  note: JobNote | undefined;
  /** The secret that a file holds, if one is named. */
  secret: PlannedOptions['secret'];
}

export interface Job<Asked> {
  readonly name: string;
  readonly takes: KeyForm;
  readonly emissions: readonly Emission[];
  /** @throws FirstseenError when what is asked for contradicts itself, or E_STATE_DIFFERS what the state says. */
  resolve(asked: Asked, context: JobContext): JobPlan;
}
