// What is told of the changes of a store, so that they can be made again.

import type { HeldClaim } from '../../claims/held.js';
import type { DetectorRequest } from './request.js';

/** A detector, as far as a record of it says. */
export interface RecordedEntry {
  readonly number: number;
  readonly name: string;
  readonly request: DetectorRequest;
  readonly memoryBytes: number;
  /** The time of the latest element of a detector whose window is a duration; 0 otherwise. */
  readonly timeMilliseconds: number;
}

export interface Recorder {
  /** A detector was made, of which this is the snapshot. */
  created(entry: RecordedEntry, snapshot: Uint8Array): void;
  /** A detector was sent, whose snapshot is in a file of its number. */
  imported(entry: RecordedEntry): void;
  dropped(entry: RecordedEntry): void;
  cleared(entry: RecordedEntry): void;
  /**
   * Elements were observed, at the time of the entry.
   * @param id that of their request, if it has one
   */
  observed(entry: RecordedEntry, fingerprints: BigUint64Array, id?: string): void;
  /** A claim holds a key from now on, or longer than before. */
  held(entry: RecordedEntry, claim: HeldClaim): void;
  /** No claim holds the key any more. */
  released(entry: RecordedEntry, fingerprint: bigint): void;
}

/** The maker of detectors, with the recorder of their changes: none while a log is replayed. */
export interface Recording {
  recorder: Recorder | undefined;
}
