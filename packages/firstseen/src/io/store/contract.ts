// The contract of a store: what a run asks of one that has objects, by whichever protocol.

import { FirstseenError } from '../../base/errors.js';

/** The state of an object when the run looked at it. */
export interface ObjectStatus {
  bytes: number;
  /** The text that changes with the content of the object: its ETag, or the time of its last change. Absent without either. */
  version?: string;
  modifiedSeconds?: number;
  /** True if parts of it can be read. */
  hasRanges: boolean;
}

/** An object that a listing has found. */
export interface ListedObject {
  key: string;
  status: ObjectStatus;
}

/** The bytes of an object to read: from `from`, and before `to`. */
export interface ByteRange {
  from: number;
  to: number;
}

export interface RangeRequest {
  /** The range; the whole object by default. */
  range?: ByteRange;
  /** The version that the object has to have. */
  version?: string | undefined;
  signal: AbortSignal;
}

/** The objects of a store that can be read. */
export interface ReadableStore<Address> {
  /** @throws StoreFailure */
  statusOf(address: Address, signal: AbortSignal): Promise<ObjectStatus>;
  /**
   * Begins to read. The chunks end with the range, or fail when the connection is cut.
   * @throws StoreFailure, also while the chunks are read
   */
  read(address: Address, request: RangeRequest): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * The reason why a request has failed. `changed`: the object does not have the version that was expected. `temporary`: the same
 * request may succeed later.
 */
export type FailureKind = 'missing' | 'denied' | 'changed' | 'temporary' | 'refused';

/** A request to a store has failed. Its message has no credentials. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const CLIENT_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
const NOT_IMPLEMENTED = 501;

/** The kind of the failure that a status of HTTP tells. */
export function kindOfStatus(status: number): FailureKind {
  if (status === 404 || status === 410) return 'missing';
  if (status === 401 || status === 403 || status === 407) return 'denied';
  // A range that the object had is not there any more.
  if (status === 412 || status === 416) return 'changed';
  if (status === CLIENT_TIMEOUT || status === TOO_MANY_REQUESTS) return 'temporary';
  return status >= SERVER_ERROR && status !== NOT_IMPLEMENTED ? 'temporary' : 'refused';
}

/** An object is not what it was when the run looked at it. */
export class ObjectChanged extends FirstseenError {
  constructor(name: string) {
    super('E_INPUT', `${name} changed while it was read`, {
      remedy: 'run the command again when nothing writes to it; what was read before the change may be in the output',
    });
  }
}

const readRemedies: Readonly<Record<Exclude<FailureKind, 'changed'>, string>> = {
  missing: 'check the name',
  denied: 'check the credentials, and the rights that they give',
  temporary: 'run the same command again when the store answers',
  refused: 'check the name, the region and the address of the store',
};

/** The error for an object that cannot be read. */
export function readError(name: string, cause: unknown): Error {
  if (!(cause instanceof StoreFailure)) return cause as Error;
  if (cause.kind === 'changed') return new ObjectChanged(name);
  return new FirstseenError('E_INPUT', `cannot read ${name}: ${cause.message}`, { remedy: readRemedies[cause.kind] });
}

const writeRemedies: Readonly<Record<FailureKind, string>> = {
  ...readRemedies,
  changed: 'run the command again when nothing else writes to it',
  missing: 'check the name of the bucket',
};

/** The error for an object that cannot be written. */
export function writeError(name: string, cause: unknown): Error {
  if (!(cause instanceof StoreFailure)) return cause as Error;
  return new FirstseenError('E_OUTPUT', `cannot write ${name}: ${cause.message}`, {
    remedy: writeRemedies[cause.kind],
  });
}
