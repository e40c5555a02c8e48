// The note of an object in a state, by which a later run recognizes it.

import { isCount, isText } from '../../base/jsonchecks.js';
import { type InputNote, isByteOffset, type NamedNote, type SourceKind } from '../source.js';
import { isObjectName } from '../system/objectname.js';

export interface ObjectNote extends NamedNote {
  objectBytes: number;
  /** As `ObjectStatus.version`. */
  version?: string;
}

/** Tells if two notes are of the same object with the same content. */
export function isSameObject(one: InputNote, other: InputNote): boolean {
  const [before, now] = [one, other] as unknown as [ObjectNote, ObjectNote];
  return before.name === now.name && before.objectBytes === now.objectBytes && before.version === now.version;
}

export const objectSourceKind: SourceKind = {
  name: 'object',
  isNote(note) {
    const { name, objectBytes, version } = note as unknown as ObjectNote;
    return isText(name) && isObjectName(name) && isCount(objectBytes) && (version === undefined || isText(version));
  },
  isPosition: isByteOffset,
};
