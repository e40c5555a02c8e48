// The parts of the library that require Node: Node streams, and runs over files.

import { Transform } from 'node:stream';
import { checkObject, checkOptions, checkWhole } from './base/check.js';
import { copied } from './base/copied.js';
import { tell } from './base/diagnostics.js';
import { FirstseenError } from './base/errors.js';
import type { Gate } from './claims/gate.js';
import { givenClock } from './detectors/clock.js';
import { Detector } from './detectors/detector.js';
import type { HostOptions } from './detectors/host.js';
import type { Key } from './detectors/key.js';
import { refuseModule } from './kernel/given.js';
import { type CreateOptions, refuseOverload, settingsWithKeys } from './plan/keys.js';
import { readAskedHeader, type UnwatchedLoadOptions, unwatchedLoadOptionNames } from './snapshot/load.js';
import { readSnapshot, type SnapshotInput } from './snapshot/readstream.js';
import { readDetector } from './snapshot/snapshots.js';
import { byteSteps, type DedupBytesOptions } from './streams/bytes.js';
import {
  createStreamGate,
  type DedupStreamOptions,
  type KeyedDedupStreamOptions,
  strategyOf,
} from './streams/stream.js';
import { MAX_THREADS } from './threads/crew.js';
import { ThreadedDetector } from './threads/threaded.js';

export { describeState, type StateDescription } from './checkpoint/describe.js';
export { type DetectorState, type OpenStateOptions, openState } from './checkpoint/openstate.js';
export type { Overload, OverloadPolicy } from './detectors/ratewatch.js';
export { OutputClosed } from './io/sink.js';
export { runFiles } from './jobs/exact/run.js';
export { type MotifEmission, type MotifRunOptions, type MotifRunStats, runMotifs } from './jobs/motifs/run.js';

export { type RunOptions, type RunProgress, runDefaults } from './run/runoptions.js';
export type { RunStats } from './run/stats.js';
export type { ThreadedDetector } from './threads/threaded.js';

/** The division of a detector over threads. */
export interface ThreadedOptions {
  /** Threads that observe, with that of the caller: 1 to 32. More threads than processors do not help. */
  threads: number;
}

function checkThreads(threaded: ThreadedOptions): number {
  return checkWhole('threads', threaded?.threads, { least: 1, most: MAX_THREADS });
}

/**
 * Creates an empty detector whose batches are observed by several threads; the options are those of `create`. Threads divide the
 * layout `blocked`, and 2 to 128 partitions in any layout. `ThreadedDetector.threads` is 1 for a detector that they do not divide.
 * @throws FirstseenError E_PARAMETER when `threads` is not a number from 1 to 32, otherwise as `create`; E_THREAD when a thread
 * cannot begin.
 */
export async function createThreaded(
  options: Omit<CreateOptions, 'module' | 'onOverload'>,
  threaded: ThreadedOptions,
): Promise<ThreadedDetector> {
  const threads = checkThreads(threaded);
  checkOptions(threaded, { threads: true });
  refuseOverload(options, 'for a detector on threads');
  const copy = copied(checkObject(options));
  refuseModule(copy);
  const clock = givenClock(copy);
  const settings = await settingsWithKeys(copy);
  const opening = (host: HostOptions) => Detector.ofSettings(settings, { ...host, ...clock });
  const detector = await ThreadedDetector.open(settings, threads, opening);
  tell('create', () => ({ detector }));
  return detector;
}

/**
 * The detector of a snapshot, of bytes or a stream, on several threads. It goes on as the saved one would have done.
 * @throws FirstseenError E_SNAPSHOT, E_STATE_DIFFERS and E_MEMORY as `load`; E_PARAMETER and E_THREAD as `createThreaded`.
 */
export async function loadThreaded(
  snapshot: SnapshotInput,
  threaded: ThreadedOptions & Omit<UnwatchedLoadOptions, 'module'>,
): Promise<ThreadedDetector> {
  const threads = checkThreads(threaded);
  refuseOverload(threaded, 'for a detector on threads');
  checkOptions(threaded, { ...unwatchedLoadOptionNames, threads: true });
  refuseModule(threaded);
  const clock = givenClock(threaded);
  const detector = await readSnapshot(snapshot, async (source) => {
    const header = await readAskedHeader(source, threaded);
    const opening = (host: HostOptions) => readDetector(source, header, { ...host, ...clock });
    return ThreadedDetector.open(header.settings, threads, opening);
  });
  tell('load', () => ({ detector }));
  return detector;
}

/** The error to destroy a stream with. A stream treats null and undefined as no error. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new FirstseenError(
    'E_KEY',
    `key, onDuplicate, onRejected or signal ended the stream with ${thrown}, which is not an Error`,
    {
      remedy: 'use an Error',
      cause: thrown,
    },
  );
}

/**
 * A Node stream in object mode that passes the same items as `dedup`. An error that `dedup` would throw destroys it. Chunks of bytes
 * are refused unless `takesChunks` is given.
 * @throws FirstseenError E_PARAMETER for an invalid `highWaterMark`.
 */
export function dedupTransform<Item extends Key>(options?: DedupStreamOptions<Item>): Transform;
/**
 * A Node stream in object mode that passes the same items as `dedup` with a key. An error that `dedup` would throw destroys it.
 * @throws FirstseenError E_PARAMETER for an invalid `highWaterMark`.
 */
export function dedupTransform<Item>(options: KeyedDedupStreamOptions<Item>): Transform;
export function dedupTransform<Item>(options: DedupStreamOptions<Item> = {}): Transform {
  let gate: Gate<Item>;
  /** Resolves the wait that began when the reader's buffer was full. */
  let readOn = (): void => undefined;
  const whenRead = () =>
    new Promise<void>((resolve) => {
      readOn = resolve;
    });
  return new Transform({
    objectMode: true,
    ...strategyOf(options),
    construct(callback) {
      const pass = (item: Item) => (this.push(item) ? undefined : whenRead());
      const fail = (error: unknown) => void this.destroy(asError(error));
      createStreamGate(options, { pass, fail }).then((created) => {
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
      void Promise.resolve(gate?.close()).then(() => callback(error), callback);
    },
  });
}

/**
 * A Node stream that takes bytes in chunks that are cut anywhere, and passes the bytes of the records that are seen for the first time,
 * as `dedupBytes` does: the output of the command for the same input. An error destroys it with its buffered output, so records that
 * were marked as seen may not have arrived.
 * @throws FirstseenError E_PARAMETER for an invalid `highWaterMark`.
 */
export function dedupBytesTransform(options: DedupBytesOptions = {}): Transform {
  const steps = byteSteps(options);
  return new Transform({
    ...strategyOf(options),
    construct(callback) {
      steps.open().then(() => callback(), callback);
    },
    transform(chunk: unknown, _encoding, callback) {
      steps.take(chunk, (bytes) => this.push(bytes)).then(() => callback(), callback);
    },
    flush(callback) {
      steps.finish((bytes) => this.push(bytes)).then(() => callback(), callback);
    },
    destroy(error, callback) {
      steps.close();
      callback(error);
    },
  });
}
