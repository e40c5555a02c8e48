// Chooses the partitions of records by the hash of their keys, so that equal keys are in one partition of another topic. A message that holds
// many records becomes one for each partition that some of them belong to.

import type { FirstseenError } from '../../base/errors.js';
import { Detector } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { type KeyFound, type KeyOptions, keyFinder } from '../messages/keys.js';
import { openReader } from '../messages/reader.js';
import { firstsOf, kinds, type MessageRecords, partOf, type Reads } from '../messages/records.js';
import type { ContainerNote } from './containers.js';

/**
 * The seed of the hash that chooses a partition, as that of shards. It is neither the seed nor the secret of a detector, so that all workers
 * agree, and the keys of a partition are spread over its detector like all keys. It never changes: keys would be in other partitions.
 */
const PARTITION_SEED = 0x243f6a8885a308d3n;
const NO_VALUE = new Uint8Array(0);
/** Numbers of 32 bits in a fingerprint; the last is its upper half. */
const HALVES = 2;

/** A record that is not written. */
export const NOWHERE = -1;

/** Messages up to the first one that is refused, with their partitions. One that holds many records may be in parts. */
export interface Partitioned {
  records: KafkaRecord[];
  /** The partition of each of them; `NOWHERE` for one that is dropped. */
  targets: number[];
  /** The number of records that each of them holds. */
  sizes: number[];
  /** The number of the given messages that were taken. */
  taken: number;
  /** Why the next message has no partition. */
  failure?: FirstseenError | undefined;
}

export interface PartitionerOptions {
  keys: KeyOptions;
  /** The topic of the messages. */
  topic: string;
  /** Those of the other topic. */
  partitions: number;
}

export class Partitioner {
  readonly #options: PartitionerOptions;
  readonly #reader: Reads;
  /** Hashes keys; it observes nothing. */
  readonly #hashing: Detector;
  readonly #keyOf: (record: KafkaRecord) => KeyFound;

  private constructor(options: PartitionerOptions, reader: Reads, hashing: Detector) {
    this.#options = options;
    this.#reader = reader;
    this.#hashing = hashing;
    this.#keyOf = keyFinder(options.keys);
  }

  /** @throws FirstseenError E_USAGE or E_PARAMETER for keys that cannot be */
  static async open(options: PartitionerOptions): Promise<Partitioner> {
    const hashing = await Detector.create({ seed: PARTITION_SEED, memory: '4KiB' });
    return new Partitioner(options, await openReader(options.keys), hashing);
  }

  partition(messages: readonly KafkaRecord[]): Partitioned {
    const { records, taken, failure } = this.#reader.read(messages, this.#hashing, { topic: this.#options.topic });
    const targets = this.#targetsOf(messages, records);
    const firsts = firstsOf(records, taken);
    const partitioned: Partitioned = { records: [], targets: [], sizes: [], taken, failure };
    const add = (record: KafkaRecord, target: number, size: number) => {
      partitioned.records.push(record);
      partitioned.targets.push(target);
      partitioned.sizes.push(size);
    };
    for (let number = 0; number < taken; number++) {
      const message = messages[number] as KafkaRecord;
      const from = firsts[number] as number;
      const to = firsts[number + 1] as number;
      if (from === to) add(message, this.#ofTombstone(message) ?? this.#keylessTarget(message), 1);
      else if (to - from === 1) add(message, targets[from] as number, 1);
      else {
        for (const target of new Set(targets.subarray(from, to))) {
          const part = partOf(message, records, { from, to }, (i) => targets[i] === target);
          if (part) add(part.message, target, part.size);
        }
      }
    }
    return partitioned;
  }

  /** The partition of each record. */
  #targetsOf(
    messages: readonly KafkaRecord[],
    { count, owners, kinds: ofRecords, fingerprints }: MessageRecords,
  ): Int32Array {
    const targets = new Int32Array(count);
    // A fingerprint as a number would be an object.
    const halves = new Uint32Array(fingerprints.buffer);
    for (let i = 0; i < count; i++) {
      if (ofRecords[i] === kinds.keyed) targets[i] = this.#targetOf(halves[HALVES * i + 1] as number);
      else if (ofRecords[i] === kinds.dropped) targets[i] = NOWHERE;
      else targets[i] = this.#keylessTarget(messages[owners[i] as number] as KafkaRecord);
    }
    return targets;
  }

  /** The partition for the upper half of a hash, which is scaled to the number of partitions (Lemire 2019). */
  #targetOf(upperHalf: number): number {
    return Math.floor((upperHalf * this.#options.partitions) / 2 ** 32);
  }

  /** The partition of what has no key: some partition, in the order of the partition that it comes from. */
  #keylessTarget({ partition }: KafkaRecord): number {
    return partition % this.#options.partitions;
  }

  /** Returns the partition of the records with the key of a tombstone, if its key is not in its value. */
  #ofTombstone(message: KafkaRecord): number | undefined {
    if (message.value !== null || this.#options.keys.place !== 'key') return undefined;
    const key = this.#keyOf({ ...message, value: NO_VALUE });
    return key instanceof Uint8Array ? this.#targetOf(Number(this.#hashing.fingerprint(key) >> 32n)) : undefined;
  }

  close(): void {
    this.#hashing.close();
  }
}

/** Returns the scheme that decides in which partition a key is, as JSON. */
export function schemeOfCut({ place, format, isBatch, keys, emptyKey, nullKey }: KeyOptions): ContainerNote['scheme'] {
  return JSON.stringify({ place, format, isBatch, keys, emptyKey, nullKey });
}
