// A process that writes snapshots and makes no progress is given up: it stands still, or its disk does.

import { formatCounted } from '../../base/count.js';
import type { WorkBeside } from '../../io/system/priority.js';
import type { CompactOptions } from './compact.js';

/** The work of another process, which writes new snapshots from the log. */
export type CompactTask = Omit<CompactOptions, 'checksum' | 'onProgress'> & WorkBeside;

/** The byte by which the process tells its progress, in its errors. */
export const PROGRESS = '\x01';

/** Does a task. It tells its progress, and is ended by the signal. */
export type Compactor = (
  task: CompactTask,
  supervision: { onProgress: () => void; signal: AbortSignal },
) => Promise<void>;

/** Time between two looks at the progress. They are counted, so that a machine that was asleep has not waited. */
const LOOK_MILLISECONDS = 1000;
/** Looks without progress after which it is given up; fewer when the server stops. */
const [MAX_LOOKS, MAX_LAST_LOOKS] = [60, 5];

/** The error for a process that made no progress. */
export class Stalled extends Error {
  constructor(looks: number) {
    super(`the process that writes snapshots made no progress for ${formatCounted(looks, 'second')}, and was killed`);
  }
}

/** Compacts, one task at a time, as long as there is progress. */
export class SupervisedCompactor {
  readonly #compactor: Compactor;
  #maxLooks = MAX_LOOKS;

  constructor(compactor: Compactor) {
    this.#compactor = compactor;
  }

  /** Waits less from now on: the server stops, and the log has all that snapshots would have. */
  hurry(): void {
    this.#maxLooks = MAX_LAST_LOOKS;
  }

  /** @throws Stalled, and what the compactor throws */
  async compact(task: CompactTask): Promise<void> {
    const controller = new AbortController();
    let looks = 0;
    const onProgress = () => {
      looks = 0;
    };
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_resolve, reject) => {
      timer = setInterval(() => {
        if (++looks < this.#maxLooks) return;
        const error = new Stalled(looks);
        reject(error);
        controller.abort(error);
      }, LOOK_MILLISECONDS);
    });
    try {
      // A process that the system cannot end is not waited for.
      await Promise.race([this.#compactor(task, { onProgress, signal: controller.signal }), stalled]);
    } finally {
      clearInterval(timer);
    }
  }
}
