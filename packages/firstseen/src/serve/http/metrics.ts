// What a monitor reads of the server. Units are base units.

import {
  counter,
  gauge,
  type HistogramMetric,
  histogram,
  type Metric,
  processMetrics,
  serviceMetrics,
} from '../../monitor/metrics.js';
import type { DataFolder } from '../log/datafolder.js';
import type { ServerState } from '../session.js';
import type { HttpCounts } from './counts.js';
import { detectorMetrics } from './detectormetrics.js';

function logMetrics(data: DataFolder): (Metric | HistogramMetric)[] {
  const { identity, syncSeconds, snapshotMilliseconds, problem } = data;
  const { id, createdMilliseconds } = identity;
  return [
    gauge('firstseen_data_info', 'The id of the data folder.', [[{ id }, 1]]),
    gauge('firstseen_data_created_timestamp_seconds', 'When the data folder was made.', createdMilliseconds / 1000),
    gauge('firstseen_log_bytes', 'Bytes of the log that no snapshot has.', data.logBytes),
    gauge(
      'firstseen_log_writable',
      'Whether the log can be written and has space ahead; changes are refused if not.',
      problem === undefined ? 1 : 0,
    ),
    counter(
      'firstseen_log_waiting_seconds_total',
      'Time in which changes waited for new snapshots, because the log was at twice its limit.',
      data.waits.seconds,
    ),
    histogram(
      'firstseen_log_sync_duration_seconds',
      'Time that syncs of the log took.',
      syncSeconds ? [[{}, syncSeconds]] : [],
    ),
    counter(
      'firstseen_failed_snapshots_total',
      'New snapshots of all detectors that could not be written; the log grows meanwhile.',
      data.failedSnapshots,
    ),
    gauge(
      'firstseen_snapshot_timestamp_seconds',
      'When the last snapshots were written.',
      snapshotMilliseconds === undefined ? undefined : snapshotMilliseconds / 1000,
    ),
  ];
}

/** One sample for each protocol. */
function ofProtocols(redis: number, http: number): Metric['samples'] {
  return [
    [{ protocol: 'redis' }, redis],
    [{ protocol: 'http' }, http],
  ];
}

type Connected = Pick<ServerState, 'clientMemory' | 'counts' | 'sessions' | 'foreignConnections'>;

function connectionMetrics(
  { open, connections, refusedConnections }: HttpCounts,
  { clientMemory, counts, sessions, foreignConnections }: Connected,
): Metric[] {
  return [
    gauge('firstseen_open_connections', 'Connections that are open.', ofProtocols(sessions.size, open)),
    counter(
      'firstseen_connections_total',
      'Connections that were accepted.',
      ofProtocols(counts.connections, connections),
    ),
    counter(
      'firstseen_refused_connections_total',
      'Connections beyond the maximum.',
      ofProtocols(counts.refusedConnections, refusedConnections),
    ),
    counter(
      'firstseen_foreign_connections_total',
      'Connections to the port of Redis, or to a port with TLS, that were ended because the client spoke another protocol.',
      foreignConnections.count,
    ),
    counter(
      'firstseen_evicted_connections_total',
      'Connections that were ended because requests and replies of all clients together took more memory than they may.',
      clientMemory.evicted,
    ),
  ];
}

function commandMetrics({ commands, errors, commandSeconds, refusedChanges }: ServerState['counts']) {
  return [
    counter('firstseen_commands_total', 'Commands of Redis.', commands),
    counter('firstseen_command_errors_total', 'Commands of Redis that were answered with an error.', errors),
    histogram(
      'firstseen_command_duration_seconds',
      'Time of commands of Redis until their replies are ready, without waits for claims; those answered together share it equally.',
      [[{}, commandSeconds]],
    ),
    counter(
      'firstseen_refused_changes_total',
      'Changes that were refused because the log could not be written.',
      refusedChanges,
    ),
  ];
}

function requestMetrics({ requests, seconds }: HttpCounts): (Metric | HistogramMetric)[] {
  const requestSamples = Array.from(
    requests,
    ({ method, path, status, requests: count }) => [{ method, path, status }, count] as const,
  );
  return [
    counter('firstseen_http_requests_total', 'Requests of HTTP.', requestSamples),
    histogram(
      'firstseen_http_request_duration_seconds',
      'Time from the head of a request to the end of its reply.',
      Array.from(seconds, ([path, durations]) => [{ path }, durations] as const),
    ),
  ];
}

/** All metrics. Of the memory of a detector, a sample is read at most. */
export async function metricsOf(server: ServerState, counts: HttpCounts): Promise<(Metric | HistogramMetric)[]> {
  const { store, version, phase, startedAt, data } = server;
  return [
    ...serviceMetrics(version, phase === 'ready', 'Whether requests are served.'),
    gauge('firstseen_detectors', 'Detectors.', store.count),
    gauge('firstseen_detectors_memory_bytes', 'Memory that all detectors take.', store.usedBytes),
    gauge('firstseen_detectors_memory_limit_bytes', 'The most memory of all detectors.', store.memoryBytes),
    ...processMetrics(),
    gauge('process_start_time_seconds', 'When the server started.', startedAt / 1000),
    ...connectionMetrics(counts, server),
    ...commandMetrics(server.counts),
    ...requestMetrics(counts),
    ...(data ? logMetrics(data) : []),
    ...(await detectorMetrics(store)),
  ];
}
