// The key of a keyed detector: 16 bytes that are never shown.

import { isBytes } from '../base/bytes.js';
import { formatCounted } from '../base/count.js';
import { invalidOption } from '../base/errors.js';
import { SECRET_BYTES } from '../kernel/abi.js';

/** Asks for a random secret. */
export const RANDOM_SECRET = 'random';

const HEX_SECRET = /^[0-9a-f]{32}$/i;

/** Describes a malformed secret without showing a byte of it: it may be a real secret with a typing error. */
function shapeOf(secret: unknown): string {
  if (typeof secret === 'string') return `text of ${secret.length} characters`;
  return isBytes(secret) ? formatCounted(secret.length, 'byte') : `of type ${typeof secret}`;
}

function bytesOf(secret: Uint8Array | string): Uint8Array {
  // Not `slice`, which of a Buffer is a view of the same memory.
  if (isBytes(secret) && secret.length === SECRET_BYTES) return new Uint8Array(secret);
  if (secret === RANDOM_SECRET) return crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  if (typeof secret === 'string' && HEX_SECRET.test(secret)) {
    return Uint8Array.from({ length: SECRET_BYTES }, (_, i) => Number.parseInt(secret.slice(2 * i, 2 * i + 2), 16));
  }
  throw invalidOption({
    option: 'secret',
    given: undefined,
    givenText: shapeOf(secret),
    expected: `${SECRET_BYTES} bytes, ${2 * SECRET_BYTES} hexadecimal digits, or "${RANDOM_SECRET}"`,
  });
}

/** Keeps its bytes out of reach of printing, inspection and serialization. */
export class Secret {
  readonly #bytes: Uint8Array;

  /** @throws FirstseenError E_PARAMETER unless it is 16 bytes, 32 hexadecimal digits, or `random`. */
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
