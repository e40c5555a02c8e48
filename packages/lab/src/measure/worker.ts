// Does the runs of one task in a thread of its own.

import { parentPort, workerData } from 'node:worker_threads';
import { FirstseenError } from 'firstseen';
import type { Measurement, RunSpec } from '../contract.js';
import { measure } from './measure.js';

/** What a worker tells its pool. Errors lose their class on the way, so their code goes beside them. */
export type WorkerMessage =
  | { kind: 'progress'; elements: number }
  | { kind: 'done'; measurements: Measurement[] }
  | { kind: 'failed'; error: unknown; code?: FirstseenError['code'] };

function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

try {
  const measurements = await measure(workerData as RunSpec[], {
    onProgress: (elements) => tell({ kind: 'progress', elements }),
  });
  tell({ kind: 'done', measurements });
} catch (error) {
  tell({ kind: 'failed', error, ...(error instanceof FirstseenError ? { code: error.code } : {}) });
}
