// Before each file of tests: counts the processes that the file starts, for tools/tests/reporter.mjs. What those processes start themselves is
// not counted, so a shell that runs three commands counts once.

import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterFile } from './afterfile.js';

declare module 'vitest' {
  interface TaskMeta {
    /** The processes that the file started. */
    starts?: number;
  }
}

/** The place of the counter of this process. A worker that runs many files runs this one again before each. */
const COUNTER = Symbol.for('firstseen.test.starts');
type Counted = { [COUNTER]?: { starts: number } };

/** Counts the calls of a method of `owner` from now on. */
function countCalls(owner: object, name: string, counter: { starts: number }): void {
  const methods = owner as Record<string, (...args: unknown[]) => unknown>;
  const method = methods[name] as (...args: unknown[]) => unknown;
  methods[name] = function (this: unknown, ...args: unknown[]) {
    counter.starts++;
    return method.apply(this, args);
  };
}

function begin(): { starts: number } {
  const counter = { starts: 0 };
  // What does not wait for its process ends here: exec, execFile, fork and spawn.
  countCalls(ChildProcess.prototype, 'spawn', counter);
  for (const name of ['execFileSync', 'execSync', 'spawnSync']) countCalls(childProcess, name, counter);
  syncBuiltinESMExports();
  return counter;
}

const place = globalThis as Counted;
place[COUNTER] ??= begin();
const counter = place[COUNTER];
const before = counter.starts;

afterFile((meta) => {
  meta.starts = counter.starts - before;
});
