// What observes the records of a partition: one record in each message, or many.

import { BatchReader } from '../messages/batches.js';
import type { KeyOptions } from '../messages/keys.js';
import type { MessageKeys } from '../messages/messagekeys.js';
import { KeyScanner } from '../messages/scanning.js';
import { BatchObserving } from './batchobserving.js';
import { type Observes, Observing, type ObservingOptions } from './observing.js';

/** The scanner that finds keys for all partitions of a worker; undefined where each is found by itself. */
export type Scanning = KeyScanner | BatchReader | undefined;

export interface ObserverOptions extends Omit<ObservingOptions, 'scanner'> {
  scanner: Scanning;
  messageKeys?: MessageKeys | undefined;
}

/** @throws FirstseenError E_MEMORY when the machine does not grant the memory */
export async function scannerFor(keys: KeyOptions): Promise<Scanning> {
  if (keys.isBatch) return BatchReader.open(keys);
  return keys.format === 'ndjson' ? KeyScanner.open(keys) : undefined;
}

export function observerOf({ scanner, ...options }: ObserverOptions): Observes {
  return scanner instanceof BatchReader
    ? new BatchObserving({ ...options, reader: scanner })
    : new Observing({ ...options, scanner });
}
