// The part of a state that belongs to the job of its runs.

/** The job of states that do not name one. */
export const UNNAMED_JOB = 'exact';

/** A job in the note of a state. */
export interface JobNote {
  name: string;
  /** Its settings, as `inspect` shows them. */
  settings: Record<string, string | number | boolean>;
  observed: number;
  duplicates: number;
  /** Its own data, apart from the detector. */
  rest: unknown;
}
