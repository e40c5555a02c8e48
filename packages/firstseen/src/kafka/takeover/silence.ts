// What a group that takes over from an old one observes before it gives anything out. A window without `refresh` begins with a record that is
// emitted, so it is the old output that says what is remembered, and when it is forgotten. Where repeats restart the window, or are counted in
// it, the input says it.

import { formatDuration } from '../../base/duration.js';
import { Detector } from '../../detectors/detector.js';
import { isTime } from '../../detectors/refusals.js';
import type { DetectorSettings } from '../../detectors/settings.js';
import type { KafkaClient, KafkaRecord } from '../../io/kafka/contract.js';
import { settingsWithKeys } from '../../plan/keys.js';
import { schemeOf } from '../messages/keys.js';
import type { Reads } from '../messages/records.js';
import { countedTimes, PastTimes } from '../observing/emitted.js';
import { Observing } from '../observing/observing.js';
import { leadOf } from '../observing/windowclock.js';
import type { ClockPoint, EmittedNote, OutputTopic, Silence } from '../pointers/pointer.js';
import { isRemade } from '../pointers/pointers.js';
import type { WorkerSettings } from '../settings.js';

/** Records that are read first to find one before or after an offset. If there is none among them, more are read. */
const FIRST_RECORDS = 64;
/** The memory of a detector that only counts elements. */
const COUNTING_BYTES = 4096;

export interface SilenceContext {
  client: KafkaClient;
  settings: WorkerSettings;
  /** The detector that observes. */
  detector: DetectorSettings;
  reader: Reads;
}

/** A partition that is taken over. */
export interface TakenPartition {
  partition: number;
  /** The offset of the input at which the group begins. */
  position: number;
  /** The offset of the input before which nothing was emitted. */
  since: number;
  /** The topic to which the groups before have written; undefined if they have written to several. */
  output: OutputTopic | undefined;
  given: EmittedNote;
}

/** A topic that may be observed, up to an offset. */
interface Source {
  topic: string;
  partition: number;
  low: number;
  end: number;
  since: number;
  /** True if each of its records was emitted. */
  isOutput: boolean;
}

/** The offset from which a source has to be observed, and the part of that which it lacks. */
interface Reach {
  from: number;
  missing?: string;
}

/** The records that a partition observes, those that are missing, and the topics that lack them. */
export interface FoundSilence {
  silence: Silence;
  missing: readonly string[];
  /** Why the output is not observed, if that is so. */
  unusable?: string | undefined;
}

/** The window of an old group at a position. */
interface PastWindow {
  /** A time that it has reached, if not a later one; undefined if nothing says that. */
  reachedMilliseconds: number | undefined;
  clock: readonly ClockPoint[];
}

/** Tells if a repeat restarts the window. */
function refreshes({ parameters }: DetectorSettings): boolean {
  return parameters.values.refresh === 'yes';
}

/** Tells if repeats do not matter, so that it is enough to observe what was emitted. */
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
 * The window that a group without one in time would have had at the end of a source. Half of the last records are not earlier than what it has
 * reached. What is later than the latest of them, or ahead of the machine's clock, has not moved it.
 */
async function estimatedWindow(
  client: KafkaClient,
  source: Source,
  { records, leadMilliseconds }: { records: number; leadMilliseconds: number },
): Promise<PastWindow> {
  const last = await lastRecords(client, source);
  const most = Date.now() + leadMilliseconds;
  const times = last.map(({ timestamp }) => timestamp).filter((time) => isTime(time) && time > 0 && time <= most);
  times.sort((one, other) => one - other);
  const [median, latest] = [times[(times.length - 1) >> 1], times.at(-1)];
  return {
    reachedMilliseconds: median,
    clock: latest === undefined ? [] : [[source.end, records, latest]],
  };
}

/** From the first record on. */
function reachAll({ low, since }: Source): Reach {
  const from = Math.max(low, since);
  return low <= since ? { from } : { from, missing: `the ${low - since} offsets before ${low}` };
}

