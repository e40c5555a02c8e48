// The detector of a partition, and what it says of the records of the partition in their order.

import type { FirstseenError } from '../../base/errors.js';
import { type Detector, kernelOf } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { DUPLICATE } from '../../kernel/abi.js';
import { PASSED } from '../../records/keyof.js';
import { type FinderOptions, type Keyed, KeyFinder, type Other } from '../messages/finding.js';
import { locationOf, TOMBSTONE } from '../messages/keys.js';
import type { MessageKeys } from '../messages/messagekeys.js';
import type { RecordTimes } from './windowclock.js';

/** The answer for a record. */
export type Answer = 'distinct' | 'duplicate' | 'passed' | 'dropped' | 'tombstone';

/** The records that are given out, up to the first one that is refused, with their answers. */
export interface Answers {
  records: readonly KafkaRecord[];
  /** The answer for each of them. */
  answers: readonly Answer[];
  /** The number of records that each of them holds; 1 each if it is absent. */
  sizes?: readonly number[];
  /** The number of the given records that were taken. */
  taken: number;
  /** Why the next record has no answer. */
  failure?: FirstseenError;
}

/** A detector, and the times at which it observes records. */
export interface Timed {
  detector: Detector;
  times: RecordTimes;
}

export interface ObservingOptions extends FinderOptions, Timed {
  /** The topic of the records. */
  topic: string;
  /** Checks the keys of the messages that are given out. */
  messageKeys?: MessageKeys | undefined;
}

/** An observer of the records of a partition. */
export interface Observes {
  readonly detector: Detector;
  /** Observes records that were given out before. What was refused then was passed or dropped, or stopped a worker at this place. */
  replay(records: readonly KafkaRecord[]): void;
  /** Observes records up to the first one that is refused. @throws FirstseenError of a detector that takes no more */
  take(records: readonly KafkaRecord[]): Answers;
}

export class Observing implements Observes {
  readonly detector: Detector;
  readonly #topic: string;
  readonly #finder: KeyFinder;
  readonly #messageKeys: MessageKeys | undefined;
  readonly #times: RecordTimes;

  constructor({ detector, times, topic, messageKeys, ...finding }: ObservingOptions) {
    this.detector = detector;
    this.#times = times;
    this.#topic = topic;
    this.#messageKeys = messageKeys;
    this.#finder = new KeyFinder(finding);
  }

  replay(records: readonly KafkaRecord[]): void {
    this.#observe(records, this.#finder.find(records, this.detector, { onOther: () => true }));
  }

  take(records: readonly KafkaRecord[]): Answers {
    const answers: Answer[] = new Array(records.length).fill('distinct');
    let failure: FirstseenError | undefined;
    const onOther = (found: Other, place: number) => {
      if (typeof found === 'symbol') answers[place] = answerFor(found);
      else {
        failure = found.at(locationOf(this.#topic, records[place] as KafkaRecord));
        answers.length = place;
      }
      return failure === undefined;
    };
    const keyed = this.#finder.find(records, this.detector, { onOther, messageKeys: this.#messageKeys });
    const verdicts = this.#observe(records, keyed);
    for (let i = 0; i < keyed.count; i++) {
      if (verdicts[i] === DUPLICATE) answers[keyed.places[i] as number] = 'duplicate';
    }
    const taken = answers.length;
    const given = { records: taken < records.length ? records.slice(0, taken) : records, answers, taken };
    return failure === undefined ? given : { ...given, failure };
  }

  #observe(records: readonly KafkaRecord[], keyed: Keyed): Uint8Array {
    return observeKeyed({ detector: this.detector, times: this.#times }, records, keyed);
  }
}

/** Observes keys, each at the time of its record. @returns a verdict for each key */
export function observeKeyed(
  { detector, times }: Timed,
  records: readonly KafkaRecord[],
  { places, fingerprints, count }: Keyed,
): Uint8Array {
  if (!detector.settings.parameters.isTimed) return detector.observeBatch(fingerprints.subarray(0, count));
  const kernel = kernelOf(detector);
  const verdicts = new Uint8Array(count);
  for (let from = 0; from < count; from += kernel.batchCapacity) {
    const some = Math.min(count - from, kernel.batchCapacity);
    kernel.fingerprints.set(fingerprints.subarray(from, from + some));
    for (let i = 0; i < some; i++) kernel.times[i] = times.timeOf(records[places[from + i] as number] as KafkaRecord);
    detector.observePlacedTimed(some);
    verdicts.set(kernel.verdicts.subarray(0, some), from);
  }
  return verdicts;
}

function answerFor(found: symbol): Answer {
  if (found === TOMBSTONE) return 'tombstone';
  return found === PASSED ? 'passed' : 'dropped';
}
