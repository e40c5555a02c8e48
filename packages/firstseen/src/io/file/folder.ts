// The documents in folders as an input: a list of their paths, one per record, which exists only in memory.

import { createHash } from 'node:crypto';
import {
  type ByteReader,
  byteOffsetOf,
  type FileNote,
  firstBytes,
  type InputRequest,
  isByteOffset,
  type Source,
  type SourceKind,
} from '../source.js';
import { identityOf } from '../system/identity.js';
import { systemPath } from '../system/paths.js';

const NEWLINE = 0x0a;
const ZERO = 0x00;

/** Bytes of the list per read: few, so that a run can be stopped and saved between reads. */
const PIECE_BYTES = 4096;

export interface DocumentList {
  /** Its name in messages and in the state. */
  name: string;
  paths: readonly string[];
  /** True if a zero byte ends each path. By default a newline does, and a newline within a path is given as a zero byte. */
  isZeroTerminated?: boolean;
  /** Paths that are not given before their promise has settled. */
  before?: ReadonlyMap<string, () => Promise<void>>;
}

/** A path as a record. No path has a zero byte, so a newline within a line is given as one. */
function recordOf(path: string, isZeroTerminated: boolean): Buffer {
  const bytes = Buffer.from(systemPath(path));
  if (isZeroTerminated) return Buffer.concat([bytes, Buffer.of(ZERO)]);
  return Buffer.concat([bytes.map((byte) => (byte === NEWLINE ? ZERO : byte)), Buffer.of(NEWLINE)]);
}

/** A place of the list that is not given before something was done. */
interface Gate {
  offset: number;
  before: () => Promise<void>;
}

interface ListedPaths {
  bytes: Buffer;
  gates: readonly Gate[];
}

function listOf({ paths, isZeroTerminated = false, before }: DocumentList): ListedPaths {
  const records = paths.map((path) => recordOf(path, isZeroTerminated));
  const gates: Gate[] = [];
  let offset = 0;
  for (const [i, record] of records.entries()) {
    const wait = before?.get(paths[i] as string);
    if (wait) gates.push({ offset, before: wait });
    offset += record.length;
  }
  return { bytes: Buffer.concat(records), gates };
}

function readerOf({ bytes, gates }: ListedPaths, offset: number): ByteReader {
  let at = offset;
  return {
    read: async (target) => {
      const gate = gates.find((candidate) => candidate.offset >= at);
      if (gate?.offset === at) await gate.before();
      const end = gates.find((candidate) => candidate.offset > at)?.offset ?? bytes.length;
      const piece = bytes.subarray(at, Math.min(end, at + PIECE_BYTES, at + target.length));
      target.set(piece);
      at += piece.length;
      return piece.length;
    },
    storedBytes: () => at,
    close: async () => undefined,
  };
}

function sourceOf(documents: DocumentList): Source {
  const { name } = documents;
  const listedPaths = listOf(documents);
  const list = listedPaths.bytes;
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
    open: async (position) => ({ ...readerOf(listedPaths, byteOffsetOf(position)), markAt }),
    markAtStart: () => markAt(0),
    async compare(earlier) {
      if (earlier.path !== name || earlier.storedBytes > list.length) return 'other';
      const { storedBytes, digest } = earlier;
      if (noteAt(storedBytes).digest !== digest) return 'other';
      return storedBytes === list.length ? 'same' : 'grown';
    },
    bytesAround: (offset) => firstBytes(readerOf({ bytes: list, gates: [] }, offset - 1)),
  };
}

/** A list of documents as an input, with a record for each path. */
export function listRequest(documents: DocumentList): InputRequest {
  const { name } = documents;
  return { name, identity: () => identityOf(name), look: async () => sourceOf(documents) };
}

export const folderSourceKind: SourceKind = {
  name: 'folder',
  isNote: ({ isFile }) => isFile,
  isPosition: isByteOffset,
};
