// What a detector had done at the last look, and when something last happened to it that somebody should know.

import type { DetectorEntry } from '../store/entry.js';

/** Records of a detector in the last second, and keys that it refused. */
export interface RecordRates {
  records: number;
  duplicates: number;
  refusals: number;
}

/** Events of the last minutes of which somebody should know. */
export interface Incidents {
  isRefusing: boolean;
  isLate: boolean;
  /** Parts of its window left early. */
  isShortening: boolean;
  /** Too many keys passed and were not stored. */
  isUnstoring: boolean;
}

type Incident = keyof Incidents;

/** The counts of a detector up to now. */
interface Done {
  observed: number;
  reported: number;
  refused: number;
  late: number;
  shortened: number;
  unstored: number;
}

/** The counts of a detector at the last look, and its rates then. */
export interface Counted extends RecordRates {
  done: Done;
  /** The sums of the last minutes; older looks count less and less. */
  lately: Pick<Done, 'observed' | 'unstored'>;
  /** The latest looks that found each incident; none has those that no look found. */
  lookOf: Partial<Record<Incident, number>>;
}

/** A window is planned so that it stores all but about one key in a million. */
const MANY_UNSTORED = 0.001;
/** The part of a sum that the next look leaves of it: what is older than some minutes hardly counts. */
const KEPT_PART = 1 - 1 / 300;

const nothing: Done = { observed: 0, reported: 0, refused: 0, late: 0, shortened: 0, unstored: 0 };

function doneBy({ detector, refused, claims }: DetectorEntry): Done {
  const { observed, duplicates: reported, shortened = 0, unstored = 0 } = detector.counts;
  return { observed, reported, refused: refused.keys, late: claims?.stats().late ?? 0, shortened, unstored };
}

/** The incidents between two looks. */
function incidentsBetween(before: Done, now: Done, lately: Counted['lately']): Incidents {
  return {
    isRefusing: now.refused > before.refused,
    isLate: now.late > before.late,
    isShortening: now.shortened > before.shortened,
    isUnstoring: now.unstored > before.unstored && lately.unstored > MANY_UNSTORED * lately.observed,
  };
}

/** Notes what a detector has done now. It changes the record, because thousands of them are looked at. @param look the number of the look */
export function countAgain(counted: Counted, entry: DetectorEntry, seconds: number, look: number): void {
  const { done: before, lately, lookOf } = counted;
  const now = doneBy(entry);
  // A detector that was cleared begins again.
  const isLater = now.observed >= before.observed && now.reported >= before.reported;
  const observed = isLater ? now.observed - before.observed : 0;
  counted.records = observed / seconds;
  counted.duplicates = isLater ? (now.reported - before.reported) / seconds : 0;
  counted.refusals = (now.refused - before.refused) / seconds;
  lately.observed = KEPT_PART * lately.observed + observed;
  lately.unstored = KEPT_PART * lately.unstored + Math.max(0, now.unstored - before.unstored);
  if (!isLater) {
    delete lookOf.isShortening;
    delete lookOf.isUnstoring;
  }
  for (const [incident, hasHappened] of Object.entries(incidentsBetween(before, now, lately))) {
    if (hasHappened) lookOf[incident as Incident] = look;
  }
  counted.done = now;
}

/**
 * The record of a detector that no look knows.
 * @param look the number of the look; undefined if what the detector has done was before
 */
export function countFirst(entry: DetectorEntry, look: number | undefined): Counted {
  const counted = {
    ...{ done: nothing, lately: { observed: 0, unstored: 0 }, lookOf: {} as Counted['lookOf'] },
    ...{ records: 0, duplicates: 0, refusals: 0 },
  };
  if (look === undefined) return { ...counted, done: doneBy(entry) };
  const { observed = 0, duplicates: reported = 0, shortened = 0, unstored = 0 } = entry.countsBefore ?? {};
  counted.done = { ...nothing, observed, reported, shortened, unstored };
  countAgain(counted, entry, 1, look);
  // The time since it was made is not known.
  return { ...counted, records: 0, duplicates: 0, refusals: 0 };
}
