// The time that range motifs take for a number of records, on a number of threads.

import type { MotifOptions } from 'firstseen';
import { MotifPipeline, resolveMotifSettings } from 'firstseen/internal';

export interface TimingOptions {
  motifs: MotifOptions;
  threads: number;
  records: number;
  /** Records that are taken again and again. More than a batch of them, so that they are no exact repeats within one. */
  drawn: Uint8Array;
}

/** Copies drawn records to each target, cyclically, until there were `records` of them. Returns the number of each copy. */
function cyclicFiller({ motifs: { recordBytes }, records, drawn }: TimingOptions) {
  let taken = 0;
  return async (target: Uint8Array): Promise<number> => {
    const count = Math.min(target.length / recordBytes, records - taken);
    for (let done = 0; done < count; ) {
      const from = (taken + done) % (drawn.length / recordBytes);
      const part = drawn.subarray(from * recordBytes, (from + count - done) * recordBytes);
      target.set(part, done * recordBytes);
      done += part.length / recordBytes;
    }
    taken += count;
    return count;
  };
}

export interface Timing {
  /** Without the start of the threads. */
  seconds: number;
  /** Records that were answered. */
  records: number;
}

/** @throws FirstseenError as `MotifPipeline` does. */
export async function timeMotifs(options: TimingOptions): Promise<Timing> {
  const pipeline = await MotifPipeline.open(resolveMotifSettings(options.motifs), options.threads);
  try {
    let records = 0;
    const started = performance.now();
    for await (const { count } of pipeline.batches(cyclicFiller(options))) records += count;
    return { seconds: (performance.now() - started) / 1000, records };
  } finally {
    await pipeline.close();
  }
}
