// Records of several partitions, as batches have them.

import type { KafkaRecord } from '../../io/kafka/contract.js';

/** Records by their partitions, each in their order. */
export function byPartition(records: readonly KafkaRecord[]): Map<number, KafkaRecord[]> {
  const lists = new Map<number, KafkaRecord[]>();
  for (const record of records) {
    const list = lists.get(record.partition);
    if (list) list.push(record);
    else lists.set(record.partition, [record]);
  }
  return lists;
}
