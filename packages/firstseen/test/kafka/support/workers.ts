// Workers over a cluster in memory, and what they have to write.

import { vi } from 'vitest';
import { Detector } from '../../../src/detectors/detector.js';
import type { KafkaRecord } from '../../../src/io/kafka/contract.js';
import { SingleReader } from '../../../src/kafka/messages/reader.js';
import { Observing } from '../../../src/kafka/observing/observing.js';
import { WindowClock } from '../../../src/kafka/observing/windowclock.js';
import { takeSnapshot } from '../../../src/kafka/partition/replay.js';
import { decodeContainer } from '../../../src/kafka/repartition/containers.js';
import { unpacking } from '../../../src/kafka/repartition/unpacking.js';
import type { WorkerSettings } from '../../../src/kafka/settings.js';
import { Worker, type WorkerOptions } from '../../../src/kafka/worker.js';
import { valuesOf } from '../../../src/options/filled.js';
import { workerRows } from '../../../src/options/kafka.js';
import { settingsWithKeys } from '../../../src/plan/keys.js';
import { temporaryFolder } from '../../cli/support/command.js';
import { FakeClient, type FakeCluster, Fate } from './fakecluster.js';

export const topics = { input: 'in', output: 'out', duplicatesTo: 'again', pointers: 'pointers' };

/** A generator of the test's choices. */
export function choices(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Small detectors, so that answers depend on all that was observed before. */
export function settingsFor(changes: Partial<WorkerSettings> = {}): WorkerSettings {
  return {
    ...valuesOf(workerRows, { group: 'group' }),
    topics,
    partitions: 3,
    folder: changes.folder ?? temporaryFolder(),
    keys: { place: 'value', format: 'ndjson', keys: ['id'], onError: 'fail' },
    checksMessageKeys: false,
    detector: { window: 20, memory: '4KiB', keys: ['id'] },
    clock: {},
    asked: { window: 20 },
    from: 'earliest',
    snapshotEvery: 40,
    maxRecords: 25,
    ...changes,
  };
}

export function makeTopics(cluster: FakeCluster, partitions = 3): void {
  for (const topic of Object.values(topics)) cluster.make(topic, partitions);
}

/** A worker whose snapshots are taken in this process. Its run ends after them, so that nothing writes to its folder any more. */
class LocalWorker extends Worker {
  readonly #snapshots: readonly Promise<unknown>[];

  constructor(options: WorkerOptions, snapshots: readonly Promise<unknown>[]) {
    super(options);
    this.#snapshots = snapshots;
  }

  override async run(signal: AbortSignal): Promise<void> {
    try {
      await super.run(signal);
    } finally {
      await Promise.allSettled(this.#snapshots);
    }
  }
}

/** A worker that does not run yet. */
export function newWorker(
  cluster: FakeCluster,
  { settings, name = 'one', fate }: WorkerStart,
  warnings: string[],
): Worker {
  const client = new FakeClient(cluster, name, fate ?? new Fate(Number.POSITIVE_INFINITY));
  const snapshots: Promise<unknown>[] = [];
  const options: WorkerOptions = {
    client: unpacking(client, settings.topics.input, settings.unpacks),
    settings,
    snapshotter: (task) => {
      const snapshot = takeSnapshot(client, task);
      snapshots.push(snapshot);
      return snapshot;
    },
    onWarning: (message) => warnings.push(message),
    onNotice: () => undefined,
  };
  return new LocalWorker(options, snapshots);
}

export interface StartedWorker {
  worker: Worker;
  warnings: string[];
  /** Resolves to the error that ended it. */
  ended: Promise<unknown>;
  hasEnded: boolean;
  stop(): void;
}

export interface WorkerStart {
  settings: WorkerSettings;
  name?: string;
  fate?: Fate;
}

/** A worker that runs. */
export function startWorker(cluster: FakeCluster, start: WorkerStart): StartedWorker {
  const warnings: string[] = [];
  const worker = newWorker(cluster, start, warnings);
  const controller = new AbortController();
  const end = (error?: unknown) => {
    started.hasEnded = true;
    return error;
  };
  const ended = worker.run(controller.signal).then(() => end(), end);
  const started: StartedWorker = { worker, warnings, ended, hasEnded: false, stop: () => controller.abort() };
  return started;
}

/** Waits, also on a busy machine. */
export function until(condition: () => unknown): Promise<unknown> {
  return vi.waitUntil(condition, { interval: 1, timeout: 60_000 });
}

/** Tells if the group has emitted all records of a topic. */
export function isDone(cluster: FakeCluster, topic = topics.input): boolean {
  const { partitions } = cluster.topics.get(topic) ?? { partitions: [] };
  return partitions.every((_entries, partition) => {
    const { records } = cluster.committedFrom(topic, partition, cluster.offsets.get(partition) ?? 0, 1);
    return cluster.offsets.has(partition) && records.length === 0;
  });
}

/** Runs a worker until all is emitted. @returns what it ended with */
export async function runToEnd(cluster: FakeCluster, start: WorkerStart): Promise<unknown> {
  return (await ranToEnd(cluster, start)).ended;
}

/** As `runToEnd`, with the worker. It runs until something else holds too. */
export async function ranToEnd(
  cluster: FakeCluster,
  start: WorkerStart,
  until: () => boolean = () => true,
): Promise<StartedWorker> {
  const started = startWorker(cluster, start);
  cluster.onIdle = () => {
    if (isDone(cluster) && until()) started.stop();
  };
  await started.ended;
  return started;
}

type Written = Pick<KafkaRecord, 'key' | 'value' | 'timestamp' | 'headers'>;

function withoutPlace({ key, value, timestamp, headers }: KafkaRecord): Written {
  return { key, value, timestamp, headers };
}

/** What one process without interruptions writes: for each partition, first occurrences and duplicates. */
export async function expected(cluster: FakeCluster, settings: WorkerSettings): Promise<[Written[], Written[]][]> {
  const results: [Written[], Written[]][] = [];
  for (let partition = 0; partition < settings.partitions; partition++) {
    const detector = await Detector.ofSettings(await settingsWithKeys({ ...settings.detector, clock: 'manual' }));
    const observing = new Observing({
      detector,
      times: new WindowClock({ detector, notes: {}, from: 0 }),
      topic: topics.input,
      reader: new SingleReader({ keys: settings.keys }),
    });
    const { records: messages } = cluster.committedFrom(topics.input, partition, 0);
    const { unpacks } = settings;
    const records = unpacks ? messages.flatMap((message) => decodeContainer(message, unpacks)) : messages;
    const { outcomes } = observing.take(records);
    const of = (...kinds: string[]) =>
      records.filter((_record, i) => kinds.includes(outcomes[i] as string)).map(withoutPlace);
    results.push([of('distinct', 'passed', 'tombstone'), of('duplicate')]);
  }
  return results;
}

export function written(cluster: FakeCluster, settings: WorkerSettings): [Written[], Written[]][] {
  const of = (topic: string, partition: number) => cluster.committedFrom(topic, partition, 0).records.map(withoutPlace);
  return Array.from({ length: settings.partitions }, (_, partition) => [
    of(topics.output, partition),
    of(topics.duplicatesTo, partition),
  ]);
}
