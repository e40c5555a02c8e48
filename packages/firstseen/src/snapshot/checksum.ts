// The checksums of snapshots: XXH64 with seed 0, computed in a kernel.

import { defined } from '../base/defined.js';
import { runAtOnce, type Steps } from '../base/steps.js';
import { WORKSPACE_OFFSET } from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import type { Checksum } from './frame.js';

/** Bytes that are copied into the kernel at a time: whole stripes of the hash. */
export const PIECE_BYTES = 2 ** 20;
const STRIPE_BYTES = 32;

/** The checksum of bytes that come in pieces. In the meantime nothing else may use the region of the kernel. */
export class ChecksumOfPieces {
  readonly #kernel: Kernel;
  #bytes = 0;
  /** A copy of the bytes after the whole stripes of the last piece, because a receiver may change or transfer the piece. */
  #rest: Uint8Array = new Uint8Array(0);

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    kernel.exports.beginChecksum(WORKSPACE_OFFSET);
  }

  /** Adds a piece of at most `PIECE_BYTES`. All but the last must be whole stripes. */
  add(piece: Uint8Array): void {
    const { exports, bytes, regionOffset } = this.#kernel;
    const stripedBytes = piece.length - (piece.length % STRIPE_BYTES);
    bytes.set(piece, regionOffset);
    exports.addToChecksum(WORKSPACE_OFFSET, regionOffset, stripedBytes);
    this.#bytes += piece.length;
    this.#rest = piece.slice(stripedBytes);
  }

  /** The same for a piece in the memory of the kernel, of any number of bytes. It is not copied. */
  addInside(piece: Uint8Array): void {
    const stripedBytes = piece.length - (piece.length % STRIPE_BYTES);
    this.#kernel.exports.addToChecksum(WORKSPACE_OFFSET, piece.byteOffset, stripedBytes);
    this.#bytes += piece.length;
    this.#rest = piece.slice(stripedBytes);
  }

  end(): bigint {
    const { exports, bytes, regionOffset } = this.#kernel;
    bytes.set(this.#rest, regionOffset);
    // The hash of less than a stripe begins differently.
    if (this.#bytes < STRIPE_BYTES) exports.checksum(regionOffset, this.#bytes, WORKSPACE_OFFSET);
    else exports.endChecksum(WORKSPACE_OFFSET, regionOffset, this.#bytes);
    return new DataView(bytes.buffer).getBigUint64(WORKSPACE_OFFSET, true);
  }
}

/**
 * Computes checksums. Bytes outside the kernel's memory are first copied to the memory after its cells, in pieces if they are many.
 */
export function checksumIn(kernel: Kernel): Checksum {
  const { exports, regionOffset } = kernel;
  const target = WORKSPACE_OFFSET;
  const view = new DataView(kernel.bytes.buffer);
  return (bytes) => {
    const isInside = bytes.buffer === kernel.bytes.buffer;
    if (!isInside && bytes.length > PIECE_BYTES) return runAtOnce(checksumInSteps(kernel, bytes));
    if (!isInside) kernel.bytes.set(bytes, regionOffset);
    exports.checksum(isInside ? bytes.byteOffset : regionOffset, bytes.length, target);
    return view.getBigUint64(target, true);
  };
}

/** The checksum of bytes outside the kernel's memory. In the meantime nothing else may use the region of the kernel. */
export function* checksumInSteps(kernel: Kernel, bytes: Uint8Array): Steps<bigint> {
  const checksum = new ChecksumOfPieces(kernel);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    checksum.add(bytes.subarray(at, at + PIECE_BYTES));
    yield;
  }
  return checksum.end();
}

/** A kernel without cells, for checksums. */
export function checksumKernel(module: WebAssembly.Module | undefined): Promise<Kernel> {
  return Kernel.create({ cellsBytes: 0, regionBytes: PIECE_BYTES, ...defined({ module }) });
}

/** The checksum function of a kernel without cells, for headers. */
export async function headerChecksum(module: WebAssembly.Module | undefined): Promise<Checksum> {
  return checksumIn(await checksumKernel(module));
}
