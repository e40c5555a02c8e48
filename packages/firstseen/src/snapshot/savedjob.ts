// The note of a snapshot whose detector is the table of something else: what a state of the command keeps of its job, and the note of
// the program.

import { FirstseenError } from '../base/errors.js';
import { decodeBase64, encodeBase64 } from '../base/utf8.js';
import { checkNoteBytes } from './frame.js';
import { encodeJsonNote } from './snapshots.js';

/** A job in the note of a state. */
export interface SavedJob<Rest = unknown> {
  name: string;
  /** Its settings, as `inspect` shows them. */
  settings: Record<string, string | number | boolean>;
  observed: number;
  duplicates: number;
  /** Its own data, apart from the detector. */
  rest: Rest;
}

/**
 * The note of a snapshot of the library. The note of the program is in it.
 * @throws FirstseenError E_PARAMETER when it is too long.
 */
export function encodeJobNote({ job, note }: { job: SavedJob; note: Uint8Array }): Uint8Array {
  checkNoteBytes(Math.ceil(note.length / 3) * 4);
  return encodeJsonNote({ job, note: encodeBase64(note) });
}

/** The job that a snapshot has to be of. */
export interface WantedJob {
  /** Any, by default. */
  name?: string;
  /** `near-duplicate detection` */
  what: string;
}

/**
 * The parts of the note of a snapshot. A state of the command has no note of a program.
 * @throws FirstseenError E_SNAPSHOT for another note.
 */
export function decodeJobNote(bytes: Uint8Array, { name, what }: WantedJob): { job: SavedJob; note: Uint8Array } {
  try {
    const { job, note } = JSON.parse(new TextDecoder().decode(bytes)) as { job: SavedJob; note?: string };
    if (job.name === (name ?? job.name) && typeof job.settings === 'object') {
      return { job, note: decodeBase64(note ?? '') };
    }
  } catch {
    // It is not such a note.
  }
  throw new FirstseenError('E_SNAPSHOT', `this is not a snapshot of ${what}`, {
    remedy: 'load it with the function for what was saved: load, loadNear or loadPassages',
  });
}
