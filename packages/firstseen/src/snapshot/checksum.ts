// The checksums of snapshots: XXH64 with seed 0, computed in a kernel.

import { defined } from '../base/defined.js';
import { WORKSPACE_OFFSET } from '../kernel/abi.js';
import { Kernel } from '../kernel/kernel.js';
import type { Checksum } from './frame.js';

/** Bytes that are copied into the kernel at a time: whole stripes of the hash. */
const PIECE_BYTES = 2 ** 20;
const STRIPE_BYTES = 32;

/**
 * Computes checksums. Bytes outside the kernel's memory are first copied to the memory after its cells, in pieces if they are many.
 */
export function checksumIn(kernel: Kernel): Checksum {
  const { exports, regionOffset } = kernel;
  const target = WORKSPACE_OFFSET;
  const view = new DataView(kernel.bytes.buffer);
  const ofPieces = (bytes: Uint8Array) => {
    const stripedBytes = bytes.length - (bytes.length % STRIPE_BYTES);
    exports.beginChecksum(target);
    for (let at = 0; at < stripedBytes; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, Math.min(at + PIECE_BYTES, stripedBytes));
      kernel.bytes.set(piece, regionOffset);
      exports.addToChecksum(target, regionOffset, piece.length);
    }
    kernel.bytes.set(bytes.subarray(stripedBytes), regionOffset);
    exports.endChecksum(target, regionOffset, bytes.length);
  };
  return (bytes) => {
    const isInside = bytes.buffer === kernel.bytes.buffer;
    if (!isInside && bytes.length > PIECE_BYTES) ofPieces(bytes);
    else {
      if (!isInside) kernel.bytes.set(bytes, regionOffset);
      exports.checksum(isInside ? bytes.byteOffset : regionOffset, bytes.length, target);
    }
    return view.getBigUint64(target, true);
  };
}

/** The checksum function of a kernel without cells, for headers. */
export async function headerChecksum(module: WebAssembly.Module | undefined): Promise<Checksum> {
  return checksumIn(await Kernel.create({ cellsBytes: 0, regionBytes: PIECE_BYTES, ...defined({ module }) }));
}
