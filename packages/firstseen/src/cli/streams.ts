// Text for people on the standard streams.

import { FirstseenError } from '../errors.js';
import { OutputClosed } from '../run/output/contract.js';

function outputError(cause: NodeJS.ErrnoException): Error {
  if (cause.code === 'EPIPE') return new OutputClosed();
  return new FirstseenError('E_OUTPUT', `standard output cannot be written: ${cause.message}`, { cause });
}

/**
 * Writes text to standard output.
 * @throws OutputClosed when its reader has gone; FirstseenError E_OUTPUT when it cannot be written.
 */
export function writeOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // A failed write is also emitted as an event, which would end the process if nobody listened.
    process.stdout.once('error', (error) => reject(outputError(error)));
    process.stdout.write(text, (error) => (error ? reject(outputError(error)) : resolve()));
  });
}

/** Writes a line to standard error. Nobody could be told of a failure there. */
export function writeMessage(text: string): void {
  process.stderr.once('error', () => {});
  process.stderr.write(`${text}\n`);
}
