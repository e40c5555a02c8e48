// Before each file of the project `pure`: a start of a process throws. Many files share one process there, and each has a few seconds of
// processor time.

import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'vitest';

const starts = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const;

for (const start of starts) {
  childProcess[start] = (() => {
    const file = expect.getState().testPath ?? 'this file';
    throw new Error(
      `${start} of node:child_process is called by ${file}, but tests of the project pure start no process; name the file X.process.test.ts, or move it into one of the folders cli, docs, examples and package`,
    );
  }) as never;
}
syncBuiltinESMExports();
