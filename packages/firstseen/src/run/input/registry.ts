// The kinds of input, a row each. The first that knows a request takes it.

import type { InputNote, InputPosition, InputRequest, LookOptions, Source, SourceKind } from './contract.js';
import { fileKind } from './file.js';
import { folderKind } from './folder.js';
import { pipeKind } from './pipe.js';
import { inputError } from './reader.js';

export const sourceKinds: readonly SourceKind[] = [folderKind, pipeKind, fileKind];

/**
 * An input as it is now.
 * @throws FirstseenError E_INPUT when it is not there or cannot be read.
 */
export async function lookAtInput(request: InputRequest, options: LookOptions): Promise<Source> {
  for (const kind of sourceKinds) {
    const source = await kind.look(request, options);
    if (source) return source;
  }
  const name = typeof request === 'string' ? request : request.name;
  throw inputError(name, new Error('it is neither a file nor a pipe'));
}

/** Whether some kind of input can have left this position beside this note. */
export function isPositionOf(note: InputNote, position: InputPosition | undefined): boolean {
  return sourceKinds.some((kind) => kind.isNote(note) && (position === undefined || kind.isPosition(position)));
}
