// A file or a stream that holds one JSON array, as an input: a line for each element. A position is an offset in these lines, so a
// run continues by reading what is before it again.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { compareWhole } from '../file/compare.js';
import { fileSourceKind } from '../file/file.js';
import { pipeSourceKind } from '../file/pipe.js';
import {
  byteOffsetOf,
  DamagedInput,
  type InputNote,
  type InputReader,
  isByteOffset,
  type PathKind,
  type Source,
} from '../source.js';
import { ArrayFault, ArrayLines } from './text.js';

/** Bytes that are passed over at once. */
const PASSED_BYTES = 2 ** 16;

function errorOf(name: string, fault: unknown): unknown {
  if (!(fault instanceof ArrayFault)) return fault;
  const problem = `cannot read ${name} as json: ${fault.message}`;
  if (!fault.isOther)
    return new DamagedInput(problem, { remedy: 'check that the file is complete, for example with jq .' });
  return new FirstseenError('E_INPUT', problem, {
    remedy: phrase`give ${optionName('format')} ndjson for objects that have a line each`,
  });
}

/** Reads the lines of the array that a reader has. */
function readingLines(reader: InputReader, name: string): InputReader['read'] {
  const lines = new ArrayLines();
  return async (target) => {
    for (;;) {
      const bytes = await reader.read(target);
      try {
        if (bytes === 0) lines.end();
        const lineBytes = lines.replace(target, bytes);
        if (bytes === 0 || lineBytes > 0) return lineBytes;
      } catch (fault) {
        throw errorOf(name, fault);
      }
    }
  };
}

/** Passes over the first bytes that are read. A thread that decompresses the input reads only to shared memory. */
async function pass(read: InputReader['read'], bytes: number): Promise<void> {
  const target = new Uint8Array(new SharedArrayBuffer(Math.min(bytes, PASSED_BYTES)));
  for (let left = bytes, passed = 1; left > 0 && passed > 0; left -= passed) {
    passed = await read(target.subarray(0, left));
  }
}

/** An input whose text is an array. */
function arrayIn(storedSource: Source): Source {
  // An offset in the lines does not correspond to an offset in the file, as in compressed inputs.
  const note: InputNote = storedSource.note.isFile ? { ...storedSource.note, isCompressed: true } : storedSource.note;
  const markAt = async (offset: number) => ({ input: note, position: note.isFile ? { offset } : undefined });
  return {
    name: storedSource.name,
    ...(storedSource.path === undefined ? {} : { path: storedSource.path }),
    note,
    format: 'json',
    mayGrow: false,
    async open(position, decompressing) {
      const reader = await storedSource.open(undefined, decompressing);
      const read = readingLines(reader, storedSource.name);
      await pass(read, byteOffsetOf(position));
      return { read, markAt, storedBytes: () => reader.storedBytes(), close: () => reader.close() };
    },
    markAtStart: () => markAt(0),
    compare: async (earlier) => (note.isFile ? compareWhole(earlier, note) : storedSource.compare(earlier)),
    // A line that is read has its end.
    bytesAround: async () => new Uint8Array(0),
  };
}

export const arraySourceKind: PathKind = {
  name: 'json',
  async look(path, options) {
    for (const kind of [pipeSourceKind, fileSourceKind]) {
      const stored = await kind.look(path, options);
      if (stored) return arrayIn(stored);
    }
    return undefined;
  },
  isNote: ({ path }) => path !== undefined,
  isPosition: isByteOffset,
};
