// Reads messages: finds their records, and hashes the keys of them. Those in JSON are found by the kernel's scanner, the others one by one.

import type { KafkaRecord } from '../../io/kafka/contract.js';
import { DROPPED } from '../../records/keyof.js';
import { BatchReader } from './batches.js';
import { type KeyFound, type KeyOptions, keyFinder, locationOf, textAt } from './keys.js';
import { forms, MessageKeys } from './messagekeys.js';
import { emptyRecords, type Hashing, kinds, type ReadMessages, type ReadOptions, type Reads } from './records.js';
import { KeyScanner } from './scanning.js';

export interface SingleOptions {
  keys: KeyOptions;
  /** Finds keys in JSON faster; the keys are the same without it. */
  scanner?: KeyScanner | undefined;
  /** Checks the keys of the messages that are emitted. */
  messageKeys?: MessageKeys | undefined;
}

/** Reads messages that are one record each. */
export class SingleReader implements Reads {
  readonly #options: SingleOptions;
  readonly #keyOf: (record: KafkaRecord) => KeyFound;

  constructor(options: SingleOptions) {
    this.#options = options;
    this.#keyOf = keyFinder(options.keys);
  }

  read(messages: readonly KafkaRecord[], hashing: Hashing, { topic, isReplay }: ReadOptions): ReadMessages {
    const messageKeys = isReplay ? undefined : this.#options.messageKeys;
    const records = emptyRecords(messages.length);
    const { owners, ends, fingerprints } = records;
    const scanned = this.#scan(messages, hashing, messageKeys);
    for (const [number, message] of messages.entries()) {
      let fingerprint = scanned(number);
      if (fingerprint === undefined) {
        const key = this.#keyOf(message);
        const isKey = key instanceof Uint8Array;
        const refusal = isKey ? messageKeys?.refusalOf(message, key) : key;
        if (typeof refusal === 'object' && !isReplay) {
          return { records, taken: number, failure: refusal.at(locationOf(topic, message)) };
        }
        if (isKey) fingerprint = hashing.fingerprint(key);
        else if (key !== DROPPED) continue;
      }
      const i = records.count++;
      owners[i] = number;
      ends[i] = message.value?.length ?? 0;
      if (fingerprint === undefined) records.kinds[i] = kinds.dropped;
      else fingerprints[i] = fingerprint;
    }
    return { records, taken: messages.length };
  }

  /**
   * Scans messages and returns a function that looks up the fingerprint of the key of one, unless it was not found, or is not the key of the
   * message.
   */
  #scan(
    messages: readonly KafkaRecord[],
    { settings }: Hashing,
    messageKeys: MessageKeys | undefined,
  ): (number: number) => bigint | undefined {
    const { scanner, keys } = this.#options;
    if (scanner === undefined) return () => undefined;
    const texts = messages.map((message) => (message.value === null ? null : textAt(message, keys)));
    const { isFound, fingerprints } = scanner.scan(texts, settings);
    const messageForms = messageKeys?.formsIn(messages, { isFound, fingerprints }, settings);
    const isTaken = (number: number) => messageKeys?.takes(messageForms?.[number] ?? forms.other) ?? true;
    return (number) => (isFound[number] && isTaken(number) ? fingerprints[number] : undefined);
  }
}

/**
 * Opens a reader of messages, for all partitions of a worker.
 * @param checksMessageKeys whether the key of each message that is emitted has to be the key that is compared
 * @throws FirstseenError E_MEMORY when the machine does not grant the memory
 */
export async function openReader(keys: KeyOptions, checksMessageKeys = false): Promise<Reads> {
  if (keys.isBatch) return BatchReader.open(keys);
  const scanner = keys.format === 'ndjson' ? await KeyScanner.open(keys) : undefined;
  return new SingleReader({
    keys,
    scanner,
    messageKeys: checksMessageKeys ? new MessageKeys(keys, scanner) : undefined,
  });
}
