// Standard input, a pipe or a device as an input: read from its current position, and never reread.

import { stat } from 'node:fs/promises';
import type { LookOptions, PathKind, Source } from '../source.js';
import { inputName, STANDARD_STREAM, systemPath } from '../system/paths.js';
import { openPipe, openStandardInput } from './reader.js';

async function isStream(path: string): Promise<boolean> {
  if (path === STANDARD_STREAM) return true;
  const found = await stat(systemPath(path)).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

function sourceOf(path: string, { isBinary }: LookOptions): Source {
  const note = { path, isFile: false, isCompressed: false, storedBytes: 0, digest: '' };
  const mark = async () => ({ input: note, position: undefined });
  return {
    name: inputName(path),
    ...(path === STANDARD_STREAM ? {} : { path }),
    note,
    mayGrow: false,
    async open() {
      const bytes = await (path === STANDARD_STREAM ? openStandardInput(isBinary) : openPipe(path, isBinary));
      return {
        read: (target) => bytes.read(target),
        storedBytes: () => bytes.storedBytes(),
        markAt: mark,
        close: () => bytes.close(),
      };
    },
    markAtStart: mark,
    compare: async (earlier) => (earlier.path === path && !earlier.isFile && !earlier.isCompressed ? 'same' : 'other'),
    bytesAround: async () => new Uint8Array(0),
  };
}

export const pipeSourceKind: PathKind = {
  name: 'pipe',
  look: async (path, options) => ((await isStream(path)) ? sourceOf(path, options) : undefined),
  isNote: ({ path, isFile }) => path !== undefined && !isFile,
  isPosition: () => false,
};
