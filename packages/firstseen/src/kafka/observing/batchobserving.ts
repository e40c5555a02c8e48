// The detector of a partition whose messages hold many records: what it says of the records, and the messages that go out with them.

import type { Detector } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { DUPLICATE } from '../../kernel/abi.js';
import { type BatchReader, type BatchRecords, firstsOf, kinds, partOf } from '../messages/batches.js';
import type { Keyed } from '../messages/finding.js';
import { type Answer, type Answers, type Observes, observeKeyed, type Timed } from './observing.js';
import type { RecordTimes } from './windowclock.js';

export interface BatchObservingOptions extends Timed {
  /** The topic of the messages. */
  topic: string;
  reader: BatchReader;
}

/** The records that have a key, each at the place of its message. Arrays are shared where all records have one. */
function keyedOf({ count, owners, kinds: ofRecords, fingerprints }: BatchRecords): Keyed {
  const own = ofRecords.subarray(0, count);
  if (own.every((kind) => kind === kinds.keyed)) {
    return { places: owners, fingerprints: fingerprints.subarray(0, count), count };
  }
  const keyed: Keyed = { places: new Uint32Array(count), fingerprints: new BigUint64Array(count), count: 0 };
  for (let i = 0; i < count; i++) {
    if (own[i] !== kinds.keyed) continue;
    keyed.places[keyed.count] = owners[i] as number;
    keyed.fingerprints[keyed.count++] = fingerprints[i] as bigint;
  }
  return keyed;
}

/** 1 for each record that is a duplicate. */
function duplicatesIn({ count, kinds: ofRecords }: BatchRecords, verdicts: Uint8Array): Uint8Array {
  const found = new Uint8Array(count);
  let next = 0;
  for (let i = 0; i < count; i++) {
    if (ofRecords[i] === kinds.keyed && verdicts[next++] === DUPLICATE) found[i] = 1;
  }
  return found;
}

export class BatchObserving implements Observes {
  readonly detector: Detector;
  readonly #times: RecordTimes;
  readonly #topic: string;
  readonly #reader: BatchReader;

  constructor({ detector, times, topic, reader }: BatchObservingOptions) {
    this.detector = detector;
    this.#times = times;
    this.#topic = topic;
    this.#reader = reader;
  }

  replay(messages: readonly KafkaRecord[]): void {
    const { records } = this.#reader.read(messages, this.detector, { topic: this.#topic, isReplay: true });
    this.#observe(messages, keyedOf(records));
  }

  #observe(messages: readonly KafkaRecord[], keyed: Keyed): Uint8Array {
    return observeKeyed({ detector: this.detector, times: this.#times }, messages, keyed);
  }

  take(messages: readonly KafkaRecord[]): Answers {
    const { records, taken, failure } = this.#reader.read(messages, this.detector, { topic: this.#topic });
    const isDuplicate = duplicatesIn(records, this.#observe(messages, keyedOf(records)));
    const firsts = firstsOf(records, taken);
    const given: { records: KafkaRecord[]; answers: Answer[]; sizes: number[] } = {
      records: [],
      answers: [],
      sizes: [],
    };
    const give = (record: KafkaRecord, answer: Answer, size: number) => {
      given.records.push(record);
      given.answers.push(answer);
      given.sizes.push(size);
    };
    for (let number = 0; number < taken; number++) {
      const message = messages[number] as KafkaRecord;
      const range = { from: firsts[number] as number, to: firsts[number + 1] as number };
      if (message.value === null) give(message, 'tombstone', 1);
      else if (range.from === range.to) give(message, 'passed', 1);
      else {
        const isNew = (i: number) => isDuplicate[i] === 0 && records.kinds[i] !== kinds.dropped;
        const first = partOf(message, records, range, isNew);
        const again = partOf(message, records, range, (i) => isDuplicate[i] === 1);
        if (first) give(first.message, 'distinct', first.size);
        if (again) give(again.message, 'duplicate', again.size);
        const dropped = range.to - range.from - (first?.size ?? 0) - (again?.size ?? 0);
        if (dropped > 0) give(message, 'dropped', dropped);
      }
    }
    return { ...given, taken, ...(failure === undefined ? {} : { failure }) };
  }
}