/** Counts the records in a range of a source. */
async function countRecords(
  client: KafkaClient,
  { topic, partition }: Source,
  from: number,
  to: number,
): Promise<number> {
  let count = 0;
  for await (const batch of client.records(topic, [{ partition, from, to }])) count += batch.length;
  return count;
}

/** From so many records before the end on, or some more. */
async function reachRecords(client: KafkaClient, source: Source, records: number): Promise<Reach> {
  const { low, end, since } = source;
  const bottom = Math.max(low, since);
  let [from, count] = [end, 0];
  while (from > bottom && count < records) {
    const to = from;
    from = Math.max(bottom, to - Math.max(FIRST_RECORDS, records - count));
    count += await countRecords(client, source, from, to);
  }
  if (count >= records || low <= since) return { from };
  return { from, missing: `${records - count} of the last ${records} records that were emitted` };
}

/** From the first record on that is in the window, by the times of the records. */
async function reachTime(
  { client, settings }: SilenceContext,
  source: Source,
  { milliseconds, window, given }: { milliseconds: number; window: PastWindow; given: EmittedNote },
): Promise<Reach> {
  const time = window.reachedMilliseconds;
  if (time === undefined) return reachAll(source);
  // A window without a time has all that was emitted.
  if (time === 0) return source.isOutput ? reachRecords(client, source, given.records) : reachAll(source);
  const { topic, partition, low, end, since, isOutput } = source;
  const begin = Math.max(0, time - milliseconds);
  // A container may have records that are ahead of when it was written.
  const lead = settings.unpacks && !isOutput ? leadOf(settings.clock, milliseconds) : 0;
  const at = (await client.offsetAt(topic, partition, Math.max(0, begin - lead))) ?? end;
  // A record that is late was in the window all the same, although its own time is earlier.
  const firstReached = countedTimes(given.clock).findIndex((reached) => reached >= begin);
  const [lateOffset, lateRecords] = given.clock[firstReached] ?? [end, given.records];
  const late = isOutput ? await reachRecords(client, source, given.records - lateRecords) : { from: end };
  const from = Math.min(end, late.from, Math.max(low, since, at));
  if (late.missing !== undefined) return { from, missing: late.missing };
  // A record before it is earlier, so the window is complete. Marks of transactions have no time.
  const before = isOutput ? from : Math.min(from, lateOffset);
  if (low <= since || (await firstRecord(client, source, before))) return { from };
  const first = await firstRecord(client, source, end);
  if (first === undefined) return reachAll(source);
  if (first.timestamp < begin) return { from, missing: `what is in the window before the offset ${low}` };
  const lacking = Math.ceil((first.timestamp - begin) / 1000);
  if (lacking === 0) return { from };
  const text = formatDuration(milliseconds / 1000);
  return { from, missing: `the first ${formatDuration(lacking)} of the window of ${text}` };
}

