// Writes text to the standard streams.

import { outputError, STANDARD_OUTPUT } from '../io/sink.js';

/**
 * Writes text to standard output.
 * @throws OutputClosed when its reader has closed it; FirstseenError E_OUTPUT when it cannot be written.
 */
export function writeOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // A failed write is also emitted as an event, which would end the process without a listener.
    process.stdout.once('error', (error) => reject(outputError(STANDARD_OUTPUT, error)));
    process.stdout.write(text, (error) => (error ? reject(outputError(STANDARD_OUTPUT, error)) : resolve()));
  });
}

/** Writes a line to standard error. A failure there cannot be reported. */
export function writeMessage(text: string): void {
  process.stderr.once('error', () => {});
  process.stderr.write(`${text}\n`);
}
