// What `firstseen pipe` does: frames of standard input are answered on standard output.

import { FirstseenError } from '../base/errors.js';
import { standardStreams } from '../io/system/standardstreams.js';
import { runPipe } from '../pipe/pipe.js';
import { packageVersion } from './commandline.js';
import { endUnread, Interrupted, type StopListener } from './signals.js';

/** @throws FirstseenError E_USAGE at a terminal */
function checkStarted(streams: readonly object[]): void {
  if (!streams.some((stream) => 'isTTY' in stream && stream.isTTY)) return;
  throw new FirstseenError('E_USAGE', 'pipe reads and writes frames, but a standard stream is a terminal', {
    remedy: 'start it from a program, as docs/PIPE.md says',
  });
}

/** Answers frames until standard input ends. @throws FirstseenError as `runPipe`; Interrupted after a signal */
export async function pipeDetectors(stop: StopListener): Promise<void> {
  const { input, output } = standardStreams();
  checkStarted([input, output]);
  try {
    await runPipe({ input, output, version: packageVersion(), signal: stop.signal });
  } finally {
    stop.close();
  }
  const signal = stop.received();
  if (signal === undefined) return;
  endUnread();
  throw new Interrupted(signal, 'after the last request that was answered');
}
