// The kinds of output, one row each.

import { stat } from 'node:fs/promises';
import { formatCounted } from '../../count.js';
import { FirstseenError, optionName, phrase } from '../../errors.js';
import { systemPath } from '../paths.js';
import type { OutputNote, Sink, SinkKind, SinkPosition } from './contract.js';
import { Descriptor } from './descriptor.js';
import { type BytePosition, isBytePosition, sinkOver, startPosition } from './sink.js';

/** A file, or a named pipe or device. */
const fileSinkKind: SinkKind = {
  name: 'file',
  isKindOf: ({ path }) => path !== null,
  isPosition: isBytePosition,
  async positionToResume({ path }, known, isFinished) {
    const { fileBytes } = known as BytePosition;
    const bytes = await stat(systemPath(path as string)).then(
      ({ size }) => size,
      () => 0,
    );
    if (bytes >= fileBytes) return known;
    // The output of a finished run may have been removed. New records then go to a new file.
    if (isFinished) return undefined;
    throw new FirstseenError(
      'E_OUTPUT',
      `${path} has ${formatCounted(bytes, 'byte')}, but the run to continue had written ${fileBytes}`,
      { remedy: phrase`restore the file, or use ${optionName('isNewRun')} to keep only the detector` },
    );
  },
  async open(note, position) {
    const at = (position ?? startPosition) as BytePosition;
    return sinkOver(await Descriptor.openFile(note.path as string, at.fileBytes), note, at);
  },
};

/** Standard output, which is never cut back. */
const standardSinkKind: SinkKind = {
  name: 'standard output',
  isKindOf: ({ path }) => path === null,
  isPosition: isBytePosition,
  positionToResume: async () => startPosition,
  open: async (note) => sinkOver(Descriptor.openStandardOutput(), note, startPosition),
};

export const sinkKinds: readonly SinkKind[] = [fileSinkKind, standardSinkKind];

function kindOf(note: OutputNote): SinkKind {
  return sinkKinds.find((kind) => kind.isKindOf(note)) as SinkKind;
}

/** Whether an output can have written this position to a state. */
export function isSinkPosition(note: OutputNote, position: SinkPosition): boolean {
  return kindOf(note).isPosition(note, position);
}

/** @throws FirstseenError as the kind of the output does. */
export function positionToResume(
  note: OutputNote,
  known: SinkPosition,
  isFinished: boolean,
): Promise<SinkPosition | undefined> {
  return kindOf(note).positionToResume(note, known, isFinished);
}

/** @throws FirstseenError E_OUTPUT when it cannot be opened for writing. */
export function openSink(note: OutputNote, position?: SinkPosition): Promise<Sink> {
  return kindOf(note).open(note, position);
}
