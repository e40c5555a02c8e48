// Compares the files of a run with the run in its state, before anything is decided. Nothing is written.

import { stat } from 'node:fs/promises';
import { identityOf } from '../identity.js';
import type { InputComparison, Source } from '../input/contract.js';
import type { OutputNote } from '../output/contract.js';
import { systemPath } from '../paths.js';
import type { RunNote } from './note.js';
import type { SavedFindings } from './resume.js';

function compareAll(known: RunNote, sources: readonly Source[]): Promise<InputComparison[]> {
  return Promise.all(
    sources.map(async (source, i) => {
      const before = known.inputs[i];
      return before ? source.compare(before) : 'other';
    }),
  );
}

/** Only for the current input, and only if it has grown: otherwise nothing follows the end of what was processed. */
async function bytesAroundEnd(
  known: RunNote,
  sources: readonly Source[],
  comparisons: readonly InputComparison[],
): Promise<Uint8Array> {
  const source = sources[known.input];
  const hasGrown = comparisons[known.input] === 'grown' && known.isFinished && known.offset > 0;
  return source && hasGrown ? source.bytesAround(known.offset) : new Uint8Array(0);
}

/** An output of the run in the state that is not empty. */
async function heldOutputOf(known: RunNote, outputs: readonly OutputNote[]): Promise<string | undefined> {
  const before = new Set(known.outputs.map(({ path }) => (path === null ? '' : identityOf(path))));
  for (const { path } of outputs) {
    if (path === null || !before.has(identityOf(path))) continue;
    const found = await stat(systemPath(path)).catch(() => undefined);
    if (found?.isFile() && found.size > 0) return path;
  }
  return undefined;
}

/** @throws FirstseenError E_INPUT when an input can no longer be read. */
export async function findingsOf(
  known: RunNote,
  sources: readonly Source[],
  outputs: readonly OutputNote[],
): Promise<SavedFindings> {
  const comparisons = await compareAll(known, sources);
  return {
    comparisons,
    bytesAround: await bytesAroundEnd(known, sources, comparisons),
    heldOutput: await heldOutputOf(known, outputs),
  };
}
