// What needs Node: its own streams, and runs over files.

import { Transform } from 'node:stream';
import { FirstseenError } from './errors.js';
import type { Gate } from './streams/gate.js';
import { createGate, type DedupOptions } from './streams/stream.js';

export { runFiles } from './jobs/exact.js';
export { type MotifEmission, type MotifRunOptions, type MotifRunStats, runMotifs } from './jobs/motifs/run.js';
export { type RunOptions, type RunProgress, runDefaults } from './run/options.js';
export { OutputClosed } from './run/output/contract.js';
export { describeState, type StateDescription } from './run/state/statefile.js';
export type { RunStats } from './run/stats.js';

/** A stream takes null and undefined for no error at all. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  const message = `key, onDuplicate or onRejected threw ${thrown}; throw an Error`;
  return new FirstseenError('E_KEY', message, { cause: thrown });
}

/** A Node stream in object mode that passes the items that `dedup` would. It is destroyed with what `dedup` throws. */
export function dedupTransform<Item>(options: DedupOptions<Item> = {}): Transform {
  let gate: Gate<Item>;
  /** Lets go of the item that filled the reader's buffer. */
  let readOn = (): void => undefined;
  const whenRead = () =>
    new Promise<void>((resolve) => {
      readOn = resolve;
    });
  return new Transform({
    objectMode: true,
    construct(callback) {
      const pass = (item: Item) => (this.push(item) ? undefined : whenRead());
      const fail = (error: unknown) => void this.destroy(asError(error));
      createGate(options, { pass, fail }).then((created) => {
        gate = created;
        callback();
      }, callback);
    },
    transform(item: Item, _encoding, callback) {
      const refuse = (error: unknown) => callback(asError(error));
      try {
        gate.take(item);
        const { room } = gate;
        if (room) room.then(() => callback(), refuse);
        else callback();
      } catch (error) {
        refuse(error);
      }
    },
    flush(callback) {
      gate.finish().then(
        () => callback(),
        (error) => callback(asError(error)),
      );
    },
    read(size) {
      readOn();
      Transform.prototype._read.call(this, size);
    },
    destroy(error, callback) {
      Promise.resolve(gate?.close()).then(() => callback(error));
    },
  });
}
