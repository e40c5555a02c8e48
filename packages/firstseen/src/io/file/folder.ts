// The documents in folders as an input: a list of their paths, one per line, which exists only in memory.

import { createHash } from 'node:crypto';
import { FirstseenError } from '../../base/errors.js';
import {
  type ByteReader,
  byteOffsetOf,
  type DocumentList,
  type FileNote,
  firstBytes,
  isByteOffset,
  type Source,
  type SourceKind,
} from '../source.js';
import { systemPath } from '../system/paths.js';

const NEWLINE = Buffer.from('\n');

/** Bytes of the list per read: few, so that a run can be stopped and saved between reads. */
const PIECE_BYTES = 4096;

/** @throws FirstseenError E_INPUT for a path that contains a newline. */
function listOf(paths: readonly string[]): Buffer {
  const broken = paths.find((path) => path.includes('\n'));
  if (broken === undefined) return Buffer.concat(paths.flatMap((path) => [Buffer.from(systemPath(path)), NEWLINE]));
  throw new FirstseenError('E_INPUT', `the name of file ${JSON.stringify(broken)} contains a newline`, {
    remedy: 'rename the file, or exclude it',
  });
}

function readerOf(list: Uint8Array, offset: number): ByteReader {
  let at = offset;
  return {
    read: async (target) => {
      const piece = list.subarray(at, at + Math.min(PIECE_BYTES, target.length));
      target.set(piece);
      at += piece.length;
      return piece.length;
    },
    storedBytes: () => at,
    close: async () => undefined,
  };
}

function sourceOf({ name, paths }: DocumentList): Source {
  const list = listOf(paths);
  const noteAt = (offset: number): FileNote => ({
    path: name,
    isFile: true,
    isCompressed: false,
    storedBytes: offset,
    digest: createHash('sha256').update(list.subarray(0, offset)).digest('hex'),
  });
  const markAt = async (offset: number) => ({ input: noteAt(offset), position: { offset } });
  return {
    name,
    note: noteAt(list.length),
    mayGrow: false,
    open: async (position) => ({ ...readerOf(list, byteOffsetOf(position)), markAt }),
    markAtStart: () => markAt(0),
    async compare(known) {
      if (known.path !== name || known.storedBytes > list.length) return 'other';
      const { storedBytes, digest } = known;
      if (noteAt(storedBytes).digest !== digest) return 'other';
      return storedBytes === list.length ? 'same' : 'grown';
    },
    bytesAround: (offset) => firstBytes(readerOf(list, offset - 1)),
  };
}

export const folderSourceKind: SourceKind = {
  name: 'folder',
  look: async (request) => (typeof request === 'object' && 'paths' in request ? sourceOf(request) : undefined),
  isNote: ({ isFile }) => isFile,
  isPosition: isByteOffset,
};
