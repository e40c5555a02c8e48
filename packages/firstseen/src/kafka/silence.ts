// What a group that takes over from an old one observes before it gives anything out. A window without `refresh` begins with a record that is
// given out, so it is the old output that says what is remembered, and when it is forgotten. Where repeats restart the window, or are counted in
// it, the input says it.

import { formatDuration } from '../base/duration.js';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { Detector } from '../detectors/detector.js';
import { isTime } from '../detectors/refusals.js';
import type { DetectorSettings } from '../detectors/settings.js';
import type { KafkaClient, KafkaRecord } from '../io/kafka/contract.js';
import { settingsWithKeys } from '../plan/keys.js';
import { byPartition } from './bypartition.js';
import { type ObserverOptions, observerOf, type Scanning } from './observers.js';
import type { Observes } from './observing.js';
import type { Silence } from './pointer.js';
import { schemeOf } from './replay.js';
import type { WorkerSettings } from './settings.js';
import { type ClockOptions, WindowClock } from './windowclock.js';

/** Records that are read first to find one before or after an offset. If there is none among them, more are read. */
const FIRST_RECORDS = 64;
/** The memory of a detector that only counts elements. */
const COUNTING_BYTES = 4096;

export interface SilenceContext {
  client: KafkaClient;
  settings: WorkerSettings;
  /** The detector that observes. */
  detector: DetectorSettings;
  scanner: Scanning;
}

/** A partition that is taken over. */
export interface TakenPartition {
  partition: number;
  /** The offset of the input at which the group begins. */
  position: number;
  /** The offset of the input before which nothing was given out. */
  since: number;
  /** The topic to which the groups before have written; undefined if they have written to several. */
  output: string | undefined;
}

/** A topic that may be observed, up to an offset. */
interface Source {
  topic: string;
  partition: number;
  low: number;
  end: number;
  since: number;
  /** Whether each of its records was given out. */
  isOutput: boolean;
}

/** How far back a source has to be observed, and what it lacks of that. */
interface Reach {
  from: number;
  missing?: string;
}

/** What a partition observes, what is missing, and the topics that lack it. */
export interface FoundSilence {
  silence: Silence;
  missing: readonly string[];
}

/** Whether a repeat restarts the window. */
function refreshes({ parameters }: DetectorSettings): boolean {
  return parameters.values.refresh === 'yes';
}

/** Whether repeats do not matter, so that it is enough to observe what was given out. */
function needsFirstsOnly(detector: DetectorSettings): boolean {
  const { band, isTimed, countsAdds } = detector.parameters;
  return !refreshes(detector) && (band === undefined || isTimed === true || countsAdds === true);
}

async function recordsOf(client: KafkaClient, source: Source, from: number, to: number): Promise<KafkaRecord[]> {
  const records: KafkaRecord[] = [];
  const { topic, partition } = source;
  for await (const batch of client.records(topic, [{ partition, from, to }])) records.push(...batch);
  return records;
}

/** @throws FirstseenError E_STATE_DIFFERS for a partition that lacks records which the group has taken over */
async function checkKept(client: KafkaClient, partition: number, { topic, from }: Omit<Silence, 'to'>): Promise<void> {
  const { low } = await client.bounds(topic, partition);
  if (low <= from) return;
  const problem = phrase`partition ${partition} of ${topic} begins at the offset ${low}, but the group has taken over its records from ${from} on: ${low - from} offsets are gone`;
  throw new FirstseenError('E_STATE_DIFFERS', problem, {
    remedy: phrase`give ${optionName('allowsMissing')} to go on without them; and keep records for longer`,
  });
}

/** The last records before the end of a source; none if it has none. */
async function lastRecords(client: KafkaClient, source: Source): Promise<KafkaRecord[]> {
  const { low, end } = source;
  for (let some = FIRST_RECORDS, to = end; to > low; some *= 4) {
    const from = Math.max(low, to - some);
    const records = await recordsOf(client, source, from, to);
    if (records.length > 0) return records;
    to = from;
  }
  return [];
}

