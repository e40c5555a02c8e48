// The detector of a partition, and what it says of the records of the partition in their order.

import type { FirstseenError } from '../base/errors.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { isTime } from '../detectors/refusals.js';
import type { KafkaRecord } from '../io/kafka/contract.js';
import { DUPLICATE } from '../kernel/abi.js';
import { PASSED } from '../records/keyof.js';
import { bytesAt, type KeyFound, type KeyOptions, keyFinder, locationOf, TOMBSTONE } from './keys.js';
import { forms, type MessageKeys } from './messagekeys.js';
import type { KeyScanner } from './scanning.js';

/** What a record is. */
export type Answer = 'distinct' | 'duplicate' | 'passed' | 'dropped' | 'tombstone';

/** The answers for records up to the first one that is refused. */
export interface Answers {
  answers: readonly Answer[];
  /** Why the next record has no answer. */
  failure?: FirstseenError;
}

export interface ObservingOptions {
  detector: Detector;
  /** The topic of the records. */
  topic: string;
  keys: KeyOptions;
  /** Finds keys in JSON faster; the answers are the same without it. */
  scanner?: KeyScanner | undefined;
  /** Checks the keys of the messages that are given out. */
  messageKeys?: MessageKeys | undefined;
}

/** The keys of records that have one: their places among the records, and their fingerprints. */
interface Keyed {
  places: Uint32Array;
  fingerprints: BigUint64Array;
  count: number;
}

export class Observing {
  readonly detector: Detector;
  readonly #topic: string;
  readonly #place: KeyOptions['place'];
  readonly #scanner: KeyScanner | undefined;
  readonly #messageKeys: MessageKeys | undefined;
  readonly #keyOf: (record: KafkaRecord) => KeyFound;

  constructor({ detector, topic, keys, scanner, messageKeys }: ObservingOptions) {
    this.detector = detector;
    this.#topic = topic;
    this.#place = keys.place;
    this.#scanner = scanner;
    this.#messageKeys = messageKeys;
    this.#keyOf = keyFinder(keys);
  }

  /** Observes records that were given out before. What was refused then was passed or dropped, or stopped a worker at this place. */
  replay(records: readonly KafkaRecord[]): void {
    this.#observe(
      records,
      this.#find(records, () => true),
    );
  }

  /** Observes records up to the first one that is refused. @throws FirstseenError of a detector that takes no more */
  take(records: readonly KafkaRecord[]): Answers {
    const answers: Answer[] = new Array(records.length).fill('distinct');
    let failure: FirstseenError | undefined;
    const onOther = (found: Exclude<KeyFound, Uint8Array>, place: number) => {
      if (typeof found === 'symbol') answers[place] = answerFor(found);
      else {
        failure = found.at(locationOf(this.#topic, records[place] as KafkaRecord));
        answers.length = place;
      }
      return failure === undefined;
    };
    const keyed = this.#find(records, onOther, this.#messageKeys);
    const verdicts = this.#observe(records, keyed);
    for (let i = 0; i < keyed.count; i++) {
      if (verdicts[i] === DUPLICATE) answers[keyed.places[i] as number] = 'duplicate';
    }
    return failure === undefined ? { answers } : { answers, failure };
  }

  /** Finds keys. @param onOther told of each record without one, or with one that is refused; it says whether to go on */
  #find(
    records: readonly KafkaRecord[],
    onOther: (found: Exclude<KeyFound, Uint8Array>, place: number) => boolean,
    messageKeys?: MessageKeys,
  ): Keyed {
    const { detector } = this;
    const texts =
      this.#scanner && records.map((record) => (record.value === null ? null : bytesAt(record, this.#place)));
    const scanned = texts && this.#scanner?.scan(texts, detector.settings);
    const messageForms = scanned && messageKeys?.formsIn(records, scanned, detector.settings);
    const isTaken = (place: number) => messageKeys?.takes(messageForms?.[place] ?? forms.other) ?? true;
    const { length } = records;
    const keyed: Keyed = { places: new Uint32Array(length), fingerprints: new BigUint64Array(length), count: 0 };
    const add = (place: number, fingerprint: bigint) => {
      keyed.places[keyed.count] = place;
      keyed.fingerprints[keyed.count++] = fingerprint;
    };
    for (const [place, record] of records.entries()) {
      if (scanned?.found[place] && isTaken(place)) {
        add(place, scanned.fingerprints[place] as bigint);
        continue;
      }
      const found = this.#keyOf(record);
      const isKey = found instanceof Uint8Array;
      const other = isKey ? messageKeys?.refusalOf(record, found) : found;
      if (isKey && other === undefined) add(place, detector.fingerprint(found));
      else if (!onOther(other as Exclude<KeyFound, Uint8Array>, place)) break;
    }
    return keyed;
  }

  #observe(records: readonly KafkaRecord[], { places, fingerprints, count }: Keyed): Uint8Array {
    const { detector } = this;
    if (!detector.settings.parameters.isTimed) return detector.observeBatch(fingerprints.subarray(0, count));
    const kernel = kernelOf(detector);
    const verdicts = new Uint8Array(count);
    for (let from = 0; from < count; from += kernel.batchCapacity) {
      const some = Math.min(count - from, kernel.batchCapacity);
      kernel.fingerprints.set(fingerprints.subarray(from, from + some));
      for (let i = 0; i < some; i++) kernel.times[i] = timeOf(records[places[from + i] as number] as KafkaRecord);
      detector.observePlacedTimed(some);
      verdicts.set(kernel.verdicts.subarray(0, some), from);
    }
    return verdicts;
  }
}

/** The time to which a record moves a window. An earlier time than the latest does not move it, nor does what cannot be a time. */
function timeOf({ timestamp }: KafkaRecord): number {
  return isTime(timestamp) ? timestamp : 0;
}

function answerFor(found: symbol): Answer {
  if (found === TOMBSTONE) return 'tombstone';
  return found === PASSED ? 'passed' : 'dropped';
}
