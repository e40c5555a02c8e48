// The detector of a partition, and what it says of the records of the partition in their order.

import type { FirstseenError } from '../base/errors.js';
import type { Detector } from '../detectors/detector.js';
import { isTime } from '../detectors/refusals.js';
import type { KafkaRecord } from '../io/kafka/contract.js';
import { DUPLICATE } from '../kernel/abi.js';
import { PASSED } from '../records/keyof.js';
import { type KeyFound, type KeyOptions, keyFinder, locationOf, TOMBSTONE } from './keys.js';

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
}

export class Observing {
  readonly detector: Detector;
  readonly #topic: string;
  readonly #keyOf: (record: KafkaRecord) => KeyFound;

  constructor({ detector, topic, keys }: ObservingOptions) {
    this.detector = detector;
    this.#topic = topic;
    this.#keyOf = keyFinder(keys);
  }

  /** Observes records that were given out before. What was refused then was passed or dropped, or stopped a worker at this place. */
  replay(records: readonly KafkaRecord[]): void {
    const keyed = records.map((record) => [record, this.#keyOf(record)] as const);
    this.#observe(keyed.filter((one): one is [KafkaRecord, Uint8Array] => one[1] instanceof Uint8Array));
  }

  /** Observes records up to the first one that is refused. @throws FirstseenError of a detector that takes no more */
  take(records: readonly KafkaRecord[]): Answers {
    const answers: Answer[] = [];
    const keyed: [KafkaRecord, Uint8Array][] = [];
    const places: number[] = [];
    let failure: FirstseenError | undefined;
    for (const record of records) {
      const found = this.#keyOf(record);
      if (found instanceof Uint8Array) {
        places.push(answers.length);
        keyed.push([record, found]);
        answers.push('distinct');
      } else if (typeof found === 'symbol') answers.push(answerFor(found));
      else {
        failure = found.at(locationOf(this.#topic, record));
        break;
      }
    }
    const verdicts = this.#observe(keyed);
    for (const [i, place] of places.entries()) if (verdicts[i] === DUPLICATE) answers[place] = 'duplicate';
    return failure === undefined ? { answers } : { answers, failure };
  }

  #observe(keyed: readonly (readonly [KafkaRecord, Uint8Array])[]): Uint8Array {
    const keys = keyed.map(([, key]) => key);
    if (!this.detector.settings.parameters.isTimed) return this.detector.observeMany(keys);
    const verdicts = new Uint8Array(keys.length);
    for (let from = 0; from < keys.length; ) {
      const { timestamp } = (keyed[from] as (typeof keyed)[number])[0];
      let to = from + 1;
      while (keyed[to]?.[0].timestamp === timestamp) to++;
      this.#advance(timestamp);
      verdicts.set(this.detector.observeMany(keys.slice(from, to)), from);
      from = to;
    }
    return verdicts;
  }

  /** Moves a window to the time of a record. An earlier time does not move it, nor does what cannot be a time. */
  #advance(timestamp: number): void {
    if (isTime(timestamp)) this.detector.advance(timestamp);
  }
}

function answerFor(found: symbol): Answer {
  if (found === TOMBSTONE) return 'tombstone';
  return found === PASSED ? 'passed' : 'dropped';
}
