// An object of a store as an output: it is there when it is complete, or not at all.

import { FirstseenError } from '../../base/errors.js';
import { isCount, isObjectOf, isText } from '../../base/jsonchecks.js';
import type { SinkKind } from '../sink.js';
import { isObjectName, withoutSecrets } from '../system/objectname.js';
import { addressOf, type BucketAddress, isListing } from './name.js';

const isWritten = isObjectOf({ bytes: isCount, version: isText });

/**
 * The address of an object that is written.
 * @throws FirstseenError E_USAGE for a name of something that is not written
 */
export function writtenAddress(name: string): BucketAddress {
  const address = addressOf(name);
  if (address.scheme !== 'web' && !isListing(address)) return address;
  const problem = address.scheme === 'web' ? 'addresses of the web are only read' : 'it is not the name of one object';
  throw new FirstseenError('E_USAGE', `cannot write ${withoutSecrets(name)}: ${problem}`, {
    remedy: 'name a file, or an object such as s3://BUCKET/KEY',
  });
}

/** @throws FirstseenError as `writtenAddress` */
export function checkWrittenName(name: string): void {
  writtenAddress(name);
}

export const objectSinkKind: SinkKind = {
  name: 'object',
  isKindOf: ({ path }) => path !== null && isObjectName(path),
  isPosition: (_, { object }) => object === undefined || isWritten(object),
  positionToResume: async (note, known, run) => (await import('./upload.js')).objectToResume(note, known, run),
  compact: (position) => position,
  open: async (note, request) => (await import('./upload.js')).openObject(note, request),
  holds: async ({ path }) => (await import('./upload.js')).holdsObject(path as string),
};
