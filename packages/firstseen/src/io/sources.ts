// The kinds of input, one row each. The first kind that recognizes a request handles it.

import { fileSourceKind } from './file/file.js';
import { folderSourceKind } from './file/folder.js';
import { pipeSourceKind } from './file/pipe.js';
import { parquetSourceKind } from './parquet/source.js';
import type { InputNote, InputPosition, InputRequest, LookOptions, Source, SourceKind } from './source.js';
import { inputError } from './system/inputerror.js';

export const sourceKinds: readonly SourceKind[] = [folderSourceKind, parquetSourceKind, pipeSourceKind, fileSourceKind];

/**
 * Inspects an input.
 * @throws FirstseenError E_INPUT when it does not exist or cannot be read.
 */
export async function lookAtInput(request: InputRequest, options: LookOptions): Promise<Source> {
  for (const kind of sourceKinds) {
    const source = await kind.look(request, options);
    if (source) return source;
  }
  const name = typeof request === 'string' ? request : request.name;
  throw inputError(name, new Error('it is neither a file nor a pipe'));
}

/** Whether some kind of input can have written this position together with this note. */
export function isPositionOf(note: InputNote, position: InputPosition | undefined): boolean {
  return sourceKinds.some((kind) => kind.isNote(note) && (position === undefined || kind.isPosition(position)));
}
