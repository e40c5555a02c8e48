// Runs the command inside the test process, which also shows the error that ended it.

import { Readable, Writable } from 'node:stream';
import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';

export interface Ending {
  readonly code: number;
  /** What was written to standard error. */
  readonly message: string;
  /** The error that was thrown, if any. */
  readonly failure: unknown;
}

function writingTo(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

/** Standard input is empty, and standard output is discarded. */
export async function runHere(args: readonly string[]): Promise<Ending> {
  let message = '';
  let failure: unknown;
  // With this variable set, the command passes the caught error to console.error.
  vi.stubEnv('FIRSTSEEN_DEBUG', '1');
  const debug = vi.spyOn(console, 'error').mockImplementation((thrown) => {
    failure = thrown;
  });
  const error = writingTo((text) => {
    message += text;
  });
  try {
    const code = await runCommandLine(args, { input: Readable.from([]), output: writingTo(() => undefined), error });
    return { code, message, failure };
  } finally {
    debug.mockRestore();
    vi.unstubAllEnvs();
  }
}
