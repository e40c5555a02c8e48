// What a run tells besides its counts.

import { formatCounted } from '../count.js';
import type { RunPlan } from './resolve.js';

/** @param waitingBytes bytes of unfinished records at the ends of inputs */
export function noticesOf({ isDone, replaced }: Pick<RunPlan, 'isDone' | 'replaced'>, waitingBytes: number): string[] {
  const notices: string[] = [];
  if (isDone)
    notices.push('this run was finished before, and its inputs have not changed; the outputs are left as they are');
  for (const name of replaced) {
    notices.push(
      `${name} is another file than before, and the earlier file was not found; what was appended to that one later is not read`,
    );
  }
  if (waitingBytes > 0) {
    notices.push(
      `an input ends inside a record; its last ${formatCounted(waitingBytes, 'byte')} wait for the next run`,
    );
  }
  return notices;
}
