// What a monitor reads of a worker, in the text format of Prometheus.

import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaClient } from '../../io/kafka/contract.js';
import type { Phase } from '../../monitor/health.js';
import { type Metric, processMetrics, serviceMetrics } from '../../monitor/metrics.js';
import type { PartitionState } from '../partition/partition.js';
import type { Repartitioner } from '../repartition/repartitioner.js';
import type { WorkerSettings } from '../settings.js';
import type { Worker } from '../worker.js';
import { type Holdups, holdupText, reasons, waitingText } from './holdups.js';

type Ends = ReadonlyMap<number, number>;

const NO_ENDS: Ends = new Map();
/** A monitor that waits for longer takes the worker for dead. */
const ANSWER_MILLISECONDS = 1000;
/** Time for which ends are told again, while others are asked for. Monitors ask more often. */
const KEPT_MILLISECONDS = 300_000;

/** The ends of all partitions that were asked for, and when the last of them was found. */
interface Round {
  ends: Ends;
  endedAt: number;
}

export class PartitionEnds {
  readonly #client: Pick<KafkaClient, 'bounds'>;
  /**
   * The pending request of each topic. While brokers do not answer, nothing else is asked: each request takes a thread
   * of the process.
   */
  readonly #pending = new Map<string, Promise<Ends>>();
  /** The last rounds that did not fail, by topic: many partitions over a slow network take longer than a monitor waits. */
  readonly #rounds = new Map<string, Round>();

  constructor(client: Pick<KafkaClient, 'bounds'>) {
    this.#client = client;
  }

  /** The ends of partitions of a topic. While they are asked for, those that were found before; of none if the brokers do not answer. */
  async of(topic: string, partitions: readonly number[]): Promise<Ends> {
    if (partitions.length === 0) return NO_ENDS;
    const pending = this.#pending.get(topic) ?? this.#find(topic, partitions);
    this.#pending.set(topic, pending);
    const late = sleep(ANSWER_MILLISECONDS, undefined, { ref: false }).then(() => this.#before(topic));
    return Promise.race([pending, late]);
  }

  #before(topic: string): Ends {
    const { ends, endedAt } = this.#rounds.get(topic) ?? { ends: NO_ENDS, endedAt: 0 };
    return performance.now() - endedAt < KEPT_MILLISECONDS ? ends : NO_ENDS;
  }

