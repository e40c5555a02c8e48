// The standard streams of combine and reduce.

import { standardInput } from '../io/file/request.js';
import { openBytes } from '../io/file/sinks.js';
import { lookAtInput } from '../io/sources.js';
import { type WireBatch, WireReader } from './wire.js';

/** Appends bytes to standard output. */
export type Write = (bytes: Uint8Array) => Promise<void>;

/**
 * Lets `work` take elements from standard input and write to standard output, and closes both, also after an error.
 * @param hasTimes whether elements have times
 * @throws FirstseenError E_INPUT, E_OUTPUT, and as `WireReader` does; OutputClosed when the reader of the output has closed it.
 */
export async function withWire(
  hasTimes: boolean,
  work: (batches: AsyncGenerator<WireBatch, void, undefined>, write: Write) => Promise<void>,
): Promise<void> {
  const source = await lookAtInput(standardInput, 'u64');
  const reader = await source.open();
  try {
    const sink = await openBytes(null);
    let isWhole = false;
    try {
      await work(new WireReader(reader, hasTimes).batches(), async (bytes) => {
        if (bytes.length > 0) await sink.write(bytes);
      });
      isWhole = true;
    } finally {
      await sink.close(isWhole);
    }
  } finally {
    await reader.close();
  }
}
