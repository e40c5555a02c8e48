// The command in this process: its exit code, its message and the error behind it, without a word on the real standard error.

import { vi } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';

export interface Ending {
  readonly code: number;
  /** What was written to standard error. */
  readonly message: string;
  /** What was thrown; undefined when nothing was. */
  readonly failure: unknown;
}

export async function runHere(args: readonly string[]): Promise<Ending> {
  let message = '';
  let failure: unknown;
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    message += text;
    return true;
  });
  // Each message leaves a listener behind, as the command ends with its first; Node would warn of many.
  const streams = [process.stdout, process.stderr] as const;
  const listeners = streams.map((stream) => stream.listeners('error'));
  // With this variable the command hands what it caught to console.error.
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
