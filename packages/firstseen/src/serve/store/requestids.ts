// The requests of a detector that have an id, so that a retry gets the answers of the first try.

import { FirstseenError } from '../../base/errors.js';

/** Requests that are remembered. */
export const REMEMBERED_REQUESTS = 65_536;
/** The most keys of a request with an id, so that the answers that are remembered stay small. */
export const MOST_REQUEST_KEYS = 1024;
/** The most bytes of an id. */
export const MOST_ID_BYTES = 128;

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
  /** A bit for each key. */
  answers: Uint8Array;
}

function digestOf(fingerprints: BigUint64Array): bigint {
  return fingerprints.reduce(
    (digest, one) => BigInt.asUintN(64, (digest ^ one) * PRIME),
    OFFSET ^ BigInt(fingerprints.length),
  );
}

function packed(verdicts: Uint8Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(verdicts.length / 8));
  verdicts.forEach((verdict, i) => {
    bits[i >> 3] = (bits[i >> 3] as number) | (verdict << (i & 7));
  });
  return bits;
}

/** The latest requests of one detector, the oldest first. */
export class Requests {
  readonly #byId = new Map<string, Remembered>();

  get count(): number {
    return this.#byId.size;
  }

  /**
   * The verdicts of an earlier request with this id, if there is one.
   * @throws FirstseenError E_USAGE when it had other keys.
   */
  find(id: string, fingerprints: BigUint64Array): Uint8Array | undefined {
    const found = this.#byId.get(id);
    if (found === undefined) return undefined;
    if (found.keys !== digestOf(fingerprints)) {
      throw new FirstseenError('E_USAGE', 'the request id was used with other keys', {
        remedy: 'give each request an id of its own, and a retry the same keys in the same order',
      });
    }
    return Uint8Array.from(fingerprints, (_, i) => ((found.answers[i >> 3] as number) >> (i & 7)) & 1);
  }

  remember(id: string, fingerprints: BigUint64Array, verdicts: Uint8Array): void {
    if (this.#byId.size === REMEMBERED_REQUESTS) {
      const [oldest] = this.#byId.keys();
      this.#byId.delete(oldest as string);
    }
    this.#byId.set(id, { keys: digestOf(fingerprints), answers: packed(verdicts) });
  }

  clear(): void {
    this.#byId.clear();
  }

  /** What is remembered, the oldest first. */
  saved(): SavedRequest[] {
    return Array.from(this.#byId, ([id, { keys, answers }]) => ({
      id,
      keys: String(keys),
      answers: Buffer.from(answers).toString('base64'),
    }));
  }

  restore(saved: readonly SavedRequest[]): void {
    for (const { id, keys, answers } of saved) {
      this.#byId.set(id, { keys: BigInt(keys), answers: Buffer.from(answers, 'base64') });
    }
  }
}
