// Does the runs of one task in its own thread.

import { parentPort, workerData } from 'node:worker_threads';
import { FirstseenError } from 'firstseen';
import type { ErrorData } from 'firstseen/internal';
import type { Measurement, RunSpec } from '../contract.js';
import { measure } from './measure.js';

/**
 * The message that a worker sends to its pool. A FirstseenError is sent as data, because an error loses its class on
 * the way.
 */
export type WorkerMessage =
  | { kind: 'progress'; elements: number }
  | { kind: 'done'; measurements: Measurement[] }
  | { kind: 'refused'; data: ErrorData }
  | { kind: 'failed'; error: unknown };

function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

try {
  const measurements = await measure(workerData as RunSpec[], {
    onProgress: (elements) => tell({ kind: 'progress', elements }),
  });
  tell({ kind: 'done', measurements });
} catch (error) {
  if (error instanceof FirstseenError) tell({ kind: 'refused', data: error.data });
  else tell({ kind: 'failed', error });
}
