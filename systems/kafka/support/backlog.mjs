// A backlog: hours of records in all partitions of a topic, written in a moment.

import { writeRecords } from './records.mjs';

const HOUR_MILLISECONDS = 3_600_000;
/** Each identifier comes again after this time. */
const REPEAT_MILLISECONDS = 1_200_000;

/** The partition, time and identifier of each record, in the order of the times. The last ones are an hour old. */
function recordsOf({ partitions, hours, keysPerHour }) {
  const begin = Date.now() - (hours + 1) * HOUR_MILLISECONDS;
  const records = [];
  for (let id = 0; id < hours * keysPerHour; id++) {
    const time = begin + Math.floor((id * HOUR_MILLISECONDS) / keysPerHour);
    const partition = (id * 7919) % partitions;
    records.push({ id, partition, time });
    records.push({ id, partition: (partition + 1) % partitions, time: time + REPEAT_MILLISECONDS });
  }
  return records.sort((one, other) => one.time - other.time);
}

/**
 * Writes identifiers, each of them once more in another partition 20 minutes later.
 * @param connection as of `writeRecords`
 * @param load partitions, hours, keysPerHour
 * @returns the number of identifiers
 */
export async function writeBacklog(connection, topic, load) {
  await writeRecords(connection, topic, recordsOf(load));
  return load.hours * load.keysPerHour;
}
