// What the page shows of a server at one moment.

import { capacityOf } from '../../history/capacity.js';
import { spans } from '../../history/points.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import { plannedRatesOf } from '../planned.js';
import type { DetailedDetector, ListedDetector, WatchedServer } from './messages.js';

/** How many seconds are looked back on for the time at which a detector is full. */
const TREND_SECONDS = spans.recent.points;
const MILLISECONDS = 1000;

function listed(entry: DetectorEntry, { history }: ServerState): ListedDetector {
  const { name, detector, memoryBytes, claims } = entry;
  const { observed, duplicates, settings } = detector;
  const rates = history.ratesOf(entry);
  const capacity = capacityOf(entry);
  return {
    ...{ name, algorithm: settings.family.name, memoryBytes, observed, duplicates },
    recordsPerSecond: rates?.records ?? null,
    duplicatesPerSecond: rates?.duplicates ?? null,
    fullness: capacity === undefined ? null : entry.distinct / capacity,
    pending: claims?.stats().pending ?? null,
  };
}

/** The rows of the list. Detectors that were removed since it was sorted are left out. */
export function rowsOf(shown: readonly DetectorEntry[], server: ServerState): ListedDetector[] {
  return shown.filter((entry) => server.store.find(entry.name) === entry).map((entry) => listed(entry, server));
}

/** When a detector is full, if new elements go on coming as in the last minutes. */
function fullAt(entry: DetectorEntry, { history }: ServerState): number | undefined {
  const capacity = capacityOf(entry);
  if (capacity === undefined) return undefined;
  const { times, points } = history.pointsOf(history.seriesOf(entry), history.second - TREND_SECONDS);
  const { records, duplicates } = points.recent;
  const distinct = records.map((value, i) => value - (duplicates[i] as number)).filter(Number.isFinite);
  const rate = distinct.reduce((sum, value) => sum + value, 0) / distinct.length;
  const left = capacity - entry.distinct;
  const now = times.recent.at(-1);
  return left > 0 && rate > 0 && now !== undefined ? now + (left / rate) * MILLISECONDS : undefined;
}

/** A detector in detail. */
export function detailed(entry: DetectorEntry, server: ServerState): DetailedDetector {
  const { detector, request, claims } = entry;
  const { layout, fingerprint, parameters, witness } = detector.statsWithoutLoad();
  return {
    ...listed(entry, server),
    ...{ layout, fingerprint, isKeyed: detector.settings.secret !== undefined, parameters },
    witness: witness && {
      falsePositiveRate: witness.falsePositiveRate,
      falseNegativeRate: witness.falseNegativeRate,
      fraction: witness.fraction,
    },
    plan: plannedRatesOf(request, detector.settings),
    capacity: capacityOf(entry) ?? null,
    fullAt: fullAt(entry, server) ?? null,
    window: request.options.window === undefined ? null : String(request.options.window),
    claims: claims?.stats(),
  };
}

/** The server as a whole. */
export function watchedServer(server: ServerState): WatchedServer {
  const { version, port, startedAt, store, sessions, counts, history, data } = server;
  const { records, duplicates } = history.totals.latest;
  return {
    ...{ version, port, startedAt, detectors: store.count, usedBytes: store.usedBytes, memoryBytes: store.memoryBytes },
    ...{ clients: sessions.size, refusedConnections: counts.refusedConnections, commands: counts.commands },
    ...{ recordsPerSecond: records, duplicatesPerSecond: duplicates },
    log: data
      ? {
          durability: data.durability,
          bytes: data.logBytes,
          syncSeconds: data.syncSeconds?.latest ?? null,
          snapshotAt: data.snapshotMilliseconds ?? null,
          problem: data.problem === undefined ? null : String((data.problem as Error).message),
        }
      : null,
  };
}