  /** Asks one after the other. */
  async #find(topic: string, partitions: readonly number[]): Promise<Ends> {
    const ends = new Map<number, number>();
    try {
      for (const partition of partitions) ends.set(partition, (await this.#client.bounds(topic, partition)).high);
      this.#rounds.set(topic, { ends, endedAt: performance.now() });
    } catch {
      // The worker says itself what it cannot have.
      this.#rounds.delete(topic);
    } finally {
      this.#pending.delete(topic);
    }
    return ends;
  }
}

export interface Watched {
  worker: Worker;
  client: KafkaClient;
  settings: WorkerSettings;
  /** The first half of a worker that repartitions. */
  repartitioner?: Repartitioner | undefined;
  /** The watchers that know what holds the halves up. */
  holdups?: WatchedHoldups | undefined;
  version: string;
}

/** The watchers that know what holds each half up. */
export type WatchedHoldups = Readonly<Partial<Record<'worker' | 'repartition', Pick<Holdups, 'current' | 'waiting'>>>>;

/** The watched worker, and the object that finds the ends of its input. */
export interface Monitored extends Watched {
  ends: PartitionEnds;
}

const PREFIX = 'firstseen_kafka';

function metric(name: string, type: Metric['type'], help: string, samples: Metric['samples']): Metric {
  return { name, type, help, samples };
}

function workerMetrics({ counts }: Worker): Metric[] {
  const { records, replayed, committed, aborted, commitSeconds, snapshots, failedSnapshots } = counts;
  return [
    metric(
      `${PREFIX}_records_total`,
      'counter',
      'Records that were emitted, by verdict.',
      Object.entries(records).map(([answer, count]) => [{ answer }, count] as const),
    ),
    metric(`${PREFIX}_replayed_records_total`, 'counter', 'Records that were read again.', [[{}, replayed]]),
    metric(`${PREFIX}_transactions_total`, 'counter', 'Transactions that ended.', [
      [{ outcome: 'committed' }, committed],
      [{ outcome: 'aborted' }, aborted],
    ]),
    metric(`${PREFIX}_transaction_seconds_total`, 'counter', 'Time that committed transactions took.', [
      [{}, commitSeconds],
    ]),
    metric(`${PREFIX}_snapshots_total`, 'counter', 'Snapshots that ended.', [
      [{ outcome: 'taken' }, snapshots],
      [{ outcome: 'failed' }, failedSnapshots],
    ]),
  ];
}

/** One sample for each partition. */
function ofPartitions(
  states: readonly PartitionState[],
  sampleOf: (state: PartitionState) => number,
): Metric['samples'] {
  return states.map((state) => [{ partition: state.partition }, sampleOf(state)] as const);
}

/**
 * Returns the number of offsets that are left to read in each partition, from the offsets up to which they were read. A
 * partition whose end is not known has no sample.
 */
function lags(readUpTo: ReadonlyMap<number, number>, ends: ReadonlyMap<number, number>): Metric['samples'] {
  return Array.from(readUpTo).flatMap(([partition, position]) => {
    const end = ends.get(partition);
    return end === undefined ? [] : [[{ partition }, Math.max(0, end - position)] as const];
  });
}

/** The ends of the topics that the halves read, by partition. */
interface FoundEnds {
  input: ReadonlyMap<number, number>;
  source: ReadonlyMap<number, number>;
}

async function findEnds({ worker, repartitioner, ends, settings: { topics } }: Monitored): Promise<FoundEnds> {
  const [input, source] = await Promise.all([
    ends.of(topics.input, [...worker.states.keys()]),
    repartitioner ? ends.of(topics.source as string, [...repartitioner.readUpTo.keys()]) : new Map<number, number>(),
  ]);
  return { input, source };
}

/** The windows that follow the times of records, against the clock of this machine. */
function clockMetrics(states: readonly PartitionState[], { times }: Worker['counts']): Metric[] {
  const begun = states.filter(({ clock }) => clock.milliseconds > 0);
  return [
    metric(
      `${PREFIX}_window_behind_seconds`,
      'gauge',
      'How far the time of the window is behind the clock of this machine; less than 0 if it is ahead.',
      ofPartitions(begun, ({ clock }) => (Date.now() - clock.milliseconds) / 1000),
    ),
    metric(
      `${PREFIX}_untimely_records_total`,
      'counter',
      'Records whose time is far behind the window, or ahead of the clock of this machine.',
      Object.entries(times).map(([time, count]) => [{ time }, count] as const),
    ),
  ];
}

function partitionMetrics(worker: Worker, ends: FoundEnds['input']): Metric[] {
  const states = [...worker.states.values()];
  const readUpTo = new Map(states.map((state) => [state.partition, state.readUpTo]));
  const gauge = (name: string, help: string, sampleOf: (state: PartitionState) => number) =>
    metric(`${PREFIX}_${name}`, 'gauge', help, ofPartitions(states, sampleOf));
  return [
    metric(`${PREFIX}_lag_records`, 'gauge', 'Offsets of the input that were not emitted.', lags(readUpTo, ends)),
    gauge('replay_left_records', 'Offsets that are to be read again.', ({ replayLeft }) => replayLeft),
    gauge('position_offset', 'Offset of the first record that was not emitted.', ({ position }) => position),
    gauge(
      'snapshot_age_seconds',
      'Age of the newest snapshot.',
      ({ snapshotAgeMilliseconds }) => snapshotAgeMilliseconds / 1000,
    ),
    gauge(
      'snapshot_behind_records',
      'Offsets after the newest snapshot: a start reads them again.',
      ({ position, snapshot }) => position - snapshot.offset,
    ),
    gauge('detector_memory_bytes', 'Memory that was requested.', ({ memoryBytes }) => memoryBytes),
    metric(
      `${PREFIX}_observed_total`,
      'counter',
      'Keys that the detector has observed.',
      ofPartitions(states, ({ observed }) => observed.observed),
    ),
    metric(
      `${PREFIX}_window_shortened_total`,
      'counter',
      'Generations that left the window early, because it has no room for all.',
      states.flatMap(({ partition, shortened }) =>
        shortened === undefined ? [] : [[{ partition }, shortened] as const],
      ),
    ),
    ...clockMetrics(states, worker.counts),
  ];
}

function repartitionMetrics({ counts, readUpTo }: Repartitioner, ends: FoundEnds['source']): Metric[] {
  const name = `${PREFIX}_repartition`;
  return [
    metric(`${name}_lag_records`, 'gauge', 'Offsets of the input that were not repartitioned.', lags(readUpTo, ends)),
    metric(`${name}_records_total`, 'counter', 'Records that were repartitioned, by outcome.', [
      [{ outcome: 'written' }, counts.records],
      [{ outcome: 'dropped' }, counts.dropped],
    ]),
    metric(`${name}_containers_total`, 'counter', 'Containers that were written.', [[{}, counts.containers]]),
    metric(`${name}_transactions_total`, 'counter', 'Transactions of the first half that ended.', [
      [{ outcome: 'committed' }, counts.committed],
      [{ outcome: 'aborted' }, counts.aborted],
    ]),
  ];
}

function holdupMetrics(holdups: WatchedHoldups): Metric[] {
  const samples = Object.entries(holdups).flatMap(([half, { current }]) =>
    reasons.map((reason) => {
      const milliseconds = current?.reason === reason ? current.milliseconds : 0;
      return [{ half, reason }, milliseconds / 1000] as const;
    }),
  );
  const help = 'How long a half has made no progress, by what holds it up; 0 for every other reason.';
  return [metric(`${PREFIX}_held_up_seconds`, 'gauge', help, samples)];
}

/** Returns the causes that hold the halves up, a line each. */
export function holdupLines({ holdups = {} }: Pick<Watched, 'holdups'>, phase: Phase): string {
  return Object.values(holdups)
    .flatMap(({ current, waiting }) => {
      if (current) return [`${holdupText(current)}\n`];
      return waiting && phase === 'loading' ? [`${waitingText(waiting)}\n`] : [];
    })
    .join('');
}

/** Returns the phase of the worker, of both halves together. */
export function phaseOf({ worker, repartitioner }: Pick<Watched, 'worker' | 'repartitioner'>): Worker['phase'] {
  const { phase } = worker;
  return phase === 'ready' && repartitioner?.isReady === false ? 'loading' : phase;
}

/** All metrics. */
export async function allMetrics(watched: Monitored): Promise<Metric[]> {
  // Partitions may be given up while their ends are asked for, so nothing is waited for from here on.
  const ends = await findEnds(watched);
  const { worker, repartitioner } = watched;
  return [
    ...serviceMetrics(watched.version, phaseOf(watched) === 'ready', 'Whether records are emitted.'),
    ...workerMetrics(worker),
    ...partitionMetrics(worker, ends.input),
    ...holdupMetrics(watched.holdups ?? {}),
    ...(repartitioner ? repartitionMetrics(repartitioner, ends.source) : []),
    ...processMetrics(),
  ];
}
