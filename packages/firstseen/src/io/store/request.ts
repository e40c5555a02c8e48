// Looks at objects that were asked for: those that are named, and those that a pattern or a folder of a store has.

import { posix } from 'node:path';
import picomatch from 'picomatch';
import { FirstseenError } from '../../base/errors.js';
import { fileSourceKind } from '../file/file.js';
import type { InputRequest, LookOptions, PathKind, Source } from '../source.js';
import { withoutSecrets } from '../system/objectname.js';
import { type ListedObject, type ObjectStatus, type ReadableStore, readError } from './contract.js';
import { addressOf, type BucketAddress, isListing, literalPrefix, type ObjectAddress } from './name.js';
import { OpenStores } from './openstores.js';
import { objectRequest } from './place.js';
import { type Patience, patience, patiently } from './retry.js';
import { objectSource } from './source.js';
import { web } from './web.js';

/** Objects that are looked at at the same time. */
const LOOKS_AT_ONCE = 16;

/** The objects of stores, with the bounds of the attempts to read them. */
export class Stores {
  readonly #open: OpenStores;
  readonly #patience: Patience;

  constructor(open: OpenStores, bounds: Patience = patience) {
    this.#open = open;
    this.#patience = bounds;
  }

  /** Looks at an object. @throws FirstseenError E_INPUT when it cannot be read */
  async look(address: ObjectAddress): Promise<ObjectStatus> {
    const store = await this.#storeOf(address);
    return patiently(this.#patience, (signal) => store.statusOf(address, signal)).catch((error) => {
      throw readError(address.name, error);
    });
  }

  /** The source of an object that a look has found. */
  async sourceOf(address: ObjectAddress, status: ObjectStatus, options: LookOptions): Promise<Source> {
    const object = { store: await this.#storeOf(address), address, status, patience: this.#patience };
    return objectSource(address.name, object, options);
  }

  /**
   * The objects of a pattern, or below a folder of a store, in the order of files: by the names of their folders, then by their own.
   * @throws FirstseenError E_INPUT when there are none, or they cannot be listed
   */
  async list(address: BucketAddress): Promise<readonly ListedObject[]> {
    const { bucket, key, scheme, name } = address;
    const store = await this.#open.bucketsOf(scheme);
    const isWanted = wantedBy(key);
    const objects: ListedObject[] = [];
    try {
      const listed = store.list(bucket, literalPrefix(key), (request) => patiently(this.#patience, request));
      for await (const object of listed) if (isWanted(object.key)) objects.push(object);
    } catch (error) {
      throw readError(name, error);
    }
    if (objects.length === 0) throw noObject(name);
    return objects.sort(byPath);
  }

  async #storeOf(address: ObjectAddress): Promise<ReadableStore<ObjectAddress>> {
    const store = address.scheme === 'web' ? web : await this.#open.bucketsOf(address.scheme);
    return store as ReadableStore<ObjectAddress>;
  }
}

function noObject(name: string): FirstseenError {
  return new FirstseenError('E_INPUT', `no object is read in ${name}`, {
    remedy: 'check the name; a pattern of its own reads names that begin with . or _',
  });
}

function startsHidden(key: string): boolean {
  return /^[._]/.test(posix.basename(key));
}

/** Tells which keys a pattern or a folder means. What begins with a dot or an underscore is read only if a pattern says so. */
function wantedBy(pattern: string): (key: string) => boolean {
  const isFolder = pattern === '' || pattern.endsWith('/');
  const isMatch = isFolder ? () => true : picomatch(pattern, { dot: true });
  const takesHidden = !isFolder && startsHidden(pattern);
  return (key) => !key.endsWith('/') && isMatch(key) && (takesHidden || !startsHidden(key));
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function byPath({ key: one }: ListedObject, { key: other }: ListedObject): number {
  const [folders, otherFolders] = [one.split('/'), other.split('/')];
  const at = folders.findIndex((folder, i) => folder !== otherFolders[i]);
  return at < 0 ? folders.length - otherFolders.length : compareTexts(folders[at] as string, otherFolders[at] ?? '');
}

/** @throws FirstseenError E_USAGE for a format whose files are not read in order */
function checkKinds(name: string, kinds: readonly PathKind[]): void {
  if (kinds.includes(fileSourceKind)) return;
  throw new FirstseenError('E_USAGE', `${name} cannot be read as ${kinds[0]?.name}: such files are read on disk only`, {
    remedy: 'copy the object to a file',
  });
}

/** An object that was asked for. */
interface RequestedObject {
  address: ObjectAddress;
  stores: Stores;
  /** The result of an earlier look at it. */
  status?: ObjectStatus;
}

/**
 * The source of an object that was asked for.
 * @throws FirstseenError E_INPUT when it cannot be read
 */
async function lookAtObject(
  { address, stores, status }: RequestedObject,
  kinds: readonly PathKind[],
  options: LookOptions,
): Promise<Source> {
  checkKinds(address.name, kinds);
  return stores.sourceOf(address, status ?? (await stores.look(address)), options);
}

/** As `InputRequest.look`, for the name of one object. */
export function lookAtNamed(name: string, kinds: readonly PathKind[], options: LookOptions): Promise<Source> {
  return lookAtObject({ address: addressOf(name), stores: new Stores(new OpenStores()) }, kinds, options);
}

function requestFor(object: RequestedObject): InputRequest {
  const { name } = object.address;
  return objectRequest(name, (kinds, options) => lookAtObject(object, kinds, options), object.status);
}

async function requestsFor(stores: Stores, name: string): Promise<readonly InputRequest[]> {
  const address = addressOf(name);
  if (!isListing(address)) return [requestFor({ address, stores, status: await stores.look(address) })];
  const { scheme, bucket } = address;
  const objects = await stores.list(address);
  return objects.map(({ key, status }) =>
    requestFor({ address: { scheme, bucket, key, name: `${scheme}://${bucket}/${key}` }, stores, status }),
  );
}

/** @throws FirstseenError E_USAGE for addresses that differ in what messages and states do not have */
function checkQueries(names: readonly string[]): void {
  const nameOf = new Map<string, string>();
  for (const name of names) {
    const shownName = withoutSecrets(name);
    if ((nameOf.get(shownName) ?? name) !== name) {
      throw new FirstseenError('E_USAGE', `two inputs are ${shownName}, with other queries or users`, {
        remedy: 'copy them to files: these may be secrets, so a state cannot tell one input from the other',
      });
    }
    nameOf.set(shownName, name);
  }
}

/**
 * The requests for objects, each named one after a look at it, and the objects of each pattern in its place.
 * @throws FirstseenError E_USAGE for names of no objects; E_INPUT for objects that cannot be read, and patterns that match none
 */
export async function objectRequests(
  names: readonly string[],
  stores: Stores,
): Promise<readonly (readonly InputRequest[])[]> {
  checkQueries(names);
  const requests: (readonly InputRequest[])[] = [];
  let next = 0;
  const lookOn = async () => {
    for (let at = next++; at < names.length; at = next++) requests[at] = await requestsFor(stores, names[at] as string);
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, lookOn));
  return requests;
}
