// The kinds of source: lists of documents, sources that a program has made, and those of all formats. The first kind that
// recognizes a request handles it.

import type { InputFormatName } from '../records/formats.js';
import { folderSourceKind } from './file/folder.js';
import { fileFormats, formatOfInput } from './formats.js';
import {
  type InputNote,
  type InputPosition,
  type InputRequest,
  isRepeatable,
  type Source,
  type SourceKind,
} from './source.js';
import { Folders } from './system/folders.js';
import { inputError } from './system/inputerror.js';

/** A source that a program has made. */
const givenSourceKind: SourceKind = {
  name: 'given',
  look: async (request) => (typeof request === 'object' && 'open' in request ? request : undefined),
  isNote: ({ path }) => path === undefined,
  isPosition: () => true,
};

export const sourceKinds: readonly SourceKind[] = [
  folderSourceKind,
  givenSourceKind,
  ...new Set(fileFormats.flatMap(({ sources }) => sources)),
];

/**
 * Inspects an input.
 * @param format that of its records, or that of its file
 * @param folders shared by the inputs of a run, so that the folder of many inputs is listed once
 * @throws FirstseenError E_INPUT when it does not exist or cannot be read.
 */
export async function lookAtInput(
  request: InputRequest,
  format: InputFormatName,
  folders = new Folders(),
): Promise<Source> {
  const { sources, isBinary } = formatOfInput(request, format);
  for (const kind of [folderSourceKind, givenSourceKind, ...sources]) {
    const source = await kind.look(request, { isBinary, folders });
    if (source) return source;
  }
  const name = typeof request === 'string' ? request : request.name;
  throw inputError(name, new Error('it is neither a file nor a pipe'));
}

/** Tells if some kind of source can have written this position together with this note. */
export function isPositionOf(note: InputNote, position: InputPosition | undefined): boolean {
  if (position !== undefined && !isRepeatable(note)) return false;
  return sourceKinds.some((kind) => kind.isNote(note) && (position === undefined || kind.isPosition(position)));
}
