// Finds the keys of records, and hashes them: those in JSON by the kernel's scanner, the others one by one.

import type { FirstseenError } from '../../base/errors.js';
import type { Detector } from '../../detectors/detector.js';
import type { KafkaRecord } from '../../io/kafka/contract.js';
import type { Unkeyed } from '../../records/keyof.js';
import { type KeyFound, type KeyOptions, keyFinder, type TOMBSTONE, textAt } from './keys.js';
import { forms, type MessageKeys } from './messagekeys.js';
import type { KeyScanner } from './scanning.js';

/** The part of a detector that makes fingerprints. */
export type Hashing = Pick<Detector, 'settings' | 'fingerprint'>;

export interface FinderOptions {
  keys: KeyOptions;
  /** Finds keys in JSON faster; the keys are the same without it. */
  scanner?: KeyScanner | undefined;
}

/** The keys of records that have one: their places among the records, and their fingerprints. */
export interface Keyed {
  places: Uint32Array;
  fingerprints: BigUint64Array;
  count: number;
}

/** The mark of a record that has no key, or the error for which it is refused. */
export type Other = Unkeyed | typeof TOMBSTONE | FirstseenError;

export interface FindOptions {
  /** Told of each record without a key, or with one that is refused. It says whether to go on. */
  onOther: (found: Other, place: number) => boolean;
  /** Checks the keys of the messages. */
  messageKeys?: MessageKeys | undefined;
}

export class KeyFinder {
  readonly #keys: KeyOptions;
  readonly #scanner: KeyScanner | undefined;
  readonly #keyOf: (record: KafkaRecord) => KeyFound;

  constructor({ keys, scanner }: FinderOptions) {
    this.#keys = keys;
    this.#scanner = scanner;
    this.#keyOf = keyFinder(keys);
  }

  /** The key of one record. */
  keyOf(record: KafkaRecord): KeyFound {
    return this.#keyOf(record);
  }

  /** The keys of records, up to the first one after which it does not go on. */
  find(records: readonly KafkaRecord[], hashing: Hashing, { onOther, messageKeys }: FindOptions): Keyed {
    const { length } = records;
    const keyed: Keyed = { places: new Uint32Array(length), fingerprints: new BigUint64Array(length), count: 0 };
    const add = (place: number, fingerprint: bigint) => {
      keyed.places[keyed.count] = place;
      keyed.fingerprints[keyed.count++] = fingerprint;
    };
    const scanned = this.#scan(records, hashing, messageKeys);
    for (const [place, record] of records.entries()) {
      const fingerprint = scanned(place);
      if (fingerprint !== undefined) {
        add(place, fingerprint);
        continue;
      }
      const found = this.#keyOf(record);
      const key = found instanceof Uint8Array ? found : undefined;
      const other = key ? messageKeys?.refusalOf(record, key) : (found as Other);
      if (key && other === undefined) add(place, hashing.fingerprint(key));
      else if (!onOther(other as Other, place)) break;
    }
    return keyed;
  }

  /**
   * Scans records and returns a function that looks up the fingerprint of the key at a place, unless it was not found,
   * or is not the key of the message.
   */
  #scan(
    records: readonly KafkaRecord[],
    { settings }: Hashing,
    messageKeys: MessageKeys | undefined,
  ): (place: number) => bigint | undefined {
    if (this.#scanner === undefined) return () => undefined;
    const texts = records.map((record) => (record.value === null ? null : textAt(record, this.#keys)));
    const { found, fingerprints } = this.#scanner.scan(texts, settings);
    const messageForms = messageKeys?.formsIn(records, { found, fingerprints }, settings);
    const isTaken = (place: number) => messageKeys?.takes(messageForms?.[place] ?? forms.other) ?? true;
    return (place) => (found[place] && isTaken(place) ? fingerprints[place] : undefined);
  }
}
