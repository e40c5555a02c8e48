// What a run does with its keyed records where it is not the main job, which observes them with its detector: another job puts
// its own observer over the detector, which finds the places of the keys where fingerprints would be. And where inputs come
// from, where they are not the files that are named.

import type { Detector } from '../detectors/detector.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { PlannedOptions } from '../plan/auto.js';
import type { RunCounts } from './counts.js';
import { type InputNote, isSameInput, lookAtInput, noteTaken } from './input/files.js';
import { type InputReader, type OpenOptions, openInput } from './input/reader.js';

/** Gives the keyed records of a batch their verdicts, in the kernel: a detector, or what stands over one. */
export interface Observer {
  readonly observed: number;
  observePlaced(count: number): void;
  observePlacedTimed(count: number): void;
  advance(timeMilliseconds: number): void;
}

/** Writes records together with what was found of them. */
export interface Annotator {
  /** What goes out for the header of the inputs. */
  header(header: Uint8Array): Uint8Array;
  /** What goes out for the first `count` records, whose verdicts stand in the kernel. */
  records(count: number): Uint8Array;
}

/** A job in the note of a state. */
export interface JobNote {
  name: string;
  /** What was asked for, as `inspect` shows it. */
  settings: Record<string, string | number>;
  observed: number;
  duplicates: number;
  /** What else it holds besides the detector. */
  rest: unknown;
}

export interface JobRun {
  observer: Observer;
  /** Where the regions of the run begin, behind those of the job. */
  regionOffset: number;
  annotator: Annotator;
  note(): JobNote;
}

export interface Job {
  name: string;
  /** What is asked of the detector and has to agree with a state. */
  detector: PlannedOptions;
  /** The settings of its detector when there is no state. */
  settings(): DetectorSettings;
  /** Bytes of its own regions in the kernel's memory. */
  regionBytes: number;
  /** The run over the detector; documents that are left out are counted among `counts`. */
  begin(detector: Detector, counts: RunCounts): JobRun;
}

export interface InputSource {
  look(path: string, isBinary: boolean): Promise<InputNote>;
  open(path: string, options: OpenOptions): Promise<InputReader>;
  isSame(known: InputNote, now: InputNote): Promise<boolean>;
  taken(note: InputNote, offset: number): Promise<InputNote>;
}

export const fileSource: InputSource = {
  look: lookAtInput,
  open: openInput,
  isSame: isSameInput,
  taken: noteTaken,
};

/** What sets a run apart from that of the main job over files. */
export interface Extension {
  /**
   * The job, settled with what a state says of it and with the secret that a file holds, if one is named.
   * @throws FirstseenError E_STATE_DIFFERS when job and state contradict each other.
   */
  job?: (saved: JobNote | undefined, secret: PlannedOptions['secret']) => Job;
  source?: InputSource;
}
