// What process groups take, as Linux tells it. A group is that of a process which was started detached.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of the times in /proc, in Hz. It is the same on all machines. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;
/** The fields of /proc/PID/stat after the name of the program, which can contain blanks. */
const FIELD = { group: 2, firstTime: 11, endTime: 15, residentPages: 21 };

/** The fields of /proc/PID/stat of the processes of a group. */
function statsOf(group) {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const text = readFileSync(join('/proc', name, 'stat'), 'utf8');
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      return fields[FIELD.group] === group ? [fields] : [];
    } catch {
      // The process has ended since it was listed.
      return [];
    }
  });
}

/** The time of the processor that a process group has taken, with what its ended children have. */
function processorTicks({ group }) {
  const ticks = statsOf(group).flatMap((fields) => fields.slice(FIELD.firstTime, FIELD.endTime));
  return ticks.reduce((sum, each) => sum + each, 0);
}

/** The seconds of the processor that a server takes for some work. Less than a tick counts as one. */
export async function processorSeconds(server, work) {
  const before = processorTicks(server);
  await work();
  return Math.max(1, processorTicks(server) - before) / TICKS_PER_SECOND;
}

/** What a process group has in memory, in bytes. */
export function residentBytes({ group }) {
  return PAGE_BYTES * statsOf(group).reduce((sum, fields) => sum + fields[FIELD.residentPages], 0);
}
