// zstd in versions of Node that do not have it: with optional packages, which are loaded only there.

import type { Kernel } from '../../kernel/kernel.js';
import { ChecksumOfPieces, checksumKernel, PIECE_BYTES } from '../../snapshot/checksum.js';
import { loadedPackages, type PackageUse } from '../system/optionalpackages.js';
import type { Compress } from './compression.js';
import { type Decompressor, NO_BYTES } from './decompressor.js';

const DESCRIPTOR_BYTE = 4;
const HAS_CHECKSUM = 4;
const CHECKSUM_BYTES = 4;

/** The checksum of what a frame holds: the lower half of its XXH64, which the package does not check. */
class FrameChecksum {
  readonly #sum: ChecksumOfPieces;
  /** Bytes are added in whole pieces. */
  readonly #piece = new Uint8Array(PIECE_BYTES);
  #filled = 0;

  constructor(kernel: Kernel) {
    this.#sum = new ChecksumOfPieces(kernel);
  }

  add(bytes: Uint8Array): void {
    for (let input = bytes; input.length > 0; ) {
      const part = input.subarray(0, PIECE_BYTES - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      input = input.subarray(part.length);
      if (this.#filled < PIECE_BYTES) continue;
      this.#sum.add(this.#piece);
      this.#filled = 0;
    }
  }

  isThat(stored: Buffer): boolean {
    this.#sum.add(this.#piece.subarray(0, this.#filled));
    return (this.#sum.end() & 0xffffffffn) === BigInt(stored.readUInt32LE());
  }
}

/** A frame in the making, as the package decompresses it. */
interface FrameDecoder {
  push(piece: Uint8Array, isLast: boolean): void;
}

/** Decompresses one frame. Its first piece is its header, and its checksum is a piece of its own. */
class FrameDecompressor implements Decompressor {
  fault: Error | undefined;
  isEnded = false;
  storedBytes = 0;
  readonly #decoder: FrameDecoder;
  readonly #kernel: Kernel;
  #checksum: FrameChecksum | undefined;
  #found: Uint8Array[] = [];
  #last: Buffer = NO_BYTES;

  constructor(create: (take: (found: Uint8Array) => void) => FrameDecoder, kernel: Kernel) {
    this.#kernel = kernel;
    this.#decoder = create((found) => {
      this.#found.push(found);
      this.#checksum?.add(found);
    });
  }

  write(piece: Buffer): Buffer {
    if (this.storedBytes === 0 && ((piece[DESCRIPTOR_BYTE] as number) & HAS_CHECKSUM) !== 0) {
      this.#checksum = new FrameChecksum(this.#kernel);
    }
    this.#last = piece;
    this.storedBytes += piece.length;
    return this.#push(piece, false);
  }

  /** The decoder has kept a frame of a few bytes until here. */
  end(): Buffer {
    this.isEnded = true;
    const found = this.#push(NO_BYTES, true);
    if (!this.fault && this.#checksum && !this.#checksum.isThat(this.#last.subarray(-CHECKSUM_BYTES))) {
      this.fault = new Error('the zstd data do not have their checksum');
    }
    return found;
  }

  close(): void {}

  #push(piece: Buffer, isLast: boolean): Buffer {
    try {
      this.#decoder.push(piece, isLast);
    } catch (fault) {
      this.fault = fault as Error;
    }
    const found = this.#found;
    this.#found = [];
    return Buffer.concat(found);
  }
}

/** The function that makes a decompressor for each frame of a stream, one after the other. */
export type CreateFrameDecompressor = () => Decompressor;

function usedFor(path: string, packageName: string): PackageUse {
  return {
    what: `${path} is compressed with zstd, which in Node ${process.versions.node}`,
    packages: [packageName],
    alternative: 'use Node 22.15 or later',
  };
}

/** @throws FirstseenError E_PACKAGE when the package is not installed. */
export async function frameDecompressors(path: string): Promise<CreateFrameDecompressor> {
  const { Decompress } = await loadedPackages(usedFor(path, 'fzstd'), () => import('fzstd'));
  const kernel = await checksumKernel(undefined);
  return () => new FrameDecompressor((take) => new Decompress(take), kernel);
}

/** @throws FirstseenError E_PACKAGE when the package is not installed. */
export async function packageCompressor(path: string): Promise<Compress> {
  const { Zstd } = await loadedPackages(usedFor(path, '@hpcc-js/wasm-zstd'), () => import('@hpcc-js/wasm-zstd'));
  const zstd = await Zstd.load();
  return async (piece) => zstd.compress(piece);
}
