// Runs the command inside the test process. Collects its exit code, its message and the error that caused it, and writes
// nothing to the real standard error.

import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';

export interface Ending {
  readonly code: number;
  /** What was written to standard error. */
  readonly message: string;
  /** The error that was thrown, if any. */
  readonly failure: unknown;
}

export async function runHere(args: readonly string[]): Promise<Ending> {
  let message = '';
  let failure: unknown;
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    message += text;
    return true;
  });
  // Each message adds an error listener, because the command normally exits after its first message. Node warns when
  // there are many, so they are removed below.
  const streams = [process.stdout, process.stderr] as const;
  const listeners = streams.map((stream) => stream.listeners('error'));
  // With this variable set, the command passes the caught error to console.error.
  vi.stubEnv('FIRSTSEEN_DEBUG', '1');
  const debug = vi.spyOn(console, 'error').mockImplementation((thrown) => {
    failure = thrown;
  });
  try {
    const code = await runCommandLine(args);
    return { code, message, failure };
  } finally {
    for (const [i, stream] of streams.entries()) {
      const added = stream.listeners('error').filter((listener) => !listeners[i]?.includes(listener));
      for (const listener of added) stream.removeListener('error', listener as () => void);
    }
    stderr.mockRestore();
    debug.mockRestore();
    vi.unstubAllEnvs();
  }
}
