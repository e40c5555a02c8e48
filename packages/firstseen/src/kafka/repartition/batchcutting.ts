// Cuts messages that hold many records: a message becomes one for each partition that some of its records belong to.

import type { Detector } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import { BatchReader, type BatchRecords, firstsOf, kinds, partOf } from '../messages/batches.js';
import { type Cut, type Cuts, Cutter, type CutterOptions, NOWHERE, partitionHashing, targetOf } from './cutting.js';

/** Numbers of 32 bits in a fingerprint; the last is its upper half. */
const HALVES = 2;

export class BatchCutter implements Cuts {
  readonly #options: CutterOptions;
  readonly #reader: BatchReader;
  readonly #hashing: Detector;

  private constructor(options: CutterOptions, reader: BatchReader, hashing: Detector) {
    this.#options = options;
    this.#reader = reader;
    this.#hashing = hashing;
  }

  /** @throws FirstseenError E_USAGE or E_PARAMETER for keys that cannot be */
  static async open(options: CutterOptions): Promise<BatchCutter> {
    return new BatchCutter(options, await BatchReader.open(options.keys), await partitionHashing());
  }

  cut(messages: readonly KafkaRecord[]): Cut {
    const { topic, partitions } = this.#options;
    const { records, taken, failure } = this.#reader.read(messages, this.#hashing, { topic });
    const places = this.#placesOf(messages, records);
    const firsts = firstsOf(records, taken);
    const parts: { record: KafkaRecord; target: number; size: number }[] = [];
    for (let number = 0; number < taken; number++) {
      const message = messages[number] as KafkaRecord;
      const range = { from: firsts[number] as number, to: firsts[number + 1] as number };
      const own = places.subarray(range.from, range.to);
      if (own.length === 0) parts.push({ record: message, target: message.partition % partitions, size: 1 });
      for (const target of new Set(own)) {
        const part = partOf(message, records, range, (i) => places[i] === target);
        if (part) parts.push({ record: part.message, target, size: part.size });
      }
    }
    const cut = {
      records: parts.map(({ record }) => record),
      targets: Int32Array.from(parts, ({ target }) => target),
      sizes: parts.map(({ size }) => size),
      taken,
    };
    return failure === undefined ? cut : { ...cut, failure };
  }

  /** The partition of each record. One without a key is in that of the number of its message. */
  #placesOf(
    messages: readonly KafkaRecord[],
    { count, owners, kinds: ofRecords, fingerprints }: BatchRecords,
  ): Int32Array {
    const { partitions } = this.#options;
    const places = new Int32Array(count);
    // A fingerprint as a number would be an object.
    const halves = new Uint32Array(fingerprints.buffer);
    for (let i = 0; i < count; i++) {
      if (ofRecords[i] === kinds.keyed) places[i] = targetOf(halves[HALVES * i + 1] as number, partitions);
      else if (ofRecords[i] === kinds.dropped) places[i] = NOWHERE;
      else places[i] = (messages[owners[i] as number] as KafkaRecord).partition % partitions;
    }
    return places;
  }

  close(): void {
    this.#hashing.close();
  }
}

/**
 * Returns the cutter for the records of a topic.
 * @throws FirstseenError E_USAGE or E_PARAMETER for keys that cannot be
 */
export function openCutter(options: CutterOptions): Promise<Cuts> {
  return options.keys.isBatch ? BatchCutter.open(options) : Cutter.open(options);
}
