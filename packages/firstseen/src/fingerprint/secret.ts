// The key of a keyed detector: 16 bytes that nothing shows.

import { formatCounted } from '../count.js';
import { FirstseenError } from '../errors.js';
import { SECRET_BYTES } from '../kernel/abi.js';

/** Asks for a secret drawn by the machine. */
export const RANDOM_SECRET = 'random';

const HEX_SECRET = /^[0-9a-f]{32}$/i;

/** What a malformed secret was, without a byte of it: it may be a good one with a slip. */
function shapeOf(given: unknown): string {
  if (typeof given === 'string') return `text of ${given.length} characters`;
  return given instanceof Uint8Array ? formatCounted(given.length, 'byte') : `of type ${typeof given}`;
}

function bytesOf(given: Uint8Array | string): Uint8Array {
  if (given instanceof Uint8Array && given.length === SECRET_BYTES) return given.slice();
  if (given === RANDOM_SECRET) return crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  if (typeof given === 'string' && HEX_SECRET.test(given)) {
    return Uint8Array.from({ length: SECRET_BYTES }, (_, i) => Number.parseInt(given.slice(2 * i, 2 * i + 2), 16));
  }
  throw new FirstseenError(
    'E_PARAMETER',
    `the secret is ${shapeOf(given)}, but must be ${SECRET_BYTES} bytes, ${2 * SECRET_BYTES} hexadecimal digits, or "${RANDOM_SECRET}"`,
  );
}

/** Holds its bytes where printing, inspecting and serializing do not find them. */
export class Secret {
  readonly #bytes: Uint8Array;

  /** @throws FirstseenError E_PARAMETER when it is neither 16 bytes, nor 32 hexadecimal digits, nor `random`. */
  constructor(given: Uint8Array | string) {
    this.#bytes = bytesOf(given);
  }

  /** Writes the bytes to `target` at `offset`. */
  copyTo(target: Uint8Array, offset: number): void {
    target.set(this.#bytes, offset);
  }

  equals(other: Secret): boolean {
    return this.#bytes.every((byte, i) => byte === other.#bytes[i]);
  }
}
