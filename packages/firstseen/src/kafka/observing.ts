// The detector of a partition, and what it says of the records of the partition in their order.

import type { FirstseenError } from '../base/errors.js';
import { type Detector, kernelOf } from '../detectors/detector.js';
import { isTime } from '../detectors/refusals.js';
import type { KafkaRecord } from '../io/kafka/contract.js';
import { DUPLICATE } from '../kernel/abi.js';
import { PASSED } from '../records/keyof.js';
import { type FinderOptions, type Keyed, KeyFinder, type Other } from './finding.js';
import { locationOf, TOMBSTONE } from './keys.js';
import type { MessageKeys } from './messagekeys.js';

/** What a record is. */
export type Answer = 'distinct' | 'duplicate' | 'passed' | 'dropped' | 'tombstone';

/** The answers for records up to the first one that is refused. */
export interface Answers {
  answers: readonly Answer[];
  /** Why the next record has no answer. */
  failure?: FirstseenError;
}

export interface ObservingOptions extends FinderOptions {
  detector: Detector;
  /** The topic of the records. */
  topic: string;
  /** Checks the keys of the messages that are given out. */
  messageKeys?: MessageKeys | undefined;
}

export class Observing {
  readonly detector: Detector;
  readonly #topic: string;
  readonly #finder: KeyFinder;
  readonly #messageKeys: MessageKeys | undefined;

  constructor({ detector, topic, messageKeys, ...finding }: ObservingOptions) {
    this.detector = detector;
    this.#topic = topic;
    this.#messageKeys = messageKeys;
    this.#finder = new KeyFinder(finding);
  }

  /** Observes records that were given out before. What was refused then was passed or dropped, or stopped a worker at this place. */
  replay(records: readonly KafkaRecord[]): void {
    this.#observe(records, this.#finder.find(records, this.detector, { onOther: () => true }));
  }

  /** Observes records up to the first one that is refused. @throws FirstseenError of a detector that takes no more */
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
    return failure === undefined ? { answers } : { answers, failure };
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
