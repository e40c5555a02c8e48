// The times that the scanner finds in records.

import { recordClasses } from '../../../src/records/classes.ts';
import type { ScanSettings } from '../../../src/records/settings.ts';
import type { ScanHost } from './scan-host.ts';

/** The time of each record, or the class of a record that is not keyed. With cuts, the times of earlier scans are gone, and all are 0. */
export function timesIn(
  host: ScanHost,
  text: string,
  settings: ScanSettings,
  cuts: readonly number[] = [],
): (number | string | undefined)[] {
  const records = host.scan(new TextEncoder().encode(text), settings, cuts);
  return records.map((record, i) => {
    if (record.class === recordClasses.KEYED.code) return cuts.length > 0 ? 0 : host.kernel.times[i];
    return Object.entries(recordClasses).find(([, { code }]) => code === record.class)?.[0];
  });
}