/** The first record of a source before an offset, if it has one. */
async function firstRecord(client: KafkaClient, source: Source, before: number): Promise<KafkaRecord | undefined> {
  for (let some = FIRST_RECORDS, from = source.low; from < before; some *= 4) {
    const to = Math.min(before, from + some);
    const [first] = await recordsOf(client, source, from, to);
    if (first) return first;
    from = to;
  }
  return undefined;
}

/**
 * A time that the window has reached at the end of a source, if not a later one: half of the last records are not earlier. So one that is dated
 * ahead does not count.
 */
async function timeAt(client: KafkaClient, source: Source): Promise<number | undefined> {
  const last = await lastRecords(client, source);
  const times = last.map(({ timestamp }) => timestamp).filter((time) => isTime(time) && time > 0);
  const median = times.sort((one, other) => one - other)[(times.length - 1) >> 1];
  return median === undefined ? undefined : Math.min(median, Date.now());
}

/** From the first record on. */
function reachAll({ low, since }: Source): Reach {
  const from = Math.max(low, since);
  return low <= since ? { from } : { from, missing: `the ${low - since} offsets before ${low}` };
}

/** From the first record on that is in the window, by the times of the records. */
async function reachTime(
  client: KafkaClient,
  source: Source,
  { milliseconds, time }: { milliseconds: number; time: number | undefined },
): Promise<Reach> {
  if (time === undefined) return reachAll(source);
  const { topic, partition, low, end, since } = source;
  const begin = Math.max(0, time - milliseconds);
  const at = (await client.offsetAt(topic, partition, begin)) ?? end;
  const from = Math.min(end, Math.max(low, since, at));
  // A record before it is earlier, so the window is complete. Marks of transactions have no time.
  if (low <= since || (await firstRecord(client, source, from))) return { from };
  const first = await firstRecord(client, source, end);
  if (first === undefined) return reachAll(source);
  const lacking = Math.ceil((first.timestamp - begin) / 1000);
  if (lacking <= 0) return { from };
  const window = formatDuration(milliseconds / 1000);
  return { from, missing: `the first ${formatDuration(lacking)} of the window of ${window}` };
}

/** From so many elements before the end on. */
async function reachElements(context: SilenceContext, source: Source, elements: number): Promise<Reach> {
  const { client, settings, scanner } = context;
  const counting = await Detector.ofSettings(
    await settingsWithKeys({ memory: COUNTING_BYTES, ...schemeOf(settings.keys), clock: 'manual' }),
  );
  try {
    const observing = silentObserver({ detector: counting, topic: source.topic, keys: settings.keys, scanner });
    const { topic, partition, low, end, since } = source;
    const bottom = Math.max(low, since);
    let from = end;
    while (from > bottom && counting.observed < elements) {
      const to = from;
      from = Math.max(bottom, to - Math.max(FIRST_RECORDS, elements - counting.observed));
      for await (const batch of client.records(topic, [{ partition, from, to }])) observing.replay(batch);
    }
    const lacking = elements - counting.observed;
    if (lacking <= 0 || low <= since) return { from };
    return { from, missing: `${lacking} of the ${elements} elements of the window` };
  } finally {
    counting.close();
  }
}

function reachOf(context: SilenceContext, source: Source, time: number | undefined): Promise<Reach> | Reach {
  const { parameters } = context.detector;
  const { band, countsAdds } = parameters;
  if (band === undefined) return reachAll(source);
  if ('toMilliseconds' in band) return reachTime(context.client, source, { milliseconds: band.toMilliseconds, time });
  // A window of what was given out may reach over any number of repeats.
  return countsAdds && !source.isOutput ? reachAll(source) : reachElements(context, source, band.toElements);
}

