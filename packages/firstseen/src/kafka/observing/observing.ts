// The detector of a partition, and what it says of the records of the partition in their order.

import type { FirstseenError } from '../../base/errors.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { DUPLICATE } from '../../kernel/abi.js';
import { firstsOf, keyedOf, kinds, type MessageRecords, partOf, type Reads } from '../messages/records.js';
import type { RecordTimes } from './windowclock.js';
import { awaitTime, isWaiting, setTime, timeOfWindow } from './windowtime.js';

/** The outcome of a record. */
export type Outcome = 'distinct' | 'duplicate' | 'passed' | 'dropped' | 'tombstone';

/** The messages that are emitted, up to the first one that is refused. One that holds many records may be emitted in parts. */
export interface Outcomes {
  records: KafkaRecord[];
  /** The outcome of each of them. */
  outcomes: Outcome[];
  /** The number of records that each of them holds. */
  sizes: number[];
  /** The number of the given messages that were taken. */
  taken: number;
  /** Why the next message has no outcome. */
  failure?: FirstseenError | undefined;
}

export interface ObservingOptions {
  detector: Detector;
  /** The times at which the detector observes records. */
  times: RecordTimes;
  /** The topic of the messages. */
  topic: string;
  /** Finds the records of messages, and their keys. */
  reader: Reads;
}

/** The verdict for each record, from those for the records that have a key. The others are not duplicates. */
function verdictsFor({ count, kinds: ofRecords }: MessageRecords, verdicts: Uint8Array): Uint8Array {
  if (verdicts.length === count) return verdicts;
  const all = new Uint8Array(count);
  for (let i = 0, next = 0; i < count; i++) if (ofRecords[i] === kinds.keyed) all[i] = verdicts[next++] as number;
  return all;
}

/** The observer of the records of a partition. */
export class Observing {
  readonly detector: Detector;
  readonly #times: RecordTimes;
  readonly #topic: string;
  readonly #reader: Reads;

  constructor({ detector, times, topic, reader }: ObservingOptions) {
    this.detector = detector;
    this.#times = times;
    this.#topic = topic;
    this.#reader = reader;
  }

  /** Observes messages that were emitted before. What was refused then was passed or dropped, or stopped a worker at this place. */
  replay(messages: readonly KafkaRecord[]): void {
    const { records } = this.#reader.read(messages, this.detector, { topic: this.#topic, isReplay: true });
    this.#observe(messages, records);
  }

  /** Observes messages up to the first one that is refused. @throws FirstseenError of a detector that takes no more */
  take(messages: readonly KafkaRecord[]): Outcomes {
    const { records, taken, failure } = this.#reader.read(messages, this.detector, { topic: this.#topic });
    const verdicts = verdictsFor(records, this.#observe(messages, records));
    const firsts = firstsOf(records, taken);
    const output: Outcomes = { records: [], outcomes: [], sizes: [], taken, failure };
    const give = (record: KafkaRecord, outcome: Outcome, size: number) => {
      output.records.push(record);
      output.outcomes.push(outcome);
      output.sizes.push(size);
    };
    const { kinds: ofRecords } = records;
    for (let number = 0; number < taken; number++) {
      const message = messages[number] as KafkaRecord;
      const from = firsts[number] as number;
      const to = firsts[number + 1] as number;
      if (to - from === 1) {
        const isSeen = verdicts[from] === DUPLICATE;
        give(message, isSeen ? 'duplicate' : ofRecords[from] === kinds.dropped ? 'dropped' : 'distinct', 1);
      } else if (from === to) give(message, message.value === null ? 'tombstone' : 'passed', 1);
      else {
        const isDropped = (i: number) => ofRecords[i] === kinds.dropped;
        const isDuplicate = (i: number) => verdicts[i] === DUPLICATE;
        const first = partOf(message, records, { from, to }, (i) => !isDuplicate(i) && !isDropped(i));
        const again = partOf(message, records, { from, to }, isDuplicate);
        if (first) give(first.message, 'distinct', first.size);
        if (again) give(again.message, 'duplicate', again.size);
        const dropped = to - from - (first?.size ?? 0) - (again?.size ?? 0);
        if (dropped > 0) give(message, 'dropped', dropped);
      }
    }
    return output;
  }

  /** Observes the keys of records, each at the time of its message. @returns a verdict for each key */
  #observe(messages: readonly KafkaRecord[], records: MessageRecords): Uint8Array {
    const { detector } = this;
    const { owners, fingerprints, count } = keyedOf(records);
    if (!detector.settings.parameters.isTimed) return detector.observeBatch(fingerprints.subarray(0, count));
    const kernel = kernelOf(detector);
    const verdicts = new Uint8Array(count);
    for (let from = 0; from < count; from += kernel.batchCapacity) {
      const some = Math.min(count - from, kernel.batchCapacity);
      kernel.fingerprints.set(fingerprints.subarray(from, from + some));
      for (let i = 0; i < some; i++) {
        kernel.times[i] = this.#times.timeOf(messages[owners[from + i] as number] as KafkaRecord);
      }
      this.#observePlaced(kernel.times.subarray(0, some));
      verdicts.set(kernel.verdicts.subarray(0, some), from);
    }
    return verdicts;
  }

  /** Observes the elements of the batch at their times. Those before the window has a time count as seen at its first one. */
  #observePlaced(times: Float64Array): void {
    const { detector } = this;
    const firstTimed = timeOfWindow(detector) > 0 ? 0 : times.findIndex((time) => time > 0);
    const timeless = firstTimed === -1 ? times.length : firstTimed;
    const first = times[timeless];
    if (timeless > 0) {
      awaitTime(detector);
      detector.observePlacedTimed(timeless);
    }
    if (first === undefined) return;
    if (isWaiting(detector)) setTime(detector, first);
    detector.observePlacedTimed(times.length - timeless, timeless);
  }
}
