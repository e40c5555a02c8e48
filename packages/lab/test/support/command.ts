// Runs `firstseen lab` inside the test process, without another process and without threads. A test whose subject is one of these runs the
// built command instead, with `runFirstseen`.

import { vi } from 'vitest';
import type { ExperimentOptions } from '../../src/measure/run.js';

/** Measures in the test process what the command measures in threads, which load the built laboratory. */
const runTask: NonNullable<ExperimentOptions['runTask']> = async ({ specs }, { onProgress }) => {
  const { measure } = await import('../../src/measure/measure.js');
  return measure(specs, { onProgress });
};

vi.doMock('../../src/measure/run.js', async (importOriginal) => {
  const { runExperiment } = await importOriginal<typeof import('../../src/measure/run.js')>();
  const runHere: typeof runExperiment = (specs, options) => runExperiment(specs, { ...options, runTask });
  return { runExperiment: runHere };
});

/** Collects what is written to a standard stream until `restore` is called. */
function collect(stream: NodeJS.WriteStream): { text: () => string; restore: () => void } {
  let text = '';
  const listeners = stream.listeners('error');
  const write = (written: string, callback?: () => void): boolean => {
    text += written;
    callback?.();
    return true;
  };
  const spy = vi.spyOn(stream, 'write').mockImplementation(write as typeof stream.write);
  return {
    text: () => text,
    restore: () => {
      spy.mockRestore();
      // A command line adds listeners, because its process normally ends after it.
      const added = stream.listeners('error').filter((listener) => !listeners.includes(listener));
      for (const listener of added) stream.removeListener('error', listener as () => void);
    },
  };
}

export interface LabResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `firstseen lab` with these arguments, in a folder. */
export async function runLab(args: readonly string[], { cwd }: { cwd: string }): Promise<LabResult> {
  const { runLabCommand } = await import('../../src/cli/command.js');
  const before = process.cwd();
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)];
  process.chdir(cwd);
  try {
    return { code: await runLabCommand(args), stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before);
    stdout.restore();
    stderr.restore();
  }
}
