// An open stream. It has its own kernel, whose memory holds the truth, and generates its elements batch by batch.

import { Kernel, wholeCacheLines } from 'firstseen/internal';
import type { StreamSpec } from '../contract.js';
import {
  type KernelExports,
  LAYOUT_CLASSIC,
  STREAM_BY_GAP_PARAMETER,
  STREAM_HASHED_PARAMETER,
  STREAM_TRUTH_PARAMETER,
  streamExports,
} from '../kernel/abi.js';
import { streamKernel } from '../kernel/kernel.js';
import { checkUse, heldBytes, type ResolvedStream, type StreamUse } from '../streams/contract.js';
import { resolveStream } from '../streams/registry.js';

export interface StreamOptions extends StreamUse {
  /** Another build of the stream kernel; the release build by default. */
  module?: WebAssembly.Module;
}

export interface ElementStream {
  resolved: ResolvedStream;
  /** The input of detectors for the elements of the batch. */
  fingerprints: BigUint64Array<ArrayBuffer>;
  /** The truth of each element: 0 if it is new, else 1, or with gaps 1 + c for a gap above 2^(c-1), up to 2^c. */
  truth: Uint8Array<ArrayBuffer>;
  /** The most elements in a batch. */
  batchCapacity: number;
  /** Bytes of the truth. */
  truthBytes: number;
  /** Makes the next elements, at most `most`, and returns their number, 0 at the end. Only a file returns a promise. */
  next(most: number): number | Promise<number>;
  close(): Promise<void>;
}

async function openKernel(
  spec: StreamSpec,
  resolved: ResolvedStream,
  options: StreamOptions,
): Promise<Kernel<KernelExports>> {
  const { identity, isByGap, module = await streamKernel() } = options;
  const kernel = await Kernel.create<KernelExports>({ cellsBytes: heldBytes(resolved, isByGap), module });
  const { parameters } = kernel;
  kernel.writeParameters({ layout: LAYOUT_CLASSIC, seed: BigInt(spec.seed), isKeyed: false });
  parameters[STREAM_HASHED_PARAMETER] = identity === 'hashed' ? 1 : 0;
  parameters[STREAM_TRUTH_PARAMETER] = wholeCacheLines(resolved.tablesBytes);
  parameters[STREAM_BY_GAP_PARAMETER] = isByGap ? 1 : 0;
  kernel.setParameters(resolved.parameters);
  resolved.fillTables?.(kernel.cells);
  streamExports[resolved.kernelName](kernel.exports).configure();
  return kernel;
}

/**
 * Opens a stream at its beginning. The same spec and options give the same elements, for any sizes of batches.
 * @throws FirstseenError E_PARAMETER for an invalid spec, E_MEMORY if the truth needs more memory than a kernel has,
 * E_INPUT for a file that cannot be read.
 */
export async function openStream(spec: StreamSpec, options: StreamOptions): Promise<ElementStream> {
  const resolved = await resolveStream(spec);
  checkUse(resolved, options);
  const kernel = await openKernel(spec, resolved, options);
  const elements = await resolved.elements?.();
  const { next: make } = streamExports[resolved.kernelName](kernel.exports);
  let remainingElements = resolved.lengthElements;
  const countMade = (count: number) => {
    make(count);
    remainingElements -= count;
    return count;
  };
  return {
    resolved,
    fingerprints: kernel.fingerprints,
    truth: kernel.verdicts,
    batchCapacity: kernel.batchCapacity,
    truthBytes: resolved.truthBytes(options.isByGap),
    next(most) {
      const count = Math.min(most, remainingElements, kernel.batchCapacity);
      return elements ? elements.place(kernel.fingerprints, count).then(countMade) : countMade(count);
    },
    async close() {
      await elements?.close();
    },
  };
}
