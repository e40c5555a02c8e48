// What a monitor reads of a worker, in the text format of Prometheus.

import type { KafkaClient } from '../io/kafka/contract.js';
import { type Metric, metricsText } from '../serve/http/metrics.js';
import type { PartitionState } from './partition.js';
import type { Repartitioner } from './repartitioner.js';
import type { WorkerSettings } from './settings.js';
import type { Worker } from './worker.js';

export interface Watched {
  worker: Worker;
  client: KafkaClient;
  settings: WorkerSettings;
  /** The first half of a worker that repartitions. */
  repartitioner?: Repartitioner | undefined;
  version: string;
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
      'Records that were given out, by what they are.',
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

async function partitionMetrics({ worker, client, settings }: Watched): Promise<Metric[]> {
  const states = [...worker.states.values()];
  const ends = new Map<PartitionState, number>();
  for (const state of states) ends.set(state, (await client.bounds(settings.topics.input, state.partition)).high);
  const gauge = (name: string, help: string, sampleOf: (state: PartitionState) => number) =>
    metric(`${PREFIX}_${name}`, 'gauge', help, ofPartitions(states, sampleOf));
  return [
    gauge('lag_records', 'Offsets of the input that were not given out.', (state) =>
      Math.max(0, (ends.get(state) ?? 0) - state.readUpTo),
    ),
    gauge('replay_left_records', 'Offsets that are to be read again.', ({ replayLeft }) => replayLeft),
    gauge('position_offset', 'Offset of the first record that was not given out.', ({ position }) => position),
    gauge(
      'snapshot_age_seconds',
      'Age of the newest snapshot.',
      ({ snapshot }) => (Date.now() - snapshot.writtenMilliseconds) / 1000,
    ),
    gauge(
      'snapshot_behind_records',
      'Offsets after the newest snapshot: a start reads them again.',
      ({ position, snapshot }) => position - snapshot.offset,
    ),
    gauge('detector_memory_bytes', 'Memory that was asked for.', ({ memoryBytes }) => memoryBytes),
    metric(
      `${PREFIX}_observed_total`,
      'counter',
      'Keys that the detector has observed.',
      ofPartitions(states, ({ observed }) => observed.observed),
    ),
  ];
}

async function repartitionMetrics(
  { counts, readUpTo }: Repartitioner,
  { client, settings: { topics } }: Watched,
): Promise<Metric[]> {
  const lags: [{ partition: number }, number][] = [];
  for (const [partition, position] of readUpTo) {
    const { high } = await client.bounds(topics.source as string, partition);
    lags.push([{ partition }, Math.max(0, high - position)]);
  }
  const name = `${PREFIX}_repartition`;
  return [
    metric(`${name}_lag_records`, 'gauge', 'Offsets of the input that were not cut.', lags),
    metric(`${name}_records_total`, 'counter', 'Records that were cut, by what became of them.', [
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

/** What both halves do. */
export function phaseOf({ worker, repartitioner }: Pick<Watched, 'worker' | 'repartitioner'>): Worker['phase'] {
  const { phase } = worker;
  return phase === 'ready' && repartitioner?.isReady === false ? 'loading' : phase;
}

/** All metrics. */
export async function workerMetricsText(watched: Watched): Promise<string> {
  const { user, system } = process.cpuUsage();
  return metricsText([
    metric('firstseen_info', 'gauge', 'The version.', [[{ version: watched.version }, 1]]),
    metric('firstseen_ready', 'gauge', 'Whether records are given out.', [[{}, phaseOf(watched) === 'ready' ? 1 : 0]]),
    ...workerMetrics(watched.worker),
    ...(await partitionMetrics(watched)),
    ...(watched.repartitioner ? await repartitionMetrics(watched.repartitioner, watched) : []),
    metric('process_cpu_seconds_total', 'counter', 'Time of the processor.', [[{}, (user + system) / 1e6]]),
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [[{}, process.memoryUsage.rss()]]),
  ]);
}
