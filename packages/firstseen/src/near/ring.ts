// The signatures of the recently kept documents, to find the nearest of them.

import { formatCounted } from '../base/count.js';
import { FirstseenError } from '../base/errors.js';
import { assertInvariant } from '../base/invariant.js';
import { decodeBase64, encodeBase64, joinBytes } from '../base/utf8.js';
import type { Kernel } from '../kernel/kernel.js';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** The maximum length of a document's name in characters. Longer names are cut. */
const MAX_ID_LENGTH = 256;

export interface Nearest {
  id: string;
  /** Rows of the signature that agree. */
  agreeingRows: number;
}

export interface RingNote {
  /** From the oldest to the newest. */
  ids: string[];
  /** Their signatures, in base64. */
  signatures: string;
}

/** Tells if a note has the shape of a RingNote. `restore` checks the contents. */
export function isRingNote(note: unknown): note is RingNote {
  const { ids, signatures } = (note ?? {}) as Partial<RingNote>;
  const hasIds = Array.isArray(ids) && ids.every((id) => typeof id === 'string');
  return hasIds && typeof signatures === 'string' && signatures.length % 4 === 0 && BASE64.test(signatures);
}

export interface RingOptions {
  capacity: number;
  offset: number;
  /** Bytes of one signature. */
  stride: number;
  rows: number;
  rowBytes: number;
}

/** @internal */
export class SignatureRing {
  readonly #kernel: Kernel;
  readonly #options: RingOptions;
  /** Names by slot. */
  #ids: string[] = [];
  /** The slot of the next document. In a full ring it has the oldest. */
  #next = 0;

  constructor(kernel: Kernel, options: RingOptions) {
    this.#kernel = kernel;
    this.#options = options;
  }

  /** The nearest to the signature at an address, the oldest of several; undefined if no row agrees with any. */
  nearest(signature: number): Nearest | undefined {
    const { offset, stride, rows, rowBytes, capacity } = this.#options;
    const count = this.#ids.length;
    if (count === 0) return undefined;
    const oldest = count === capacity ? this.#next : 0;
    const find = this.#kernel.exports.nearestSignature;
    const slot = find(signature, offset, stride, count, oldest, rows, rowBytes) >>> 0;
    assertInvariant(slot < count, 'the nearest document is one of those in the ring', { slot, count });
    const agreeingRows = this.#kernel.exports.nearestAgreeingRows();
    return agreeingRows > 0 ? { id: this.#ids[slot] as string, agreeingRows } : undefined;
  }

  /** Adds the document with the signature at an address. */
  add(signature: number, id: string): void {
    const { offset, stride, capacity } = this.#options;
    if (capacity === 0) return;
    this.#kernel.bytes.copyWithin(offset + this.#next * stride, signature, signature + stride);
    this.#ids[this.#next] = id.slice(0, MAX_ID_LENGTH);
    this.#next = (this.#next + 1) % capacity;
  }

  note(): RingNote {
    const oldest = this.#ids.length === this.#options.capacity ? this.#next : 0;
    const slots = this.#ids.map((_, i) => (oldest + i) % this.#ids.length);
    return {
      ids: slots.map((slot) => this.#ids[slot] as string),
      signatures: encodeBase64(joinBytes(slots.map((slot) => this.#signatureIn(slot)))),
    };
  }

  /** @throws FirstseenError E_SNAPSHOT when the note does not fit this ring. */
  restore({ ids, signatures }: RingNote): void {
    const { offset, stride, capacity } = this.#options;
    const bytes = decodeBase64(signatures);
    if (ids.length > capacity || bytes.length !== ids.length * stride) {
      const contents = `${formatCounted(ids.length, 'document')} and ${formatCounted(bytes.length, 'byte')} of signatures`;
      throw new FirstseenError('E_SNAPSHOT', `the snapshot contradicts itself: it has ${contents}`, {
        remedy: 'restore the file from a copy',
      });
    }
    this.#kernel.bytes.set(bytes, offset);
    this.#ids = [...ids];
    this.#next = capacity === 0 ? 0 : ids.length % capacity;
  }

  #signatureIn(slot: number): Uint8Array {
    const offset = this.#options.offset + slot * this.#options.stride;
    return this.#kernel.bytes.subarray(offset, offset + this.#options.stride);
  }
}
