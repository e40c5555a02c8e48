// The requests of a detector that have an id, so that a retry gets the answers of the first try.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import { formatBytes } from '../../base/memory.js';

/** Requests that are remembered. */
export const REMEMBERED_REQUESTS = 65_536;
/** The most keys of a request with an id, so that the answers that are remembered stay small. */
export const MAX_REQUEST_KEYS = 1024;
/** The most bytes of an id. */
export const MAX_ID_BYTES = 128;

/** The mixing step of FNV-1a, over fingerprints in place of bytes. */
const [OFFSET, PRIME] = [0xcbf29ce484222325n, 0x100000001b3n];

/** A request as it is saved. */
export interface SavedRequest {
  id: string;
  /** The digest of its keys, in decimal digits. */
  keys: string;
  /** In base64. */
  answers: string;
}

interface Remembered {
  /** Tells whether a retry has the same keys. */
  keys: bigint;
  /** A bit for each key, in a text of bytes, which takes less memory than an array. */
  answers: string;
}

function digestOf(fingerprints: BigUint64Array): bigint {
  return fingerprints.reduce(
    (digest, one) => BigInt.asUintN(64, (digest ^ one) * PRIME),
    OFFSET ^ BigInt(fingerprints.length),
  );
}

function packed(verdicts: Uint8Array): string {
  const bits = new Uint8Array(Math.ceil(verdicts.length / 8));
  verdicts.forEach((verdict, i) => {
    bits[i >> 3] = (bits[i >> 3] as number) | (verdict << (i & 7));
  });
  return Buffer.from(bits.buffer).toString('latin1');
}

/** Bytes that a request takes besides its id and its answers, rounded up from what Node was measured to take. */
const REQUEST_BYTES = 256;

function bytesOf(id: string, keys: number): number {
  return REQUEST_BYTES + id.length + Math.ceil(keys / 8);
}

/** Bytes that saved requests take, at most. */
export function bytesOfRequests(saved: readonly SavedRequest[]): number {
  return saved.reduce((bytes, { id, answers }) => bytes + bytesOf(id, 8 * answers.length), 0);
}

/** The counter of the memory of requests. */
export interface RequestMemory {
  /** Bytes that are left. */
  readonly leftBytes: number;
  /** Counts bytes that are taken, or fewer than none if they are given back. */
  countBytes(bytes: number): void;
}

/** The latest requests of one detector, the oldest first. */
export class Requests {
  readonly #byId = new Map<string, Remembered>();
  readonly #memory: RequestMemory;
  #bytes = 0;

  constructor(memory: RequestMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#byId.size;
  }

  /**
   * The verdicts of an earlier request with this id, if there is one.
   * @throws FirstseenError E_USAGE when it had other keys.
   */
  find(id: string, fingerprints: BigUint64Array): Uint8Array | undefined {
    const request = this.#byId.get(id);
    if (request === undefined) return undefined;
    if (request.keys !== digestOf(fingerprints)) {
      throw new FirstseenError('E_USAGE', 'the request id was used with other keys', {
        remedy: 'give each request an id of its own, and a retry the same keys in the same order',
      });
    }
    return Uint8Array.from(fingerprints, (_, i) => (request.answers.charCodeAt(i >> 3) >> (i & 7)) & 1);
  }

  /** @throws FirstseenError E_MEMORY when there is no room for one more request. */
  checkRoom(id: string, keys: number): void {
    const neededBytes = bytesOf(id, keys);
    if (this.#byId.size === REMEMBERED_REQUESTS || neededBytes <= this.#memory.leftBytes) return;
    const left = formatBytes(Math.max(0, this.#memory.leftBytes));
    throw new FirstseenError(
      'E_MEMORY',
      `a request with an id takes ${formatBytes(neededBytes)}, but only ${left} are left`,
      {
        remedy: phrase`drop a detector, or start the server with a larger ${optionName('memoryBytes')}; without an id, a request takes no memory`,
      },
    );
  }

  /** Limits are not applied: what a log has is remembered. */
  remember(id: string, fingerprints: BigUint64Array, verdicts: Uint8Array): void {
    if (this.#byId.size === REMEMBERED_REQUESTS) this.#forget(this.#byId.keys().next().value as string);
    this.#set(id, { keys: digestOf(fingerprints), answers: packed(verdicts) });
  }

  clear(): void {
    this.#byId.clear();
    this.#count(-this.#bytes);
  }

  #set(id: string, remembered: Remembered): void {
    this.#forget(id);
    this.#byId.set(id, remembered);
    this.#count(bytesOf(id, 8 * remembered.answers.length));
  }

  #forget(id: string): void {
    const request = this.#byId.get(id);
    if (request === undefined) return;
    this.#byId.delete(id);
    this.#count(-bytesOf(id, 8 * request.answers.length));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.countBytes(bytes);
  }

  /** Returns the requests that are remembered, the oldest first. */
  saved(): SavedRequest[] {
    return Array.from(this.#byId, ([id, { keys, answers }]) => ({
      id,
      keys: String(keys),
      answers: Buffer.from(answers, 'latin1').toString('base64'),
    }));
  }

  restore(saved: readonly SavedRequest[]): void {
    for (const { id, keys, answers } of saved) {
      this.#set(id, { keys: BigInt(keys), answers: Buffer.from(answers, 'base64').toString('latin1') });
    }
  }
}
