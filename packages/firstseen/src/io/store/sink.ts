// An object of a store as an output: it is there when it is complete, or not at all.

import { isCount, isObjectOf, isText } from '../../base/jsonchecks.js';
import type { OutputNote, SinkKind } from '../sink.js';
import { isObjectName } from '../system/objectname.js';

const isWritten = isObjectOf({ bytes: isCount, version: isText });

export const objectSinkKind = {
  name: 'object',
  isKindOf: ({ path }: Pick<OutputNote, 'path'>) => path !== null && isObjectName(path),
  isPosition: (_, { object }) => object === undefined || isWritten(object),
  positionToResume: async (note, known, run) => (await import('./upload.js')).objectToResume(note, known, run),
  compact: (position) => position,
  open: async (note, request) => (await import('./upload.js')).openObject(note, request),
  holds: async ({ path }, stores) => (await import('./upload.js')).holdsObject(path as string, stores),
} satisfies SinkKind;
