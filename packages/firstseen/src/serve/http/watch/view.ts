// What the page shows of a server at one moment.

import { families } from '../../../detectors/descriptions.js';
import type { DetectorSettings } from '../../../detectors/settings.js';
import { fullnessNow, plannedElementsOf, plannedShareOf } from '../../history/fullness.js';
import type { History } from '../../history/history.js';
import { spans } from '../../history/points.js';
import { logProblemText } from '../../operations/errortexts.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import { plannedRatesOf } from '../planned.js';
import type { DetailedDetector, ListedDetector, ShownParameter, WatchedServer } from './messages.js';
import { measuredRatesOf } from './rates.js';

/** The number of past seconds from which the time is predicted at which a detector is full. */
const TREND_SECONDS = spans.recent.points;
/** The last points that tell whether it is still filling. */
const STILL_POINTS = 10;

/** A detector in the list. */
export function listed(entry: DetectorEntry, history: History): ListedDetector {
  const { name, detector, memoryBytes, claims } = entry;
  const { observed, duplicates, settings } = detector;
  const rates = history.ratesOf(entry);
  const fullness = fullnessNow(entry);
  return {
    ...{ name, algorithm: settings.family.name, memoryBytes, observed, duplicates },
    recordsPerSecond: rates?.records ?? null,
    duplicatesPerSecond: rates?.duplicates ?? null,
    fullness: fullness?.share ?? null,
    whenFull: fullness?.whenFull ?? null,
    planned: plannedShareOf(entry) ?? null,
    pending: claims?.stats().pending ?? null,
  };
}

/** Returns the time at which a detector is full, if it goes on filling as in the last minutes. */
export function fullAt(entry: DetectorEntry, history: History): number | undefined {
  const fullness = fullnessNow(entry);
  const series = history.heldSeriesOf(entry);
  if (fullness === undefined || fullness.whenFull === 'forgets' || series === undefined) return undefined;
  // Its fullness goes down and up again.
  if (fullness.whenFull === 'shortens' && history.incidentsOf(entry).isShortening) return undefined;
  const { times, points } = history.pointsOf(series, history.second - TREND_SECONDS);
  const shares = points.recent.fullness;
  // A burst some minutes ago is not a rate.
  if (points.recent.records.slice(-STILL_POINTS).every((records) => !(records > 0))) return undefined;
  const first = shares.findIndex(Number.isFinite);
  const [from, to] = [times.recent[first], times.recent.at(-1)];
  if (from === undefined || to === undefined || to === from) return undefined;
  // The history has less exact numbers.
  const filled = Math.fround(fullness.share) - (shares[first] as number);
  const left = 1 - fullness.share;
  return left > 0 && filled > 0 ? to + (left / filled) * (to - from) : undefined;
}

/** The parameters of a detector, with what each of them is. */
function shownParameters({ family, parameters: { values } }: DetectorSettings): ShownParameter[] {
  return family.parameters.flatMap(({ letter, description }) => {
    const value = values[letter];
    return value === undefined ? [] : [{ letter, value, description }];
  });
}

/** A detector in detail. */
export function detailed(entry: DetectorEntry, history: History): DetailedDetector {
  const { detector, request, claims } = entry;
  const { settings, counts } = detector;
  const { isShortening, isUnstoring } = history.incidentsOf(entry);
  const { layout, fingerprint } = settings;
  return {
    ...listed(entry, history),
    ...{ layout, fingerprint, isKeyed: settings.secret !== undefined, parameters: shownParameters(settings) },
    rule: families.find(({ name }) => name === settings.family.name)?.rule ?? '',
    witness: measuredRatesOf(entry),
    plan: plannedRatesOf(request, settings),
    distinct: entry.distinct,
    plannedElements: plannedElementsOf(entry) ?? null,
    ...{
      shortened: counts.shortened ?? null,
      unstored: counts.unstored ?? null,
      isLosing: isShortening || isUnstoring,
    },
    refused: [...entry.refused.byReason],
    fullAt: fullAt(entry, history) ?? null,
    window: request.options.window === undefined ? null : String(request.options.window),
    claims: claims?.stats(),
  };
}

/** The server as a whole. */
export function watchedServer(server: ServerState): WatchedServer {
  const { version, port, startedAt, store, sessions, counts, history, data } = server;
  const { records, duplicates } = history.totals.latest;
  const { rates, times } = history.commands;
  return {
    ...{ version, port, startedAt, detectors: store.count, usedBytes: store.usedBytes, memoryBytes: store.memoryBytes },
    ...{ clients: sessions.size, refusedConnections: counts.refusedConnections, commands: counts.commands },
    ...{ recordsPerSecond: records, duplicatesPerSecond: duplicates },
    ...{ commandsPerSecond: rates.commands, errorsPerSecond: rates.errors, refusalsPerSecond: rates.refusals },
    // JSON has no infinite numbers: they are null there.
    commandSeconds: times ?? null,
    log: data
      ? {
          durability: data.durability,
          bytes: data.logBytes,
          syncSeconds: data.syncSeconds?.latest ?? null,
          snapshotAt: data.snapshotMilliseconds ?? null,
          problem: data.problem === undefined ? null : logProblemText(data.problem),
        }
      : null,
  };
}
