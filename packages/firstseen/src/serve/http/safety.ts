// When a change may be made, and when its reply may be sent: as for commands of Redis.

import { BATCH_CAPACITY } from '../../kernel/abi.js';
import { maxLoggedBytes } from '../log/records.js';
import { logProblemText } from '../operations/errortexts.js';
import type { ServerState } from '../session.js';
import { HttpProblem } from './problem.js';

type Changing = Pick<ServerState, 'data'>;
type Counting = Pick<ServerState, 'data' | 'counts'>;

/** The most that a piece of a body logs. An empty line is a key, and so is what an earlier piece began. */
export function maxLoggedByPiece(bytes: number): number {
  const elements = bytes + 1;
  return maxLoggedBytes({ records: Math.ceil(elements / BATCH_CAPACITY) + 1, elements, textBytes: 0 });
}

/**
 * Waits until a detector may be changed.
 * @param bytes the most that the change logs
 * @throws HttpProblem E_LOG while the log cannot be written
 */
export async function untilChangeable({ data, counts }: Counting, bytes: number): Promise<void> {
  for (;;) {
    const problem = data?.problemOfChange(bytes);
    if (problem !== undefined) {
      counts.refusedChanges++;
      const text = `the log cannot be written (${logProblemText(problem)}), so this change was not made`;
      throw new HttpProblem('E_LOG', text);
    }
    const pause = data?.pause;
    if (pause === undefined) return;
    await pause;
  }
}

/** Waits until a detector may be asked: a question moves the time of a window. */
export async function untilAskable({ data }: Changing): Promise<void> {
  while (data?.isSaving) await data.pause;
}

/** Resolves once all changes so far are as safe as they have to be. @param usesDetectors as in `Journal.whenSafe` */
export function untilSafe({ data }: Changing, usesDetectors: boolean): Promise<void> {
  return new Promise((resolve) => {
    if (!data?.whenSafe(resolve, usesDetectors)) resolve();
  });
}
