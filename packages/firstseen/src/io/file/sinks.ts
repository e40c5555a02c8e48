// Files and standard output as outputs: whether a file is as a run left it, and where it continues.

import { stat } from 'node:fs/promises';
import { formatCounted } from '../../base/count.js';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { FormerRun, OutputNote, SinkKind, SinkPosition, SinkRequest } from '../sink.js';
import { systemPath } from '../system/paths.js';
import { ArrayBytes } from './arraybytes.js';
import {
  type ByteForm,
  type BytePosition,
  type ByteSink,
  bytesTo,
  firstByte,
  isBytePosition,
  isCompressed,
} from './bytesink.js';
import { Descriptor, describeFile, truncation } from './descriptor.js';
import { TextSink } from './textsink.js';

/** An output that is not as an earlier run left it. */
interface ChangedOutput {
  path: string;
  /** The size of the file; undefined if the file is missing. */
  bytes: number | undefined;
  expectedBytes: number;
  /** True if it has more bytes than expected, and those expected are unchanged. */
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

/** An output file as it is, and as the run left it. */
interface FoundFile {
  path: string;
  /** The size of the file; undefined if the file is missing. */
  found: number | undefined;
  known: BytePosition;
}

/** @throws FirstseenError E_OUTPUT when something else has written to the file, or it is missing. */
async function checkUnchanged({ path, found, known }: FoundFile): Promise<void> {
  const { written } = known;
  const bytes = found ?? 0;
  if (written === undefined) return;
  const { bytes: expectedBytes, isClosed } = written;
  if (bytes < expectedBytes) refuseChanged({ path, bytes: found, expectedBytes });
  const { digest } = await describeFile(path, expectedBytes);
  const isSameBefore = digest === written.digest;
  if (isClosed && bytes > expectedBytes) refuseChanged({ path, bytes, expectedBytes, isSameBefore });
  if (!isSameBefore && digest !== '' && written.digest !== '') refuseChanged({ path, bytes, expectedBytes: bytes });
}

/**
 * The position at which a run continues a file.
 * @throws FirstseenError E_OUTPUT when the file is not as the run left it.
 */
export async function fileToResume(note: OutputNote, position: SinkPosition, run: FormerRun): Promise<SinkPosition> {
  const bytePosition = position as unknown as BytePosition;
  const path = note.path as string;
  const stats = await stat(systemPath(path)).catch(() => undefined);
  if (stats && !stats.isFile()) return position;
  if (!run.isBegun) await checkUnchanged({ path, found: stats?.size, known: bytePosition });
  // A run that has begun may have cut off what follows the final bytes. It writes that again, because the state has it.
  const { fileBytes, written } = bytePosition;
  const expectedBytes = run.isDone ? (written?.bytes ?? fileBytes) : fileBytes;
  if ((stats?.size ?? 0) < expectedBytes) refuseChanged({ path, bytes: stats?.size, expectedBytes });
  return position;
}

/** A position after the last member of a compressed file. */
export function compactFile(position: SinkPosition): SinkPosition {
  const { written, hasEnd, owesNewline } = position as unknown as BytePosition & { owesNewline: boolean };
  return written && !hasEnd ? { fileBytes: written.bytes, pending: '', written, owesNewline } : position;
}

/** Opens a file at a position. @param isRepeated as in `SinkRequest` */
async function openFileBytes(form: ByteForm, isRepeated: boolean): Promise<ByteSink> {
  const { note, position } = form;
  // Another version of Node may compress to other bytes, and the end of an array is replaced.
  const isCompared = isRepeated && !isCompressed(note) && !position.hasEnd;
  return bytesTo(() => Descriptor.openFile(note.path as string, position.fileBytes, isCompared), form);
}

function gzipLevelOf({ selection }: SinkRequest): number | undefined {
  return typeof selection === 'object' ? selection.gzipLevel : undefined;
}

/** Writes the lines of an output as the array that it may be. */
function withForm(bytes: ByteSink, { isArray = false }: SinkRequest, { fileBytes, pending }: BytePosition): ByteSink {
  return isArray ? new ArrayBytes(bytes, fileBytes > 0 || pending !== '') : bytes;
}

/** Opens an output for bytes that are not records, at its beginning. @throws FirstseenError as `SinkKind.open` */
export async function openBytes(path: string | null): Promise<ByteSink> {
  const form = { note: { path, isCompressed: false }, position: firstByte };
  return path === null ? bytesTo(() => Descriptor.openStandardOutput(), form) : openFileBytes(form, false);
}

/** A file, or a named pipe or device. */
export const fileSinkKind: SinkKind = {
  name: 'file',
  isKindOf: ({ path }) => path !== null,
  isPosition: isBytePosition,
  positionToResume(note, known, run) {
    // A finished run has written no more than the state says, except the last piece of a compressed output.
    return fileToResume(note, known, run);
  },
  compact: compactFile,
  async open(note, request) {
    const position = (request.position ?? firstByte) as unknown as BytePosition;
    const form = { note, position, gzipLevel: gzipLevelOf(request), hasRecordMembers: request.hasRecordMembers };
    const bytes = await openFileBytes(form, request.isRepeated ?? false);
    return new TextSink(withForm(bytes, request, position), request);
  },
};

function standardPosition({ owesNewline }: SinkPosition): SinkPosition {
  return { ...firstByte, owesNewline };
}

/** Standard output, which is never cut back. */
export const standardSinkKind: SinkKind = {
  name: 'standard output',
  isKindOf: ({ path }) => path === null,
  isPosition: isBytePosition,
  positionToResume: async (_, known) => standardPosition(known),
  compact: standardPosition,
  open: async (note, request) => {
    const { hasRecordMembers } = request;
    const form = { note, position: firstByte, gzipLevel: gzipLevelOf(request), hasRecordMembers };
    const bytes = await bytesTo(() => Descriptor.openStandardOutput(), form);
    return new TextSink(withForm(bytes, request, firstByte), request);
  },
};
