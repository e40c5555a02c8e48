// What a run tells besides its counts.

import { formatCounted } from '../count.js';
import type { RunPlan } from './resolve.js';

/** @param waiting the inputs that end inside a record, and the bytes of it */
export function noticesOf(
  { isDone, replaced }: Pick<RunPlan, 'isDone' | 'replaced'>,
  waiting: ReadonlyMap<string, number>,
): string[] {
  const notices: string[] = [];
  if (isDone)
    notices.push('this run was finished before, and its inputs have not changed; the outputs are left as they are');
  for (const name of replaced) {
    notices.push(
      `${name} is another file than before, and the earlier file was not found; what was appended to that one later is not read`,
    );
  }
  for (const [name, bytes] of waiting) {
    notices.push(`${name} ends inside a record; its last ${formatCounted(bytes, 'byte')} wait for the next run`);
  }
  return notices;
}
