// Finds the keys of the lines of a scan that the kernel has framed, and lets it hash them.

import type { Kernel } from '../kernel/kernel.js';
import { recordClasses } from '../records/classes.js';
import { withoutTerminator } from '../records/formats.js';
import type { LineKeys } from '../records/linekeys.js';

/** Gives the first `recordCount` records of a scan their keys, if the kernel has not. */
export function findLineKeys(
  { bytes, exports, recordStarts, recordEnds, recordClasses: classCodes }: Kernel,
  keys: LineKeys | undefined,
  recordCount: number,
): void {
  if (!keys) return;
  const places = new Uint32Array(2 * keys.partCount);
  for (let i = 0; i < recordCount; i++) {
    if (classCodes[i] !== recordClasses.KEYED.code) continue;
    const start = recordStarts[i] as number;
    if (!keys.find(withoutTerminator(bytes.subarray(start, recordEnds[i])), places)) {
      exports.scanNoKey(i);
      continue;
    }
    for (let part = 0; part < keys.partCount; part++) {
      exports.scanPart(part, start + (places[2 * part] as number), start + (places[2 * part + 1] as number));
    }
    exports.scanLineKey(i);
  }
}
