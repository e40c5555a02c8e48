// What a monitor reads of the server. Units are base units.

import type { ServerState } from '../session.js';
import type { HttpCounts } from './counts.js';
import { detectorMetrics } from './detectormetrics.js';
import { type HistogramMetric, type Metric, only } from './metrictext.js';

function logMetrics({ data }: ServerState): (Metric | HistogramMetric)[] {
  if (data === undefined) return [];
  const { identity, syncSeconds, snapshotMilliseconds } = data;
  const { id, createdMilliseconds } = identity;
  return [
    { name: 'firstseen_data_info', type: 'gauge', help: 'The id of the data folder.', samples: [[{ id }, 1]] },
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
        help: 'Whether the log can be written and has space ahead; changes are refused if not.',
      },
      samples: only(data.problem === undefined ? 1 : 0),
    },
    {
      ...{ name: 'firstseen_log_sync_duration_seconds', type: 'histogram', help: 'Time that syncs of the log took.' },
      histograms: syncSeconds ? [[{}, syncSeconds]] : [],
    },
    {
      name: 'firstseen_failed_snapshots_total',
      type: 'counter',
      help: 'New snapshots of all detectors that could not be written; the log grows meanwhile.',
      samples: only(data.failedSnapshots),
    },
    {
      ...{ name: 'firstseen_snapshot_timestamp_seconds', type: 'gauge', help: 'When the last snapshots were written.' },
      samples: only(snapshotMilliseconds === undefined ? undefined : snapshotMilliseconds / 1000),
    },
  ];
}

function httpMetrics(
  { open, connections, refusedConnections, requests, seconds }: HttpCounts,
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
      ...{ name: 'firstseen_connections_total', type: 'counter', help: 'Connections that were accepted.' },
      samples: [
        [{ protocol: 'redis' }, counts.connections],
        [{ protocol: 'http' }, connections],
      ],
    },
    {
      ...{
        name: 'firstseen_refused_connections_total',
        type: 'counter',
        help: 'Connections beyond the maximum.',
      },
      samples: [
        [{ protocol: 'redis' }, counts.refusedConnections],
        [{ protocol: 'http' }, refusedConnections],
      ],
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
      ...{
        name: 'firstseen_command_duration_seconds',
        type: 'histogram',
        help: 'Time of commands of Redis until their replies are ready; those answered together share it equally.',
      },
      histograms: [[{}, counts.commandSeconds]],
    },
    {
      ...{
        name: 'firstseen_refused_changes_total',
        type: 'counter',
        help: 'Changes that were refused because the log could not be written.',
      },
      samples: only(counts.refusedChanges),
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
      help: 'Processor time.',
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

/** All metrics. Of the memory of a detector, a sample is read at most. */
export async function metricsOf(server: ServerState, counts: HttpCounts): Promise<(Metric | HistogramMetric)[]> {
  return [
    ...processMetrics(server),
    ...httpMetrics(counts, server),
    ...logMetrics(server),
    ...(await detectorMetrics(server)),
  ];
}
