// The note of a state, and the file in which its next one is written.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StateNote } from '../../../src/checkpoint/note.js';
import { readState } from '../../../src/checkpoint/runstate.js';
import { noCounts } from '../../../src/framing/counts.js';

/** The file in which the next state is written, while its path is locked. */
export function partOf(path: string): string {
  const [token = ''] = readdirSync(`${path}.lock`);
  return join(`${path}.lock`, token, 'state.part');
}

/** The note of the run in a state. */
export async function noteIn(path: string): Promise<StateNote | undefined> {
  const saved = await readState(path);
  await saved?.close();
  return saved?.note;
}

export const note: StateNote = {
  key: { format: 'lines', keys: [] },
  asked: { memory: 4096 },
  totals: { ...noCounts, records: 5, tooLong: 1 },
  run: {
    inputs: [{ path: 'in', isFile: true, isCompressed: false, storedBytes: 4, digest: 'ab' }],
    outputs: [{ path: null, isCompressed: false }],
    ...{ emit: 'distinct', partial: 'wait', input: 0, offset: 4, lines: 2, position: { offset: 4 }, header: null },
    reads: [],
    positions: [{ fileBytes: 0, pending: '', owesNewline: true }],
    counts: { ...noCounts, records: 2, tooLong: 1 },
    isFinished: false,
  },
  finishedRuns: [],
};
