// What a monitor reads: the text format of Prometheus, version 0.0.4. Units are base units.

import { setImmediate as turn } from 'node:timers/promises';
import type { WitnessStats } from '../../detectors/witness.js';
import type { Histogram } from '../histogram.js';
import type { ServerState } from '../session.js';
import type { DetectorEntry } from '../store/entry.js';
import type { HttpCounts } from './counts.js';

/** Detectors that have series of their own. The sums of the others have this name. */
const MOST_LABELLED = 200;
const OTHERS = '_others';
/** Detectors that are counted before others have a turn. */
const COUNTED_AT_A_TIME = { labelled: 16, others: 1024 } as const;

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [labels: Labels, value: number];

export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface HistogramMetric {
  readonly name: string;
  readonly type: 'histogram';
  readonly help: string;
  readonly histograms: readonly (readonly [labels: Labels, histogram: Histogram])[];
}

/** What is known of one detector, or of several together. */
interface DetectorCounts {
  observed: number;
  duplicates: number;
  memoryBytes: number;
  claims: Record<string, number>;
  held: number;
  rates: Readonly<Record<string, number>>;
}

function escaped(value: string | number): string {
  return String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function seriesOf(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length > 0 ? `${name}{${pairs.join(',')}}` : name;
}

function linesOfHistogram(name: string, labels: Labels, histogram: Histogram): string[] {
  const { limits, counts, sum } = histogram;
  let below = 0;
  const buckets = [...limits, '+Inf'].map((limit, i) => {
    below += counts[i] as number;
    return `${seriesOf(`${name}_bucket`, { ...labels, le: limit })} ${below}`;
  });
  return [...buckets, `${seriesOf(`${name}_sum`, labels)} ${sum}`, `${seriesOf(`${name}_count`, labels)} ${below}`];
}

function linesOf(metric: Metric | HistogramMetric): string[] {
  const { name, type, help } = metric;
  const samples =
    metric.type === 'histogram'
      ? metric.histograms.flatMap(([labels, histogram]) => linesOfHistogram(name, labels, histogram))
      : metric.samples.map(([labels, value]) => `${seriesOf(name, labels)} ${value}`);
  return samples.length > 0 ? [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples] : [];
}

/** One value without labels, if there is one. */
function only(value: number | undefined): readonly Sample[] {
  return value === undefined ? [] : [[{}, value]];
}

function countsOf({ detector, memoryBytes, claims }: DetectorEntry): DetectorCounts {
  const { observed, duplicates, settings } = detector;
  const { pending = 0, ...ended } = claims?.stats() ?? {};
  const { committed, aborted, expired, late } = ended as Record<string, number | undefined>;
  const outcomes = claims ? { committed, aborted, expired, late } : {};
  const { witness } = settings.witnessBytes > 0 ? detector.statsWithoutLoad() : {};
  return {
    ...{ observed, duplicates, memoryBytes, held: pending, claims: outcomes as Record<string, number> },
    rates: witness ? ratesOf(witness) : {},
  };
}

/** The rates that there is something to estimate from. */
function ratesOf({ falsePositiveRate, falseNegativeRate }: WitnessStats): Record<string, number> {
  const [positive, negative] = [falsePositiveRate.estimate, falseNegativeRate.estimate];
  return {
    ...(positive === null ? {} : { false_positive: positive }),
    ...(negative === null ? {} : { false_negative: negative }),
  };
}

function add(sum: DetectorCounts, { detector, memoryBytes, claims }: DetectorEntry): void {
  sum.observed += detector.observed;
  sum.duplicates += detector.duplicates;
  sum.memoryBytes += memoryBytes;
  const { pending = 0, committed = 0, aborted = 0, expired = 0, late = 0 } = claims?.stats() ?? {};
  sum.held += pending;
  for (const [outcome, count] of Object.entries({ committed, aborted, expired, late })) {
    sum.claims[outcome] = (sum.claims[outcome] ?? 0) + count;
  }
}

/** The counts of the first detectors by their names, and of all others. Clients are answered meanwhile. */
async function countDetectors({ store }: ServerState): Promise<[name: string, counts: DetectorCounts][]> {
  const labelled: [string, DetectorCounts][] = [];
  const others: DetectorCounts = { observed: 0, duplicates: 0, memoryBytes: 0, held: 0, claims: {}, rates: {} };
  let counted = 0;
  for (const entry of [...store.list()]) {
    const isLabelled = labelled.length < MOST_LABELLED && entry.name !== OTHERS;
    const isThere = store.find(entry.name) === entry;
    if (isThere && isLabelled) labelled.push([entry.name, countsOf(entry)]);
    else if (isThere) add(others, entry);
    const atATime = isLabelled ? COUNTED_AT_A_TIME.labelled : COUNTED_AT_A_TIME.others;
    if (++counted % atATime === 0) await turn();
  }
  return counted > labelled.length ? [...labelled, [OTHERS, others]] : labelled;
}

async function detectorMetrics(server: ServerState): Promise<Metric[]> {
  const counted = await countDetectors(server);
  const of = (member: 'observed' | 'duplicates' | 'memoryBytes') =>
    counted.map(([detector, counts]) => [{ detector }, counts[member]] as const);
  const withClaims = counted.filter(([, { claims }]) => Object.keys(claims).length > 0);
  return [
    {
      name: 'firstseen_detector_observed_total',
      type: 'counter',
      help: 'Keys that were observed.',
      samples: of('observed'),
    },
    {
      name: 'firstseen_detector_duplicates_total',
      type: 'counter',
      help: 'Observed keys that were answered duplicate.',
      samples: of('duplicates'),
    },
    {
      name: 'firstseen_detector_memory_bytes',
      type: 'gauge',
      help: 'Memory that was asked for.',
      samples: of('memoryBytes'),
    },
    {
      ...{ name: 'firstseen_detector_claims_held', type: 'gauge', help: 'Keys that claims hold.' },
      samples: withClaims.map(([detector, { held }]) => [{ detector }, held] as const),
    },
    {
      ...{ name: 'firstseen_detector_claims_total', type: 'counter', help: 'Claims that ended, and late commits.' },
      samples: withClaims.flatMap(([detector, { claims }]) =>
        Object.entries(claims).map(([outcome, count]) => [{ detector, outcome }, count] as const),
      ),
    },
    {
      ...{ name: 'firstseen_detector_error_ratio', type: 'gauge', help: 'Rates of errors that the witness measured.' },
      samples: counted.flatMap(([detector, { rates }]) =>
        Object.entries(rates).map(([error, rate]) => [{ detector, error }, rate] as const),
      ),
    },
  ];
}

function logMetrics({ data }: ServerState): (Metric | HistogramMetric)[] {
  if (data === undefined) return [];
  const { identity, syncSeconds, snapshotMilliseconds } = data;
  const { id, createdMilliseconds } = identity;
  return [
    { name: 'firstseen_data_info', type: 'gauge', help: 'The name of the data folder.', samples: [[{ id }, 1]] },
    {
      ...{
        name: 'firstseen_data_created_timestamp_seconds',
        type: 'gauge',
        help: 'When the data folder was made.',
      },
      samples: only(createdMilliseconds / 1000),
    },
    {
      name: 'firstseen_log_bytes',
      type: 'gauge',
      help: 'Bytes of the log that no snapshot has.',
      samples: only(data.logBytes),
    },
    {
      ...{
        name: 'firstseen_log_writable',
        type: 'gauge',
        help: 'Whether the log can be written; changes are refused if not.',
      },
      samples: only(data.problem === undefined ? 1 : 0),
    },
    {
      ...{ name: 'firstseen_log_sync_duration_seconds', type: 'histogram', help: 'Time that syncs of the log took.' },
      histograms: syncSeconds ? [[{}, syncSeconds]] : [],
    },
    {
      ...{ name: 'firstseen_snapshot_timestamp_seconds', type: 'gauge', help: 'When the last snapshots were written.' },
      samples: only(snapshotMilliseconds === undefined ? undefined : snapshotMilliseconds / 1000),
    },
  ];
}

function httpMetrics(
  { open, connections, requests, seconds }: HttpCounts,
  server: ServerState,
): (Metric | HistogramMetric)[] {
  const { counts, sessions, foreignConnections } = server;
  return [
    {
      ...{ name: 'firstseen_open_connections', type: 'gauge', help: 'Connections that are open.' },
      samples: [
        [{ protocol: 'redis' }, sessions.size],
        [{ protocol: 'http' }, open],
      ],
    },
    {
      ...{ name: 'firstseen_connections_total', type: 'counter', help: 'Connections that were taken.' },
      samples: [
        [{ protocol: 'redis' }, counts.connections],
        [{ protocol: 'http' }, connections],
      ],
    },
    {
      ...{
        name: 'firstseen_refused_connections_total',
        type: 'counter',
        help: 'Connections of Redis beyond the maximum.',
      },
      samples: only(counts.refusedConnections),
    },
    {
      ...{
        name: 'firstseen_foreign_connections_total',
        type: 'counter',
        help: 'Connections to the port of Redis that were ended because the client spoke another protocol.',
      },
      samples: only(foreignConnections.count),
    },
    { name: 'firstseen_commands_total', type: 'counter', help: 'Commands of Redis.', samples: only(counts.commands) },
    {
      name: 'firstseen_command_errors_total',
      type: 'counter',
      help: 'Commands of Redis that were answered with an error.',
      samples: only(counts.errors),
    },
    {
      ...{ name: 'firstseen_http_requests_total', type: 'counter', help: 'Requests of HTTP.' },
      samples: Array.from(
        requests,
        ({ method, path, status, requests: count }) => [{ method, path, status }, count] as const,
      ),
    },
    {
      ...{
        name: 'firstseen_http_request_duration_seconds',
        type: 'histogram',
        help: 'Time from the head of a request to the end of its reply.',
      },
      histograms: Array.from(seconds, ([path, histogram]) => [{ path }, histogram] as const),
    },
  ];
}

function processMetrics(server: ServerState): Metric[] {
  const { store, version, phase, startedAt } = server;
  const { user, system } = process.cpuUsage();
  return [
    { name: 'firstseen_info', type: 'gauge', help: 'The version.', samples: [[{ version }, 1]] },
    {
      name: 'firstseen_ready',
      type: 'gauge',
      help: 'Whether requests are served.',
      samples: only(phase === 'ready' ? 1 : 0),
    },
    { name: 'firstseen_detectors', type: 'gauge', help: 'Detectors.', samples: only(store.count) },
    {
      name: 'firstseen_detectors_memory_bytes',
      type: 'gauge',
      help: 'Memory that all detectors take.',
      samples: only(store.usedBytes),
    },
    {
      name: 'firstseen_detectors_memory_limit_bytes',
      type: 'gauge',
      help: 'The most memory of all detectors.',
      samples: only(store.memoryBytes),
    },
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Time of the processor.',
      samples: only((user + system) / 1e6),
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory.',
      samples: only(process.memoryUsage.rss()),
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the server started.',
      samples: only(startedAt / 1000),
    },
  ];
}

/** All metrics. No memory of a detector is read. */
export async function metricsOf(server: ServerState, counts: HttpCounts): Promise<(Metric | HistogramMetric)[]> {
  return [
    ...processMetrics(server),
    ...httpMetrics(counts, server),
    ...logMetrics(server),
    ...(await detectorMetrics(server)),
  ];
}

export function metricsText(metrics: readonly (Metric | HistogramMetric)[]): string {
  return `${metrics.flatMap(linesOf).join('\n')}\n`;
}
