// Cuts records by the hash of their keys, so that equal keys are in one partition of another topic.

import type { FirstseenError } from '../../base/errors.js';
import { Detector } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { DROPPED } from '../../records/keyof.js';
import { KeyFinder, type Other } from '../messages/finding.js';
import { type KeyOptions, locationOf, TOMBSTONE } from '../messages/keys.js';
import { KeyScanner } from '../messages/scanning.js';
import type { ContainerNote } from './containers.js';

/**
 * The seed of the hash that chooses a partition, as that of shards. It is neither the seed nor the secret of a detector, so that all workers
 * agree, and the keys of a partition are spread over its detector like all keys. It never changes: keys would be in other partitions.
 */
const PARTITION_SEED = 0x243f6a8885a308d3n;
const NO_VALUE = new Uint8Array(0);

/** A record that is not written. */
export const NOWHERE = -1;

/** Records up to the first one that is refused, with their partitions. */
export interface Cut {
  records: readonly KafkaRecord[];
  /** `NOWHERE` for a record that is dropped. */
  targets: Int32Array;
  /** The number of records that each of them holds; 1 each if it is absent. */
  sizes?: readonly number[];
  /** The number of the given records that were taken. */
  taken: number;
  /** Why the next record has no partition. */
  failure?: FirstseenError;
}

export interface CutterOptions {
  keys: KeyOptions;
  /** The topic of the records. */
  topic: string;
  /** Those of the other topic. */
  partitions: number;
}

/** A cutter: it finds the partition of each record. */
export interface Cuts {
  cut(records: readonly KafkaRecord[]): Cut;
  close(): void;
}

/** Returns the detector that hashes keys to be cut; it observes nothing. */
export function partitionHashing(): Promise<Detector> {
  return Detector.create({ seed: PARTITION_SEED, memory: '4KiB' });
}

/** The partition for the upper half of a hash, which is scaled to the number of partitions (Lemire 2019). */
export function targetOf(upperHalf: number, partitions: number): number {
  return Math.floor((upperHalf * partitions) / 2 ** 32);
}

export class Cutter implements Cuts {
  readonly #options: CutterOptions;
  readonly #finder: KeyFinder;
  readonly #hashing: Detector;

  private constructor(options: CutterOptions, finder: KeyFinder, hashing: Detector) {
    this.#options = options;
    this.#finder = finder;
    this.#hashing = hashing;
  }

  /** @throws FirstseenError E_USAGE or E_PARAMETER for keys that cannot be */
  static async open(options: CutterOptions): Promise<Cutter> {
    const { keys } = options;
    const scanner = keys.format === 'ndjson' ? await KeyScanner.open(keys) : undefined;
    return new Cutter(options, new KeyFinder({ keys, scanner }), await partitionHashing());
  }

  #targetOf(fingerprint: bigint): number {
    return targetOf(Number(fingerprint >> 32n), this.#options.partitions);
  }

  cut(records: readonly KafkaRecord[]): Cut {
    const { topic, partitions } = this.#options;
    const targets = new Int32Array(records.length);
    let [taken, failure] = [records.length, undefined as FirstseenError | undefined];
    const onOther = (found: Other, place: number) => {
      const record = records[place] as KafkaRecord;
      if (typeof found === 'symbol') {
        // What has no key is in some partition, in the order of the partition that it comes from.
        targets[place] =
          found === DROPPED ? NOWHERE : (this.#ofTombstone(record, found) ?? record.partition % partitions);
        return true;
      }
      taken = place;
      failure = found.at(locationOf(topic, record));
      return false;
    };
    const { places, fingerprints, count } = this.#finder.find(records, this.#hashing, { onOther });
    for (let i = 0; i < count; i++) targets[places[i] as number] = this.#targetOf(fingerprints[i] as bigint);
    const cut = { records: records.slice(0, taken), targets: targets.subarray(0, taken), taken };
    return failure === undefined ? cut : { ...cut, failure };
  }

  /** Returns the partition of the records with the key of a tombstone, if its key is not in its value. */
  #ofTombstone(record: KafkaRecord, found: Other): number | undefined {
    if (found !== TOMBSTONE || this.#options.keys.place !== 'key') return undefined;
    const key = this.#finder.keyOf({ ...record, value: NO_VALUE });
    return key instanceof Uint8Array ? this.#targetOf(this.#hashing.fingerprint(key)) : undefined;
  }

  close(): void {
    this.#hashing.close();
  }
}

/** Returns the scheme that decides in which partition a key is, as JSON. */
export function schemeOfCut({ place, format, isBatch, keys, emptyKey, nullKey }: KeyOptions): ContainerNote['scheme'] {
  return JSON.stringify({ place, format, isBatch, keys, emptyKey, nullKey });
}
