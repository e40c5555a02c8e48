// Observes what a group that takes over has to know before it gives anything out: the silences of its partitions, at the times that the window
// of the old group had then.

import { FirstseenError, optionName, phrase } from '../../base/errors.js';
import type { Detector } from '../../detectors/detector.js';
import { renewDuplicates } from '../../detectors/renewing.js';
import type { KafkaClient, RecordRange } from '../../io/kafka/contract.js';
import { byPartition } from '../messages/keys.js';
import type { Reads } from '../messages/records.js';
import { moveTo, PastTimes } from '../observing/emitted.js';
import { Observing } from '../observing/observing.js';
import type { Silence } from '../pointers/pointer.js';
import { isRemade } from '../pointers/pointers.js';

/** @throws FirstseenError E_STATE_DIFFERS for a partition that lacks records which the group has taken over */
async function checkKept(
  client: KafkaClient,
  partition: number,
  { topic, topicId, from }: Omit<Silence, 'to' | 'given'>,
): Promise<void> {
  const { low } = await client.bounds(topic, partition);
  const isOther = isRemade({ inputId: topicId }, await client.topicId(topic));
  if (low <= from && !isOther) return;
  const now = isOther
    ? phrase`the topic ${topic} was re-created after the group took over`
    : phrase`partition ${partition} of ${topic} begins at the offset ${low}, but the group has taken over its records from ${from} on: ${low - from} offsets are gone`;
  throw new FirstseenError('E_STATE_DIFFERS', now, {
    remedy: phrase`give ${optionName('allowsMissing')} to go on without them; and keep records for longer`,
  });
}

export interface ObservingSilences {
  /** The detectors that observe, by partition. */
  detectors: ReadonlyMap<number, Detector>;
  reader: Reads;
  /** The topic that is read, and where it is gone on. */
  input: string;
  positions: readonly number[];
  allowsMissing: boolean;
}

/** The ranges of a topic that are observed, as far as they are there. */
async function rangesOf(
  client: KafkaClient,
  topic: string,
  silences: ReadonlyMap<number, Silence>,
): Promise<RecordRange[]> {
  const id = await client.topicId(topic);
  const ranges: RecordRange[] = [];
  for (const [partition, { topic: itsTopic, topicId, from, to }] of silences) {
    if (itsTopic !== topic || isRemade({ inputId: topicId }, id)) continue;
    const { low } = await client.bounds(topic, partition);
    if (Math.max(from, low) < to) ranges.push({ partition, from: Math.max(from, low), to });
  }
  return ranges;
}

/** Counts the records in the ranges of partitions whose records are counted. */
async function countsOf(
  client: KafkaClient,
  topic: string,
  ranges: readonly RecordRange[],
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  if (ranges.length === 0) return counts;
  for await (const batch of client.records(topic, ranges)) {
    for (const [partition, records] of byPartition(batch)) {
      counts.set(partition, (counts.get(partition) ?? 0) + records.length);
    }
  }
  return counts;
}

/** The observer of a partition, with the times at which its records were emitted. */
interface PastObserver {
  times: PastTimes;
  observing: Observing;
}

/** The observers of the partitions of a topic. */
async function observersOf(
  client: KafkaClient,
  silences: ReadonlyMap<number, Silence>,
  { topic, ranges, options }: { topic: string; ranges: readonly RecordRange[]; options: ObservingSilences },
): Promise<ReadonlyMap<number, PastObserver>> {
  const { detectors, reader, input } = options;
  const isOutput = topic !== input;
  const clockOf = (partition: number) => silences.get(partition)?.given?.clock ?? [];
  // The last point is behind all records: most partitions have no other.
  const counted = ranges.filter(({ partition }) => clockOf(partition).length > 1);
  const counts = isOutput ? await countsOf(client, topic, counted) : new Map<number, number>();
  const observers = new Map<number, PastObserver>();
  for (const { partition } of ranges) {
    const detector = detectors.get(partition) as Detector;
    const writtenRecords = silences.get(partition)?.given?.records ?? 0;
    const records = isOutput ? writtenRecords - (counts.get(partition) ?? writtenRecords) : undefined;
    const times = new PastTimes({ detector, clock: clockOf(partition), records });
    observers.set(partition, { times, observing: new Observing({ detector, times, topic, reader }) });
  }
  return observers;
}

/**
 * Observes what partitions have to know before they give anything out.
 * @throws FirstseenError E_STATE_DIFFERS for records that are not there any more; an error of the detector, such as E_FULL
 */
export async function observeSilences(
  client: KafkaClient,
  silences: ReadonlyMap<number, Silence>,
  options: ObservingSilences,
): Promise<void> {
  const { detectors, input, positions, allowsMissing } = options;
  if (!allowsMissing) {
    for (const [partition, silence] of silences) {
      await checkKept(client, partition, silence);
      await checkKept(client, partition, { topic: input, from: positions[partition] ?? 0 });
    }
  }
  for (const topic of new Set(Array.from(silences.values(), (silence) => silence.topic))) {
    const ranges = await rangesOf(client, topic, silences);
    const observers = await observersOf(client, silences, { topic, ranges, options });
    // What was emitted begins a window, also where the detector remembers for longer than the old one, and still has an earlier occurrence.
    const renew = (isOn: boolean) => {
      if (topic === input) return;
      for (const { partition } of ranges) renewDuplicates(detectors.get(partition) as Detector, isOn);
    };
    renew(true);
    for await (const batch of client.records(topic, ranges)) {
      for (const [partition, records] of byPartition(batch)) {
        const { times, observing } = observers.get(partition) as PastObserver;
        times.replay(records, (some) => observing.replay(some));
      }
    }
    renew(false);
    for (const { times } of observers.values()) times.end();
  }
  for (const [partition, { given }] of silences) {
    moveTo(detectors.get(partition) as Detector, given?.clock.at(-1));
  }
}
