// The kinds of source: lists of documents, sources that a program has made, and those of all formats; and the requests for them, which
// are made where a run begins.

import type { InputFormatName } from '../records/formats.js';
import { folderSourceKind } from './file/folder.js';
import { pathRequest, standardInput } from './file/request.js';
import { fileFormats, formatOfInput } from './formats.js';
import {
  type InputNote,
  type InputPosition,
  type InputRequest,
  isRepeatable,
  type Source,
  type SourceKind,
} from './source.js';
import { objectSourceKind } from './store/note.js';
import { OpenStores } from './store/openstores.js';
import { objectRequest } from './store/place.js';
import { Folders } from './system/folders.js';
import { inputError } from './system/inputerror.js';
import { isObjectName } from './system/objectname.js';
import { STANDARD_STREAM } from './system/paths.js';

/** Sources whose inputs have no path. They check their positions themselves. */
const givenSourceKind: SourceKind = {
  name: 'given',
  isNote: (note) => note.path === undefined && !objectSourceKind.isNote(note),
  isPosition: () => true,
};

export const sourceKinds: readonly SourceKind[] = [
  folderSourceKind,
  objectSourceKind,
  givenSourceKind,
  ...new Set(fileFormats.flatMap(({ sources }) => sources)),
];

/** The request for an input as it is named, where `-` is standard input, or for a source that a program has made. */
export function requestOf(input: string | Source): InputRequest {
  if (typeof input !== 'string') return { name: input.name, look: async () => input };
  if (isObjectName(input)) {
    return objectRequest(input, async (kinds, options) =>
      (await import('./store/request.js')).lookAtNamed(input, kinds, options),
    );
  }
  return input === STANDARD_STREAM ? standardInput : pathRequest(input);
}

/**
 * The requests for inputs as they are named. Objects of stores are looked at, and listed where the name is a pattern.
 * @throws FirstseenError as `objectRequests`
 */
export async function requestsOf(
  inputs: readonly string[],
  stores = new OpenStores(),
): Promise<readonly InputRequest[]> {
  const names = inputs.filter(isObjectName);
  if (names.length === 0) return inputs.map(requestOf);
  const { objectRequests, Stores } = await import('./store/request.js');
  const objects = [...(await objectRequests(names, new Stores(stores)))];
  return inputs.flatMap((input) => (isObjectName(input) ? (objects.shift() ?? []) : [requestOf(input)]));
}

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
  const source = await request.look(sources, { isBinary, folders });
  if (source) return source;
  throw inputError(request.name, new Error('it is neither a file nor a pipe'));
}

/** Tells if some kind of source can have written this position together with this note. */
export function isPositionOf(note: InputNote, position: InputPosition | undefined): boolean {
  if (position !== undefined && !isRepeatable(note)) return false;
  return sourceKinds.some((kind) => kind.isNote(note) && (position === undefined || kind.isPosition(position)));
}
