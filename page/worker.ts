// The worker: makes a trial, feeds it at the pace that was asked for, and reports.

import { defaultFamily, offeredFamilies } from './families.js';
import type { Report, Request } from './messages.js';
import { Run } from './run.js';

let run: Run | undefined;
let isRunning = true;
let recordsPerSecond = Number.POSITIVE_INFINITY;
let latest = 0;

function post(report: Report): void {
  self.postMessage(report);
}

async function start(request: Extract<Request, { kind: 'start' }>): Promise<void> {
  const { trial } = request;
  latest = trial;
  run?.stop();
  run = undefined;
  try {
    const started = await Run.create(request, post);
    if (latest !== trial) return;
    run = started;
    run.setPace(recordsPerSecond);
    run.setRunning(isRunning);
  } catch (error) {
    if (latest === trial)
      post({ kind: 'problem', trial, message: error instanceof Error ? error.message : `${error}` });
  }
}

addEventListener('message', ({ data }: MessageEvent<Request>) => {
  switch (data.kind) {
    case 'start':
      void start(data);
      break;
    case 'run':
      isRunning = data.isRunning;
      run?.setRunning(isRunning);
      break;
    case 'pace':
      recordsPerSecond = data.recordsPerSecond;
      run?.setPace(recordsPerSecond);
      break;
  }
});

void defaultFamily().then((automatic) => post({ kind: 'ready', families: offeredFamilies, automatic }));
