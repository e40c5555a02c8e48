// What tools/runtimes.mjs has prepared: the runtimes, the packed library in a folder where all of them find it, and the answers of Node.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { requires } from '../../support/platform.js';

type Runtime = { path: string } | { missing: string };

/** The answers of a runtime by the names of the calls in suite.mjs. */
export type Answers = Readonly<Record<string, unknown>>;

interface Prepared {
  folder: string;
  expected: Answers;
  runtimes: Readonly<Record<string, Runtime>>;
}

const prepared: Prepared = JSON.parse(readFileSync(process.env.FIRSTSEEN_RUNTIMES as string, 'utf8'));

/** The folder with the packed library in node_modules and with the programs that all runtimes run. */
export const libraryFolder = prepared.folder;

/** The answers of the Node that runs the tests, which those of all runtimes must equal. */
export const expectedAnswers = prepared.expected;

/** The names of all runtimes that were looked for. */
export const runtimeNames: readonly string[] = Object.keys(prepared.runtimes);

/** The path of a runtime. The current test is skipped without it. */
export function pathOf(name: string): string {
  const runtime = prepared.runtimes[name] ?? { missing: `${name} was not looked for` };
  const isThere = 'path' in runtime;
  requires(isThere, isThere ? '' : runtime.missing);
  return isThere ? runtime.path : '';
}

const run = promisify(execFile);

/** The output of a program that runs in a folder. */
export async function outputOf(folder: string, command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args, { cwd: folder, env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
  return stdout;
}

/** What program.mjs prints. */
export interface ProgramAnswers {
  own: Answers;
  given: Answers;
}
