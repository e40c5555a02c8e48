// Shared code of the tests of outputs.

import { CHUNK_BYTES, type OutputNote, type Sink, type SinkRequest } from '../../../src/io/sink.js';
import { openSink } from '../../../src/io/sinks.js';
import { WANTED_DISTINCT, WANTED_PASSED } from '../../../src/kernel/abi.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { configureScan } from '../../../src/records/settings.js';
import { layOutRegions } from '../../../src/run/regions.js';
import { kernelModules } from '../../support/kernels.js';

const scan = { format: 'lines', fingerprint: 'xxh64', maxRecordBytes: CHUNK_BYTES } as const;

/** A kernel with buffers for an output, which frames records. */
export async function sinkMemory() {
  const regionsAt = (regionOffset: number) => layOutRegions({ regionOffset, scan, outputCount: 1, threads: 1 });
  const kernel = await Kernel.create({ cellsBytes: 64, regionBytes: regionsAt(0).end, module: kernelModules.release });
  const regions = regionsAt(kernel.regionOffset);
  configureScan(kernel, scan, regions.scratch);
  const [[one, other]] = regions.outputs as [(typeof regions.outputs)[0]];
  const at = regions.input.parts[0] as number;
  return {
    kernel,
    buffers: [one.offset, other.offset] as const,
    /** A batch of lines with these verdicts. */
    batchOf(text: string, verdicts: readonly number[]) {
      const bytes = new TextEncoder().encode(text);
      kernel.bytes.set(bytes, at);
      const taken = kernel.exports.scan(at, at + bytes.length, 1);
      kernel.verdicts.set(verdicts.slice(0, taken));
      return { seat: 0, kernel, taken };
    },
  };
}

/** Opens an output of the records that are distinct. */
export async function open(note: OutputNote, request: Partial<SinkRequest> = {}): Promise<Sink> {
  const { kernel, buffers } = await sinkMemory();
  return openSink(note, {
    ...{ kernel, buffers, selection: WANTED_DISTINCT | WANTED_PASSED, sources: [] },
    ...request,
  });
}
