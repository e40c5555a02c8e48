// What needs Node: its own streams, and runs over files.

import { Transform } from 'node:stream';
import { createGate, type DedupOptions, type Gate } from './dedup/stream.js';
import { FirstseenError } from './errors.js';

export type { RunOptions, RunProgress, RunStats } from './dedup/options.js';
export { OutputClosed, runFiles } from './dedup/run.js';
export { describeState, type StateDescription } from './dedup/statefile.js';

/** A stream takes null and undefined for no error at all. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new FirstseenError('E_KEY', `key or onDuplicate threw ${thrown}; throw an Error`, { cause: thrown });
}

/** A Node stream in object mode that passes the items seen for the first time. It is destroyed with what `dedup` throws. */
export function dedupTransform<Item>(options: DedupOptions<Item> = {}): Transform {
  let isFirst: Gate<Item>;
  return new Transform({
    objectMode: true,
    construct(callback) {
      createGate(options).then(
        (gate) => {
          isFirst = gate;
          callback();
        },
        (error: Error) => callback(error),
      );
    },
    transform(item: Item, _encoding, callback) {
      try {
        if (isFirst(item)) callback(null, item);
        else callback();
      } catch (error) {
        callback(asError(error));
      }
    },
  });
}