/** From so many elements before the end on. */
async function reachElements(context: SilenceContext, source: Source, elements: number): Promise<Reach> {
  const { client, settings, reader } = context;
  const counting = await Detector.ofSettings(
    await settingsWithKeys({ memory: COUNTING_BYTES, ...schemeOf(settings.keys), clock: 'manual' }),
  );
  try {
    const times = new PastTimes({ detector: counting, clock: [], records: undefined });
    const observing = new Observing({ detector: counting, times, topic: source.topic, reader });
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

function reachOf(
  context: SilenceContext,
  source: Source,
  { window, given }: { window: PastWindow; given: EmittedNote },
): Promise<Reach> | Reach {
  const { parameters } = context.detector;
  const { band, countsAdds } = parameters;
  if (band === undefined) return reachAll(source);
  if ('toMilliseconds' in band) return reachTime(context, source, { milliseconds: band.toMilliseconds, window, given });
  // A window of what was emitted may reach over any number of repeats.
  return countsAdds && !source.isOutput ? reachAll(source) : reachElements(context, source, band.toElements);
}

/** The reason for which an output cannot be observed; undefined if it can be. */
async function outputProblem(
  { client, detector }: SilenceContext,
  source: Source,
  { given, output }: { given: EmittedNote; output: OutputTopic },
): Promise<string | undefined> {
  if (isRemade({ inputId: output.id }, await client.topicId(output.topic))) {
    return 'what was emitted: it was re-created after the group began';
  }
  const { last } = given;
  if (!detector.parameters.isTimed || last === undefined) return undefined;
  const record = (await lastRecords(client, source)).at(last[0] - given.records - 1);
  if (record === undefined || record.timestamp === last[1]) return undefined;
  return 'the times of the records: its message.timestamp.type is LogAppendTime, or others have written to it';
}

/** The topics that may be observed, the best first. */
async function sourcesOf(
  context: SilenceContext,
  { partition, position, since, output, given }: TakenPartition,
): Promise<{ input: Source; output: Source | undefined; unusable: string | undefined }> {
  const { client, settings, detector } = context;
  const { input: topic } = settings.topics;
  const { low } = await client.bounds(topic, partition);
  const input: Source = { topic, partition, low: Math.min(low, position), end: position, since, isOutput: false };
  if (output === undefined || !needsFirstsOnly(detector)) return { input, output: undefined, unusable: undefined };
  const bounds = await client.bounds(output.topic, partition);
  const place = { topic: output.topic, partition, low: bounds.low, end: bounds.high, since: 0 };
  const source: Source = { ...place, isOutput: true };
  const problem = await outputProblem(context, source, { given, output });
  if (problem === undefined) return { input, output: source, unusable: undefined };
  return { input, output: undefined, unusable: `${output.topic} lacks ${problem}` };
}

/**
 * Returns the records that a partition has to observe. If no topic has all of them, returns those of the first topic
 * that could have them, and what each topic lacks.
 */
export async function findSilence(context: SilenceContext, place: TakenPartition): Promise<FoundSilence> {
  const { client } = context;
  const { given } = place;
  const { input, output, unusable } = await sourcesOf(context, place);
  const sources = output ? [output, input] : [input];
  const window = await pastWindow(context, sources, given);
  const lacking: { silence: Silence; missing: string }[] = [];
  for (const source of sources) {
    const { topic, end: to } = source;
    const { from, missing } = await reachOf(context, source, { window, given });
    const topicId = await client.topicId(topic);
    const silence = { topic, topicId, from: Math.min(from, to), to, given: { ...given, clock: window.clock } };
    if (missing === undefined) return { silence, missing: [], unusable };
    lacking.push({ silence, missing: `${topic} lacks ${missing}` });
  }
  const best = lacking[0] as { silence: Silence };
  const missing = lacking.map((one) => one.missing);
  return { silence: best.silence, missing: unusable === undefined ? missing : [unusable, ...missing], unusable };
}

/** The window of the old group, by its pointer, or by the times of what it has read or emitted. */
async function pastWindow(
  { client, settings, detector: { parameters } }: SilenceContext,
  sources: readonly Source[],
  { clock, records }: EmittedNote,
): Promise<PastWindow> {
  const last = clock.at(-1);
  if (last) return { reachedMilliseconds: last[2], clock };
  const { band } = parameters;
  if (band === undefined || !('toMilliseconds' in band)) return { reachedMilliseconds: undefined, clock };
  const options = { records, leadMilliseconds: leadOf(settings.clock, band.fromMilliseconds) };
  // The input says more. It may have no record any more.
  for (const source of sources.toReversed()) {
    const window = await estimatedWindow(client, source, options);
    if (window.reachedMilliseconds !== undefined) return window;
  }
  return { reachedMilliseconds: undefined, clock };
}

/** Tells if a window may begin otherwise than in the old group: with a repeat, where the input is observed instead of what was emitted. */
export function isBlurred(settings: WorkerSettings, detector: DetectorSettings, { topic, from, to }: Silence): boolean {
  const isWindow = detector.parameters.band !== undefined && !refreshes(detector);
  return isWindow && topic === settings.topics.input && from < to;
}
