// How many threads a run of range motifs uses.

import type { InputRequest } from '../../io/source.js';
import { type MotifSettings, motifMemoryBytes } from '../../near/motifsettings.js';
import { autoThreads, checkThreads, type Threads } from '../../run/threads.js';
import { MotifPipeline } from './pipeline.js';
import type { MotifFormat } from './records.js';

/**
 * Hashes of all records together from which several threads save more time than they take to start: 500,000 records with 32 hashes
 * each, which one thread handles in about half a second.
 */
const MIN_HASHES = 16_000_000;

export interface MotifThreadsRequest {
  threads: Threads;
  inputs: readonly InputRequest[];
  format: MotifFormat;
  settings: MotifSettings;
  /** Processors that this process may use. */
  processors: number;
}

/** Returns the bytes of the inputs that are files. One that cannot be read is reported when its turn comes. */
async function fileBytes(inputs: readonly InputRequest[]): Promise<number> {
  const sizes = await Promise.all(inputs.map(({ file }) => file?.storedBytes() ?? 0));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** `auto` takes one thread if the memory of several does not fit beside the arrays. @throws FirstseenError as `checkThreads`. */
export async function motifThreads(request: MotifThreadsRequest): Promise<number> {
  const { inputs, format, settings, processors } = request;
  const threads = checkThreads(request.threads);
  if (threads !== 'auto') return threads;
  const storedRecordBytes = format === 'hex' ? 2 * settings.recordBytes + 1 : settings.recordBytes;
  const minBytes = Math.ceil(MIN_HASHES / settings.hashes) * storedRecordBytes;
  const autoCount = autoThreads({
    inputBytes: await fileBytes(inputs),
    detectorBytes: motifMemoryBytes(settings),
    pays: { inputBytes: minBytes, detectorBytes: 0 },
    processors,
  });
  return MotifPipeline.fits(settings, autoCount) ? autoCount : 1;
}
