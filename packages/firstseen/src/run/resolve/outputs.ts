// Settles the options of outputs: which there are, what is written to them, and whether an earlier process has written it.

import { invalidOption } from '../../base/errors.js';
import type { Timing } from '../../framing/batch.js';
import { folderOutput } from '../../io/file/foldersink.js';
import { checkOutputs } from '../../io/formats.js';
import { writtenFormatOf } from '../../io/policies.js';
import type { FolderNames, OutputNote } from '../../io/sink.js';
import type { FormatName } from '../../records/formats.js';
import { checkAnnotation } from '../annotate.js';
import type { Job } from '../job.js';
import type { OutputOptions, StateOptions } from '../settled.js';
import type { RunRequest } from './request.js';

/** The outputs of a run: the main output, then those of the duplicates and of the names of documents. */
export function outputsOf({ output, outputFolder, duplicatesTo, idsTo, isCompressed }: OutputOptions): OutputNote[] {
  const path = outputFolder === undefined ? (output ?? null) : folderOutput(outputFolder);
  const notes: OutputNote[] = [{ path, isCompressed }];
  if (duplicatesTo !== undefined) notes.push({ path: duplicatesTo, isCompressed });
  if (idsTo !== undefined) notes.push({ path: idsTo, isCompressed, contents: 'ids' });
  return notes;
}

/** @throws FirstseenError E_USAGE when the job cannot emit what was asked for. */
function checkEmission(output: OutputOptions, job: Job<never>, format: FormatName): void {
  if (job.emissions.includes(output.emit)) {
    checkAnnotation(output, format);
    return;
  }
  const expected = `one of ${job.emissions.join(', ')} for this job`;
  throw invalidOption({ code: 'E_USAGE', option: 'emit', given: output.emit, expected });
}

/** The outputs of a run, and from what the names of the files in an output folder follow. */
interface NamedOutputs {
  notes: readonly OutputNote[];
  names: FolderNames;
}

/** @throws FirstseenError when an output cannot be written as it was asked for. */
export function namedOutputs<Asked>({ options, job, format, sources, outputs }: RunRequest<Asked>): NamedOutputs {
  checkEmission(options.output, job, format);
  const notes = outputs ?? outputsOf(options.output);
  const names = { given: options.input.inputs, written: writtenFormatOf(options.output.emit, format) };
  checkOutputs(notes, { ...options.output, ...names, sources });
  return { notes, names };
}

/**
 * Tells if a run writes what an earlier process wrote after the state was saved. Times of arrival differ, and so do random secrets
 * that no state has kept, which decide what else a detector takes for a repeat.
 */
export function repeatsOutput(
  { state, isNewRun, isReadOnly }: StateOptions,
  timing: Timing,
  isKnown: boolean,
): boolean {
  return state !== undefined && !isNewRun && !isReadOnly && typeof timing !== 'function' && isKnown;
}
