// The kinds of output, one row each.

import { stat } from 'node:fs/promises';
import { formatCounted } from '../../count.js';
import { FirstseenError, optionName, phrase } from '../../errors.js';
import { systemPath } from '../paths.js';
import type { FormerRun, OutputNote, Sink, SinkKind, SinkOptions, SinkPosition } from './contract.js';
import { Descriptor, describeFile } from './descriptor.js';
import { type BytePosition, isBytePosition, isGzip, sinkOver, startPosition } from './sink.js';

/** @throws FirstseenError E_OUTPUT that says how the output differs from what an earlier run had written. */
function refuseChanged(path: string, bytes: number | undefined, expectedBytes: number): never {
  const had = `but an earlier run had written ${formatCounted(expectedBytes, 'byte')} to it`;
  const found = bytes === undefined ? 'is missing' : `has ${formatCounted(bytes, 'byte')}`;
  const problem =
    bytes === expectedBytes ? `${path} was changed after an earlier run had written it` : `${path} ${found}, ${had}`;
  const remedy = phrase`restore the file, or use ${optionName('isNewRun')} to write only records that are new`;
  throw new FirstseenError('E_OUTPUT', problem, { remedy });
}

/** @throws FirstseenError E_OUTPUT when something else has written to the file. */
async function checkUnchanged(note: OutputNote, bytes: number, known: BytePosition, { isFinished }: FormerRun) {
  const path = note.path as string;
  const { fileBytes, written } = known;
  if (written === undefined) {
    // A state of 0.1.0. A finished run has written no more than the state says, except the last piece of a compressed output.
    if (isFinished && !isGzip(note) && bytes !== fileBytes) refuseChanged(path, bytes, fileBytes);
    return;
  }
  if (written.isClosed ? bytes !== written.bytes : bytes < written.bytes) refuseChanged(path, bytes, written.bytes);
  const { digest } = await describeFile(path, written.bytes);
  if (digest !== written.digest && digest !== '' && written.digest !== '') refuseChanged(path, bytes, bytes);
}

/** A file, or a named pipe or device. */
const fileSinkKind: SinkKind = {
  name: 'file',
  isKindOf: ({ path }) => path !== null,
  isPosition: isBytePosition,
  async positionToResume(note, known, run) {
    const position = known as BytePosition;
    const path = note.path as string;
    const found = await stat(systemPath(path)).catch(() => undefined);
    if (found && !found.isFile()) return known;
    const bytes = found?.size ?? 0;
    if (bytes < position.fileBytes) refuseChanged(path, found?.size, position.fileBytes);
    if (run.isFinished) await this.checkThere(note, known);
    if (!run.isBegun) await checkUnchanged(note, bytes, position, run);
    return known;
  },
  async checkThere(note, known) {
    const { fileBytes, written } = known as BytePosition;
    const path = note.path as string;
    const found = await stat(systemPath(path)).catch(() => undefined);
    const expectedBytes = written?.bytes ?? fileBytes;
    if (found && !found.isFile()) return;
    if ((found?.size ?? 0) < expectedBytes) refuseChanged(path, found?.size, expectedBytes);
  },
  compact(position) {
    const { written } = position as BytePosition;
    return written ? { fileBytes: written.bytes, pending: '', written } : position;
  },
  async open(note, { position = startPosition, isRepeated = false }) {
    const at = position as BytePosition;
    // Another version of Node may compress to other bytes.
    const isCompared = isRepeated && !isGzip(note);
    return sinkOver(await Descriptor.openFile(note.path as string, at.fileBytes, isCompared), note, at);
  },
};

/** Standard output, which is never cut back. */
const standardSinkKind: SinkKind = {
  name: 'standard output',
  isKindOf: ({ path }) => path === null,
  isPosition: isBytePosition,
  positionToResume: async () => startPosition,
  checkThere: async () => undefined,
  compact: () => startPosition,
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
export function positionToResume(note: OutputNote, known: SinkPosition, run: FormerRun): Promise<SinkPosition> {
  return kindOf(note).positionToResume(note, known, run);
}

/** @throws FirstseenError as the kind of the output does. */
export function checkThere(note: OutputNote, known: SinkPosition): Promise<void> {
  return kindOf(note).checkThere(note, known);
}

/** The position in little space, as the kind of the output does it. */
export function compactPosition(note: OutputNote, position: SinkPosition): SinkPosition {
  return kindOf(note).compact(position);
}

/** @throws FirstseenError E_OUTPUT when it cannot be opened for writing. */
export function openSink(note: OutputNote, options: SinkOptions = {}): Promise<Sink> {
  return kindOf(note).open(note, options);
}
