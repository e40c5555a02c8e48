// The time that range motifs take for a number of records, on a number of threads.

import { MotifPipeline, resolveMotifSettings } from 'firstseen/internal';
import type { MotifOptions } from 'firstseen/motifs';

export interface TimingOptions {
  motifs: MotifOptions;
  threads: number;
  /** Records that are timed. */
  records: number;
  /** Records before them, which touch the pages of the arrays for the first time. */
  warmupRecords: number;
  /** The records to repeat. There are more than fit in a batch, so no batch has the same record twice. */
  drawn: Uint8Array;
}

/** Copies drawn records to each target, cyclically, until there were `records` of them. Returns the number of each copy. */
function cyclicFiller({ motifs: { recordBytes }, drawn: drawnRecords }: TimingOptions, records: number) {
  let takenRecords = 0;
  return async (target: Uint8Array): Promise<number> => {
    const count = Math.min(target.length / recordBytes, records - takenRecords);
    for (let copiedRecords = 0; copiedRecords < count; ) {
      const from = (takenRecords + copiedRecords) % (drawnRecords.length / recordBytes);
      const part = drawnRecords.subarray(from * recordBytes, (from + count - copiedRecords) * recordBytes);
      target.set(part, copiedRecords * recordBytes);
      copiedRecords += part.length / recordBytes;
    }
    takenRecords += count;
    return count;
  };
}

export interface Timing {
  /** Without the start of the threads and without the records before. */
  seconds: number;
  /** Records in this time: those asked for, up to the batch in which the time began. */
  records: number;
}

/** @throws FirstseenError as `MotifPipeline` does. */
export async function timeMotifs(options: TimingOptions): Promise<Timing> {
  const { motifs, threads, warmupRecords } = options;
  const pipeline = await MotifPipeline.open(resolveMotifSettings(motifs), threads);
  try {
    let [before, records, startMilliseconds] = [0, 0, performance.now()];
    for await (const { count } of pipeline.batches(cyclicFiller(options, options.records + warmupRecords))) {
      if (before >= warmupRecords) records += count;
      else {
        before += count;
        startMilliseconds = performance.now();
      }
    }
    return { seconds: (performance.now() - startMilliseconds) / 1000, records };
  } finally {
    await pipeline.close();
  }
}
