// The metrics of detectors. The first ones have series of their own, and the rest are summed.

import { setImmediate as turn } from 'node:timers/promises';
import type { Fullness } from '../../detectors/fullness.js';
import type { RateEstimate } from '../../detectors/intervals.js';
import type { WitnessStats } from '../../detectors/witness.js';
import { counter, gauge, type Metric, only, type Sample } from '../../monitor/metrics.js';
import { fullnessNow, plannedShareOf } from '../history/fullness.js';
import type { DetectorEntry } from '../store/entry.js';
import { addCounters, type Counters, MAX_LABELLED, noCounters, OTHERS } from '../store/othercounters.js';
import { refusalReasons } from '../store/refused.js';
import type { DetectorStore } from '../store/store.js';
import { plannedRatesOf } from './planned.js';

/** Detectors that are counted before others have a turn. */
const COUNTED_AT_A_TIME = { labelled: 16, others: 1024 } as const;

/** The counts of one detector, or of several together. */
interface DetectorCounts {
  counters: Counters;
  memoryBytes: number;
  /** Undefined for several. */
  own: OwnCounts | undefined;
  /** The most that a window in time is ahead of the clock of this machine; undefined without one. */
  aheadSeconds: number | undefined;
  /** Keys that claims hold. */
  held: number;
}

/** The values that only a single detector has. */
interface OwnCounts {
  fullness: Fullness | undefined;
  planned: number | undefined;
  rates: readonly Sample[];
  plannedRates: readonly Sample[];
}

function add(sum: DetectorCounts, entry: DetectorEntry): void {
  const { memoryBytes, claims } = entry;
  sum.memoryBytes += memoryBytes;
  // First, because it ends the leases that are over.
  if (claims) sum.held += claims.stats().pending;
  addCounters(sum.counters, entry);
  if (entry.isTimed) sum.aheadSeconds = Math.max(sum.aheadSeconds ?? 0, entry.aheadMilliseconds / 1000);
}

const noneRefused = Object.fromEntries(refusalReasons.map((reason) => [reason, 0]));

function nothing(ownCounts?: OwnCounts): DetectorCounts {
  return { counters: noCounters(), memoryBytes: 0, held: 0, aheadSeconds: undefined, own: ownCounts };
}

/** The bounds of a rate, if there is something to estimate it from. */
function boundsOf(error: string, rate: RateEstimate | undefined): readonly Sample[] {
  if (rate === undefined || rate.estimate === null) return [];
  const bounds = { lower: rate.low, estimate: rate.estimate, upper: rate.high };
  return Object.entries(bounds).map(([bound, value]) => [{ error, bound }, value] as const);
}

function measuredRates(witness: WitnessStats | undefined): readonly Sample[] {
  if (witness === undefined) return [];
  const { falsePositiveRate, falseNegativeRate, lateDuplicateRate } = witness;
  return [
    ...boundsOf('false_positive', falsePositiveRate),
    ...boundsOf('false_negative', falseNegativeRate),
    ...boundsOf('late_duplicate', lateDuplicateRate),
  ];
}

/** The rates that were planned. Where the stream decides how many repeats are missed, there is none. */
function plannedRates({ request, detector: { settings } }: DetectorEntry): readonly Sample[] {
  const { falsePositiveRate, falseNegatives } = plannedRatesOf(request, settings);
  return [
    ...(falsePositiveRate === null ? [] : [[{ error: 'false_positive' }, falsePositiveRate] as const]),
    ...(falseNegatives === 'stream' ? [] : [[{ error: 'false_negative' }, 0] as const]),
  ];
}

function countsOf(entry: DetectorEntry): DetectorCounts {
  const { detector } = entry;
  const { witness } = detector.settings.witnessBytes > 0 ? detector.statsWithoutLoad() : {};
  const counts = nothing({
    fullness: fullnessNow(entry),
    planned: plannedShareOf(entry),
    rates: measuredRates(witness),
    plannedRates: plannedRates(entry),
  });
  add(counts, entry);
  return counts;
}

