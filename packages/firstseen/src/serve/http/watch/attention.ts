// What somebody who is called at night looks for first: what is full or refuses keys, and which rates are worse than planned. All detectors are
// looked at in short steps, because clients wait meanwhile.

import type { Steps } from '../../../base/steps.js';
import type { Fullness } from '../../../detectors/fullness.js';
import { fullnessNow, plannedShareOf } from '../../history/fullness.js';
import type { History } from '../../history/history.js';
import { logProblemText } from '../../operations/errortexts.js';
import type { ServerState } from '../../session.js';
import { isAhead } from '../../store/aheadclocks.js';
import type { DetectorEntry } from '../../store/entry.js';
import { plannedRatesOf } from '../planned.js';
import type { Attention, AttentionItem } from './messages.js';
import { measuredRatesOf } from './rates.js';
import { fullAt } from './view.js';

/** From this share on, a detector that refuses or errs when it is full should be looked at. */
const NEARLY_FULL = 0.9;
/** From this share on, it also matters when it will be full. */
const HALF_FULL = 0.5;
/** The time within which a detector is full soon. */
const SOON_MILLISECONDS = 86_400_000;
/** From this share on, a table that forgets is full: some slots stay empty by chance. */
const FORGETTING = 0.99;
/** The part of the commands that fail. */
const MANY_ERRORS = 0.1;
/** The part of the memory of all detectors. */
const NEARLY_USED = 0.95;
/** Detectors that are looked at in a step. */
const STEP_DETECTORS = 64;
const MAX_ITEMS = 20;

/** The parts of the server that are looked at. */
type Attended = Pick<ServerState, 'data' | 'store' | 'history'>;

type Item = AttentionItem & { isAlarming: boolean };

function alarming(item: AttentionItem): Item {
  return { ...item, isAlarming: true };
}

function worthKnowing(item: AttentionItem): Item {
  return { ...item, isAlarming: false };
}

function* itemsOfServer({ data, store, history }: Attended): Iterable<Item> {
  if (data?.problem !== undefined) yield alarming({ kind: 'log', problem: logProblemText(data.problem) });
  // Changes that are refused do not wait.
  const seconds = data?.problem === undefined ? data?.waits.longSeconds : undefined;
  if (seconds !== undefined) yield alarming({ kind: 'waiting', seconds });
  const { commands, errors } = history.commands.rates;
  if (errors > 0 && errors >= MANY_ERRORS * commands) yield worthKnowing({ kind: 'errors', errors, commands });
  const share = store.usedBytes / store.memoryBytes;
  if (share >= NEARLY_USED) yield worthKnowing({ kind: 'memory', share });
}

/** A detector that is full, will be soon, or forgets what it was planned to keep. */
function* itemsOfFullness(entry: DetectorEntry, fullness: Fullness, history: History): Iterable<Item> {
  const { name: detector } = entry;
  const { share, whenFull } = fullness;
  const planned = plannedShareOf(entry);
  if (whenFull === 'forgets') {
    if (planned !== undefined && planned < 1 && share >= FORGETTING) {
      yield worthKnowing({ kind: 'forgets', detector, planned });
    }
    return;
  }
  const time = share >= HALF_FULL ? (fullAt(entry, history) ?? null) : null;
  const isSoon = time !== null && time - Date.now() < SOON_MILLISECONDS;
  if (share < NEARLY_FULL && !isSoon) return;
  // What leaves early is an item of its own, and the share goes down and up again.
  if (whenFull === 'shortens' && history.incidentsOf(entry).isShortening) return;
  const item = { kind: 'full', detector, share, whenFull, fullAt: time } as const;
  yield share >= 1 ? alarming(item) : worthKnowing(item);
}

function* itemsOfRates(entry: DetectorEntry): Iterable<Item> {
  const rates = measuredRatesOf(entry);
  if (rates === undefined) return;
  const { falsePositiveRate, falseNegativeRate } = rates;
  const { name: detector, request } = entry;
  const plan = plannedRatesOf(request, entry.detector.settings);
  const items = [
    { kind: 'falsePositives', measured: falsePositiveRate },
    { kind: 'falseNegatives', measured: falseNegativeRate },
  ] as const;
  for (const { kind, measured } of items) {
    if (measured.isAlarming) yield alarming({ kind, detector, low: measured.low, plan });
  }
}

function* itemsOfIncidents(entry: DetectorEntry, history: History): Iterable<Item> {
  const { name: detector, refused, claims } = entry;
  const { isRefusing, isLate, isShortening, isUnstoring } = history.incidentsOf(entry);
  const { observed, shortened = 0, unstored = 0 } = entry.detector.counts;
  if (isRefusing) {
    const reasons = Array.from(refused.byReason, ([reason]) => reason);
    yield alarming({ kind: 'refused', detector, keys: refused.keys, reasons });
  }
  if (isAhead(entry)) yield alarming({ kind: 'ahead', detector, untilMilliseconds: entry.timeMilliseconds });
  if (isShortening) yield alarming({ kind: 'shortened', detector, parts: shortened });
  if (isUnstoring) yield alarming({ kind: 'unstored', detector, keys: unstored, observed });
  if (isLate) yield worthKnowing({ kind: 'late', detector, late: claims?.stats().late ?? 0 });
}

function itemsOf(entry: DetectorEntry, history: History): Item[] {
  const fullness = fullnessNow(entry);
  return [
    ...itemsOfIncidents(entry, history),
    ...(fullness ? itemsOfFullness(entry, fullness, history) : []),
    ...itemsOfRates(entry),
  ];
}

/** Finds the items that should be looked at: the alarming ones first, then in the order of the detectors. */
export function* attentionInSteps(server: Attended): Steps<Attention> {
  const { store, history } = server;
  const items = [...itemsOfServer(server)];
  let looked = 0;
  for (const entry of store.list()) {
    const isThere = store.find(entry.name) === entry;
    if (isThere) items.push(...itemsOf(entry, history));
    // A witness takes as long as many detectors without one.
    if (++looked % STEP_DETECTORS === 0 || entry.detector.settings.witnessBytes > 0) yield;
  }
  const sorted = [...items.filter(({ isAlarming }) => isAlarming), ...items.filter(({ isAlarming }) => !isAlarming)];
  return { items: sorted.slice(0, MAX_ITEMS), more: Math.max(0, sorted.length - MAX_ITEMS) };
}
