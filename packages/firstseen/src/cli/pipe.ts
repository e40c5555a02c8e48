// What `firstseen pipe` does: frames of standard input are answered on standard output.

import { isatty } from 'node:tty';
import { FirstseenError } from '../base/errors.js';
import { outputDescriptor, standardStreams } from '../io/system/standardstreams.js';
import { isPipe, readDescriptor, readStream } from '../pipe/input.js';
import { type PipeOptions, runPipe } from '../pipe/pipe.js';
import { packageVersion } from './commandline.js';
import { endUnread, Interrupted, type StopListener } from './signals.js';

/** The descriptor of standard input. */
const STDIN = 0;

/** @throws FirstseenError E_USAGE at a terminal */
function checkStarted(stdout: number): void {
  if (!(isatty(STDIN) || isatty(stdout))) return;
  throw new FirstseenError('E_USAGE', 'pipe reads and writes frames, but a standard stream is a terminal', {
    remedy: 'start it from a program, as docs/PIPE.md says',
  });
}

/** Returns the function that reads standard input: that of the process, unless a caller gave streams. */
function reading(): PipeOptions['read'] {
  const stdout = outputDescriptor();
  if (stdout !== undefined) checkStarted(stdout);
  if (stdout !== undefined && isPipe(STDIN)) return (receiver) => readDescriptor(STDIN, receiver);
  return (receiver) => readStream(standardStreams().input, receiver);
}

/** Answers frames until standard input ends. @throws FirstseenError as `runPipe`; Interrupted after a signal */
export async function pipeDetectors(stop: StopListener): Promise<void> {
  const { output } = standardStreams();
  const { signal } = stop;
  const read = reading();
  try {
    await runPipe({ read, output, version: packageVersion(), signal });
  } finally {
    stop.close();
  }
  const received = stop.received();
  if (received === undefined) return;
  endUnread();
  throw new Interrupted(received, 'after the last request that was answered');
}