/** The counts of the first detectors by their names, and of all others. Clients are answered meanwhile. */
async function countDetectors(store: DetectorStore): Promise<[name: string, counts: DetectorCounts][]> {
  const labelled: [string, DetectorCounts][] = [];
  const unlabelled = nothing();
  const completed = store.others.begin();
  let counted = 0;
  for (const entry of [...store.list()]) {
    const isLabelled = labelled.length < MAX_LABELLED && entry.name !== OTHERS;
    const isThere = store.find(entry.name) === entry;
    if (isThere && isLabelled) labelled.push([entry.name, countsOf(entry)]);
    else if (isThere) add(unlabelled, entry);
    const atATime = isLabelled ? COUNTED_AT_A_TIME.labelled : COUNTED_AT_A_TIME.others;
    if (++counted % atATime === 0) await turn();
  }
  if (counted === labelled.length && !store.others.isRead) return labelled;
  return [...labelled, [OTHERS, { ...unlabelled, counters: completed(unlabelled.counters) }]];
}

/** The function that makes the samples of a metric for each detector; their labels have the detector besides. */
type SamplesOf = (counts: DetectorCounts) => readonly Sample[];

/** A metric of detectors, without its samples. */
type DetectorMetric = readonly [metric: (samples: readonly Sample[]) => Metric, samplesOf: SamplesOf];

function counterOf(name: string, help: string, samplesOf: SamplesOf): DetectorMetric {
  return [(samples) => counter(`firstseen_detector_${name}`, help, samples), samplesOf];
}

function gaugeOf(name: string, help: string, samplesOf: SamplesOf): DetectorMetric {
  return [(samples) => gauge(`firstseen_detector_${name}`, help, samples), samplesOf];
}

/** Tells if any of the detectors was made for claims. */
function hasClaims({ claims }: Counters): boolean {
  return Object.keys(claims).length > 0;
}

/** A sample for each name of a record. */
function each(label: string, counts: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(counts).map(([name, count]) => [{ [label]: name }, count] as const);
}

/** The sample of a count that tells nothing apart, if there is one. */
function single(counts: Readonly<Record<string, number>>): readonly Sample[] {
  return only(counts['']);
}

function fullnessSamples({ own }: DetectorCounts): readonly Sample[] {
  return own?.fullness ? [[{ when_full: own.fullness.whenFull }, own.fullness.share]] : [];
}

function refusedSamples({ counters }: DetectorCounts): readonly Sample[] {
  return each('reason', { ...noneRefused, ...(hasClaims(counters) ? { claims_full: 0 } : {}), ...counters.refused });
}

const metrics: readonly DetectorMetric[] = [
  counterOf('observed_total', 'Keys that were observed.', ({ counters }) => single(counters.observed)),
  counterOf('duplicates_total', 'Observed keys that were answered duplicate.', ({ counters }) =>
    single(counters.duplicates),
  ),
  gaugeOf('memory_bytes', 'Memory that was requested.', ({ memoryBytes }) => only(memoryBytes)),
  gaugeOf(
    'fullness_ratio',
    'Share of the capacity in use, and what happens to new keys when it is full.',
    fullnessSamples,
  ),
  gaugeOf('planned_ratio', 'Distinct keys that came, as a share of those that were planned.', ({ own }) =>
    only(own?.planned),
  ),
  counterOf('refused_total', 'Keys that were refused, by the reason.', refusedSamples),
  counterOf(
    'shortened_total',
    'Parts of a window in time that left it early, because more keys came than there is room for.',
    ({ counters }) => single(counters.shortened),
  ),
  counterOf('unstored_total', 'Keys that passed and were not stored, because a window had no room.', ({ counters }) =>
    single(counters.unstored),
  ),
  gaugeOf(
    'window_ahead_seconds',
    'By how much the time of a window is ahead of the clock of this machine; nothing leaves the window until then.',
    ({ aheadSeconds }) => only(aheadSeconds),
  ),
  gaugeOf('claims_held', 'Keys that claims hold.', ({ counters, held }) => (hasClaims(counters) ? only(held) : [])),
  counterOf('claims_total', 'Claims that ended, and late commits.', ({ counters }) => each('outcome', counters.claims)),
  gaugeOf(
    'error_ratio',
    'Rates of errors that the witness measured, with the bounds of their 95 % intervals.',
    ({ own }) => own?.rates ?? [],
  ),
  gaugeOf(
    'planned_error_ratio',
    'The highest rates of errors that were planned.',
    ({ own }) => own?.plannedRates ?? [],
  ),
];

export async function detectorMetrics(store: DetectorStore): Promise<Metric[]> {
  const counted = await countDetectors(store);
  return metrics.map(([metric, samplesOf]) =>
    metric(
      counted.flatMap(([detector, counts]) =>
        samplesOf(counts).map(([labels, value]) => [{ detector, ...labels }, value] as const),
      ),
    ),
  );
}
