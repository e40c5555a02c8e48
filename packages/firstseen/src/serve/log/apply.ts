// Makes the changes of the log again.

import type { DetectorEntry } from '../store/entry.js';
import type { DetectorRequest } from '../store/request.js';
import type { LogRecord } from './records.js';

/** The detectors that the records of a log change, by their numbers. */
export interface ReplayTarget {
  find(detector: number): DetectorEntry | undefined;
  create(created: { number: number; name: string; request: DetectorRequest; snapshot: Uint8Array }): Promise<void>;
  /** A detector was sent, whose snapshot is in a file of its own. */
  take(sent: { number: number; name: string; request: DetectorRequest }): Promise<void>;
  drop(entry: DetectorEntry): void;
}

/** Makes a change again. A record of a detector that the target does not have is left out: it was dropped, or is not asked for. */
export async function apply(target: ReplayTarget, record: LogRecord): Promise<void> {
  const { kind, detector: number } = record;
  if (kind === 'created') {
    const { name, request, snapshot } = record;
    return target.create({ number, name, request, snapshot });
  }
  if (kind === 'imported') return target.take({ number, name: record.name, request: record.request });
  const entry = target.find(number);
  if (entry === undefined) return;
  if (kind === 'observed') entry.replay(record);
  else if (kind === 'held') entry.replayHeld(record.claim);
  else if (kind === 'released') entry.replayReleased(record.fingerprint);
  else if (kind === 'cleared') entry.clear();
  else target.drop(entry);
}