/** The topics that may be observed, the best first. */
async function sourcesOf(
  { client, settings, detector }: SilenceContext,
  { partition, position, since, output }: TakenPartition,
): Promise<{ input: Source; sources: readonly Source[] }> {
  const { input: topic } = settings.topics;
  const { low } = await client.bounds(topic, partition);
  const input: Source = { topic, partition, low: Math.min(low, position), end: position, since, isOutput: false };
  if (output === undefined || !needsFirstsOnly(detector)) return { input, sources: [input] };
  const given = await client.bounds(output, partition);
  const out: Source = { topic: output, partition, low: given.low, end: given.high, since: 0, isOutput: true };
  return { input, sources: [out, input] };
}

/** What a partition has to observe. If no topic has all of it, the first one that could have it, and what each of them lacks. */
export async function findSilence(context: SilenceContext, taken: TakenPartition): Promise<FoundSilence> {
  const { input, sources } = await sourcesOf(context, taken);
  const isTimed = context.detector.parameters.isTimed === true;
  const time = isTimed
    ? ((await timeAt(context.client, input)) ?? (await timeAt(context.client, sources[0] as Source)))
    : undefined;
  const lacking: { silence: Silence; missing: string }[] = [];
  for (const source of sources) {
    const { topic, end: to } = source;
    const { from, missing } = await reachOf(context, source, time);
    const silence = { topic, from: Math.min(from, to), to };
    if (missing === undefined) return { silence, missing: [] };
    lacking.push({ silence, missing: `${topic} lacks ${missing}` });
  }
  const best = lacking[0] as { silence: Silence };
  return { silence: best.silence, missing: lacking.map(({ missing }) => missing) };
}

/** Whether a window may begin otherwise than in the old group: with a repeat, where the input is observed instead of what was given out. */
export function isBlurred(settings: WorkerSettings, detector: DetectorSettings, { topic, from, to }: Silence): boolean {
  const isWindow = detector.parameters.band !== undefined && !refreshes(detector);
  return isWindow && topic === settings.topics.input && from < to;
}

/** The observer of a partition. A record that is dated ahead does not move the window, as in a worker that gives records out. */
export function silentObserver(
  options: Omit<ObserverOptions, 'times'>,
  clockOptions?: ClockOptions | undefined,
): Pick<Observes, 'replay'> {
  const { detector } = options;
  const times = new WindowClock({ detector, options: clockOptions, notes: {}, from: 0 });
  const observing = observerOf({ ...options, times });
  return {
    replay(records) {
      times.look(records);
      observing.replay(records);
    },
  };
}

export interface ObservingSilences {
  /** The observer of each partition. */
  observers: ReadonlyMap<number, Pick<Observes, 'replay'>>;
  /** The topic that is read, and where it is gone on. */
  input: string;
  positions: readonly number[];
  allowsMissing: boolean;
}

/**
 * Observes what partitions have to know before they give anything out.
 * @throws FirstseenError E_STATE_DIFFERS for records that are not there any more; an error of the detector, such as E_FULL
 */
export async function observeSilences(
  client: KafkaClient,
  silences: ReadonlyMap<number, Silence>,
  { observers, input, positions, allowsMissing }: ObservingSilences,
): Promise<void> {
  if (!allowsMissing) {
    for (const [partition, silence] of silences) {
      await checkKept(client, partition, silence);
      await checkKept(client, partition, { topic: input, from: positions[partition] ?? 0 });
    }
  }
  for (const topic of new Set(Array.from(silences.values(), (silence) => silence.topic))) {
    const ranges = [];
    for (const [partition, { topic: own, from, to }] of silences) {
      if (own !== topic || from >= to) continue;
      const { low } = await client.bounds(topic, partition);
      ranges.push({ partition, from: Math.max(from, low), to });
    }
    for await (const batch of client.records(topic, ranges)) {
      for (const [partition, records] of byPartition(batch)) observers.get(partition)?.replay(records);
    }
  }
}
