// Writes text to the standard streams.

import { outputError, STANDARD_OUTPUT } from '../io/sink.js';
import { standardStreams } from '../io/system/standardstreams.js';

/**
 * Writes text to standard output.
 * @throws OutputClosed when its reader has closed it; FirstseenError E_OUTPUT when it cannot be written.
 */
export function writeOutput(text: string): Promise<void> {
  const { output } = standardStreams();
  return new Promise((resolve, reject) => {
    // A failed write is also emitted as an event, which would end the process without a listener.
    output.once('error', (error) => reject(outputError(STANDARD_OUTPUT, error)));
    output.write(text, (error) => (error ? reject(outputError(STANDARD_OUTPUT, error)) : resolve()));
  });
}

/** A failure to write a message cannot be reported. */
const ignore = () => undefined;

/** Writes what a command that runs on says at its start. It does not wait for a reader that stops, and goes on without one that has gone. */
export function writeGreeting(text: string): void {
  writeOutput(text).catch(ignore);
}

/** Writes a line to standard error. */
export function writeMessage(text: string): void {
  const { error } = standardStreams();
  // Once only: a server writes messages as long as it runs.
  if (!error.listeners('error').includes(ignore)) error.on('error', ignore);
  error.write(`${text}\n`);
}
