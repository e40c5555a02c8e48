// The part of a state that belongs to the job of its runs.

import type { SavedJob } from '../snapshot/savedjob.js';

/** The job of states that do not name one. */
export const UNNAMED_JOB = 'exact';

/** A job in the note of a state. */
export type JobNote = SavedJob;
