// The kinds of output, one row each.

import { stat } from 'node:fs/promises';
import { formatCounted } from '../base/count.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { type BytePosition, isBytePosition, isGzip, sinkOver, startPosition } from './file/bytesink.js';
import { Descriptor, describeFile, truncation } from './file/descriptor.js';
import { isParquetOutput } from './parquet/sink.js';
import type { FormerRun, OutputNote, Sink, SinkKind, SinkOptions, SinkPosition } from './sink.js';
import { systemPath } from './system/paths.js';

/** An output that is not as an earlier run left it. */
interface ChangedOutput {
  path: string;
  /** Undefined if it is missing. */
  bytes: number | undefined;
  expectedBytes: number;
  /** Whether it has more bytes than expected, and those expected are unchanged. */
  isSameBefore?: boolean;
}

/** @throws FirstseenError E_OUTPUT that says how the output differs from what an earlier run had written. */
function refuseChanged({ path, bytes, expectedBytes, isSameBefore = false }: ChangedOutput): never {
  const had = `but an earlier run had written ${formatCounted(expectedBytes, 'byte')} to it`;
  const found = bytes === undefined ? 'is missing' : `has ${formatCounted(bytes, 'byte')}`;
  const problem =
    bytes === expectedBytes ? `${path} was changed after an earlier run had written it` : `${path} ${found}, ${had}`;
  const repair = isSameBefore ? `remove the other bytes with ${truncation(path, expectedBytes)}` : 'restore the file';
  const remedy = phrase`${repair}, or use ${optionName('isNewRun')} to write only records that are new`;
  throw new FirstseenError('E_OUTPUT', problem, { remedy });
}

/** @throws FirstseenError E_OUTPUT when something else has written to the file, or it is missing. */
async function checkUnchanged(
  note: OutputNote,
  found: number | undefined,
  known: BytePosition,
  { isFinished }: FormerRun,
) {
  const path = note.path as string;
  const { fileBytes, written } = known;
  const bytes = found ?? 0;
  if (written === undefined) {
    // A state of 0.1.0. A finished run has written no more than the state says, except the last piece of a compressed output. Of
    // a Parquet output, earlier states say nothing.
    const isExact = isFinished && !isGzip(note) && !isParquetOutput(note);
    if (isExact && bytes !== fileBytes) refuseChanged({ path, bytes: found, expectedBytes: fileBytes });
    return;
  }
  const { bytes: expectedBytes, isClosed } = written;
  if (bytes < expectedBytes) refuseChanged({ path, bytes: found, expectedBytes });
  const { digest } = await describeFile(path, expectedBytes);
  const isSameBefore = digest === written.digest;
  if (isClosed && bytes > expectedBytes) refuseChanged({ path, bytes, expectedBytes, isSameBefore });
  if (!isSameBefore && digest !== '' && written.digest !== '') refuseChanged({ path, bytes, expectedBytes: bytes });
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
    if (!run.isBegun) await checkUnchanged(note, found?.size, position, run);
    // A run that has begun may have cut off what follows the final bytes. It writes that again, because the state has it.
    const { fileBytes, written } = position;
    const expectedBytes = run.isDone ? (written?.bytes ?? fileBytes) : fileBytes;
    if ((found?.size ?? 0) < expectedBytes) refuseChanged({ path, bytes: found?.size, expectedBytes });
    return known;
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

/** The position in little space, as the kind of the output does it. */
export function compactPosition(note: OutputNote, position: SinkPosition): SinkPosition {
  return kindOf(note).compact(position);
}

/** @throws FirstseenError E_OUTPUT when it cannot be opened for writing. */
export function openSink(note: OutputNote, options: SinkOptions = {}): Promise<Sink> {
  return kindOf(note).open(note, options);
}
