// A file as an input. It is recognized by the bytes at its start and end, whatever its name is now.

import { type FileHandle, stat } from 'node:fs/promises';
import { isSameLog, type LogFile, rotatedBefore, unrecognizedBeside } from '../log/rotation.js';
import {
  byteOffsetOf,
  type Decompressing,
  type FileNote,
  firstBytes,
  type InputMark,
  type InputReader,
  InputReplaced,
  isByteOffset,
  type LookOptions,
  type PathKind,
  type RotatedFile,
  type Source,
} from '../source.js';
import { digestEdges } from '../system/edges.js';
import { folderError, inputError } from '../system/inputerror.js';
import { systemPath } from '../system/paths.js';
import { bytesOfBeginning, type Content, compare, contentOf, ifDamaged } from './compare.js';
import { isFileOf, MAX_LOOKS, markUpTo, noteOf, openSame, pathsNow, withNoted } from './filenote.js';
import type { ReadEdges } from './readedges.js';
import { type OpenFile, openFile } from './reader.js';

/** Stored bytes of a compressed file from which it saves time to start a thread that decompresses it. */
const MIN_BYTES_OF_THREAD = 2 ** 22;

/** Tells if the content of a file, compressed or not, is the beginning of a log as the log is now. */
async function isBeginningOf(file: RotatedLogFile, log: FileNote, options: LookOptions): Promise<boolean> {
  const source = log.isCompressed ? undefined : await lookAtRotated(file, options);
  if (!source) return false;
  const { storedBytes, digest } = await contentOf(source.note as FileNote, options.isBinary);
  return (await withNoted(log, (open) => digestEdges(open, storedBytes))) === digest;
}

/** A file that log rotation has made of a log. The log itself may get the inode of a file that was removed. */
interface RotatedLogFile extends LogFile {
  /** The path of the log. */
  log: string;
}

/**
 * Inspects a rotated file, which log rotation may have renamed since it was found; undefined if it cannot be read.
 * @throws InputReplaced when it is gone
 */
async function lookAtRotated(
  { path, inode, storedBytes, log }: RotatedLogFile,
  options: LookOptions,
): Promise<Source | undefined> {
  let isThere = true;
  for (let attempt = 0; attempt < MAX_LOOKS; attempt++) {
    const now = (await pathsNow({ path, inode })).find((candidate) => candidate !== log);
    isThere = now !== undefined;
    const source = isThere ? await fileSourceKind.look(now as string, options).catch(() => undefined) : undefined;
    const { note } = source ?? {};
    if (note?.inode !== inode) continue;
    if (note.storedBytes >= storedBytes) return source;
    // The file was removed, and a new one has its inode.
    isThere = false;
  }
  if (isThere) return undefined;
  throw new InputReplaced(path);
}

async function unrecognized(
  { path, realPath = path }: FileNote,
  { folders }: LookOptions,
  sinceMilliseconds: number,
): Promise<string[]> {
  const files = await unrecognizedBeside(realPath, folders);
  return files.filter((file) => file.modifiedMilliseconds > sinceMilliseconds).map((file) => file.path);
}

function rotatedFiles(
  { path, realPath = path }: FileNote,
  options: LookOptions,
  inodes?: ReadonlySet<string>,
): Promise<readonly RotatedFile[]> {
  const withLook = (file: LogFile) => ({
    ...file,
    look: () => lookAtRotated({ ...file, log: realPath }, options),
    isBeginningOf: (log: FileNote) => isBeginningOf({ ...file, log: realPath }, log, options),
  });
  return rotatedBefore(realPath, options.folders, inodes).then((files) => files.map(withLook));
}

/** A file up to an offset. An offset in the decompressed data does not correspond to an offset in the file. */
async function markAt(
  note: FileNote,
  offset: number,
  edges: ReadEdges | undefined,
  hasBeginnings = false,
): Promise<InputMark> {
  return note.isCompressed ? { input: note, position: { offset } } : markUpTo(note, offset, edges, hasBeginnings);
}

function readerOf(note: FileNote, file: OpenFile): InputReader {
  return {
    read: (target) => file.read(target),
    storedBytes: () => file.storedBytes(),
    markAt: (offset, hasBeginnings) => markAt(note, offset, file.edges, hasBeginnings),
    close: () => file.close(),
  };
}

function sourceOf(note: FileNote, options: LookOptions): Source {
  const { path } = note;
  const { isBinary } = options;
  let content: Promise<Content | undefined> | undefined;
  const check = async (file: FileHandle) => {
    if (!(await isFileOf(note, file))) throw new InputReplaced(path);
  };
  const openAt = (offset: number, decompressing?: Decompressing) =>
    openFile(path, { isBinary, offset, decompressing, openStored: () => openSame(note), check });
  return {
    name: path,
    path,
    note,
    mayGrow: !note.isCompressed,
    open: async (position, decompressing) => {
      const savesTime = decompressing?.isStarted || note.storedBytes >= MIN_BYTES_OF_THREAD;
      return readerOf(note, await openAt(byteOffsetOf(position), savesTime ? decompressing : undefined));
    },
    markAtStart: () => markAt(note, 0, undefined),
    compare: (earlier) => compare(earlier, note),
    bytesOfBeginning: (earlier) => {
      const readContent = () => {
        content ??= contentOf(note, isBinary).catch(ifDamaged(undefined));
        return content;
      };
      return bytesOfBeginning(earlier, note, readContent);
    },
    bytesAround: async (offset) => firstBytes(await openAt(offset - 1)),
    isSameLog: (earlier) => earlier.path !== undefined && isSameLog(earlier, note),
    rotated: (inodes) => rotatedFiles(note, options, inodes),
    unrecognized: (sinceMilliseconds) => unrecognized(note, options, sinceMilliseconds),
  };
}

export const fileSourceKind: PathKind = {
  name: 'file',
  async look(path, options) {
    const stats = await stat(systemPath(path)).catch((cause) => {
      throw inputError(path, cause);
    });
    if (stats.isDirectory()) throw folderError(path);
    return stats.isFile() ? sourceOf(await noteOf(path, options.isBinary), options) : undefined;
  },
  isNote: ({ isFile }) => isFile,
  isPosition: isByteOffset,
};
