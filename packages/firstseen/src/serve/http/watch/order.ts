// The order of the list, in short steps: there may be 100,000 detectors, and clients wait while the server sorts.

import type { Steps } from '../../../base/steps.js';
import { fullnessNow, plannedShareOf } from '../../history/fullness.js';
import type { History } from '../../history/history.js';
import type { ServerState } from '../../session.js';
import type { DetectorEntry } from '../../store/entry.js';
import type { Sorting } from './messages.js';

/** The part of the list that is requested. */
export interface ListQuery {
  sorting: Sorting;
  isDescending: boolean;
  /** A text within the name or the algorithm. */
  filter: string;
  offset: number;
  limit: number;
}

/** The part of the list that is shown. */
export interface ShownPart {
  /** Detectors that the filter lets pass. */
  matched: number;
  offset: number;
  entries: readonly DetectorEntry[];
}

/** Detectors of a step. */
const STEP_DETECTORS = 500;

type SortKey = (entry: DetectorEntry, history: History) => number | string;

type Listed = Pick<ServerState, 'store' | 'history'>;

const sortKeys: Readonly<Record<Sorting, SortKey>> = {
  name: ({ name }) => name,
  algorithm: ({ detector }) => detector.settings.family.name,
  memory: ({ memoryBytes }) => memoryBytes,
  observed: ({ detector }) => detector.observed,
  duplicates: ({ detector }) => detector.duplicates,
  rate: (entry, history) => history.ratesOf(entry)?.records ?? 0,
  fullness: (entry) => fullnessNow(entry)?.share ?? -1,
  planned: (entry) => plannedShareOf(entry) ?? -1,
  pending: ({ claims }) => claims?.stats().pending ?? -1,
};

function compare(one: number | string, other: number | string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

interface Keyed {
  entry: DetectorEntry;
  key: number | string;
}

/** Returns a function that compares two detectors. Those that are equal are in the order of their names. */
function orderOf({ isDescending }: ListQuery): (one: Keyed, other: Keyed) => number {
  const sign = isDescending ? -1 : 1;
  return (one, other) => sign * compare(one.key, other.key) || compare(one.entry.name, other.entry.name);
}

/** The detectors that the filter lets pass, in parts that are sorted. */
function* partsInSteps({ store, history }: Listed, query: ListQuery): Steps<Keyed[][]> {
  const { sorting, filter } = query;
  const filterText = filter.toLowerCase();
  const order = orderOf(query);
  const parts: Keyed[][] = [];
  let part: Keyed[] = [];
  let looked = 0;
  for (const entry of store.list()) {
    const { name, detector } = entry;
    const isWanted = name.toLowerCase().includes(filterText) || detector.settings.family.name.includes(filterText);
    if (isWanted) part.push({ entry, key: sortKeys[sorting](entry, history) });
    if (++looked % STEP_DETECTORS > 0) continue;
    parts.push(part.sort(order));
    part = [];
    yield;
  }
  return [...parts, part.sort(order)];
}

/** Merges two parts, up to a number of detectors. */
function* mergedInSteps(
  one: readonly Keyed[],
  other: readonly Keyed[],
  most: number,
  order: (one: Keyed, other: Keyed) => number,
): Steps<Keyed[]> {
  const merged: Keyed[] = [];
  const count = Math.min(most, one.length + other.length);
  for (let i = 0; merged.length < count; ) {
    const j = merged.length - i;
    const [first, second] = [one[i], other[j]];
    const takesFirst = second === undefined || (first !== undefined && order(first, second) <= 0);
    merged.push((takesFirst ? first : second) as Keyed);
    if (takesFirst) i++;
    if (merged.length % STEP_DETECTORS === 0) yield;
  }
  return merged;
}

/** The part of the list that is shown. Only what comes before its end is sorted. Beyond the end, the last part is shown. */
export function* shownInSteps(server: Listed, query: ListQuery): Steps<ShownPart> {
  const { limit } = query;
  let parts = yield* partsInSteps(server, query);
  const matched = parts.reduce((sum, { length }) => sum + length, 0);
  const offset = Math.min(query.offset, Math.max(0, Math.ceil(matched / limit) - 1) * limit);
  const order = orderOf(query);
  while (parts.length > 1) {
    const merged: Keyed[][] = [];
    for (let i = 0; i < parts.length; i += 2) {
      const [one = [], other = []] = parts.slice(i, i + 2);
      merged.push(yield* mergedInSteps(one, other, offset + limit, order));
    }
    parts = merged;
  }
  const [sorted = []] = parts;
  return { matched, offset, entries: sorted.slice(offset, offset + limit).map(({ entry }) => entry) };
}

/** Detectors in the order that they have now: what they are sorted by changes each second. Those that were removed are left out. */
export function sortedNow(
  entries: readonly DetectorEntry[],
  { store, history }: Listed,
  query: ListQuery,
): DetectorEntry[] {
  const isThere = (entry: DetectorEntry) => store.find(entry.name) === entry;
  const keyed = entries.filter(isThere).map((entry) => ({ entry, key: sortKeys[query.sorting](entry, history) }));
  return keyed.sort(orderOf(query)).map(({ entry }) => entry);
}
