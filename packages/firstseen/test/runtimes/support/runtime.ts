// What tools/runtimes.mjs has fetched, and the packed library in a folder where all runtimes find it.

import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { install, packed } from '../../support/packed.js';
import { requires } from '../../support/platform.js';

type Found = { path: string } | { missing: string };

const found: Readonly<Record<string, Found>> = JSON.parse(
  readFileSync(process.env.FIRSTSEEN_RUNTIMES as string, 'utf8'),
);

/** The names of all runtimes that were looked for. */
export const runtimeNames: readonly string[] = Object.keys(found);

/** The path of a runtime. The current test is skipped without it. */
export function pathOf(name: string): string {
  const runtime = found[name] ?? { missing: `${name} was not looked for` };
  const isThere = 'path' in runtime;
  requires(isThere, isThere ? '' : runtime.missing);
  return isThere ? runtime.path : '';
}

export interface Installed {
  /** A folder with the packed library in node_modules and with the programs of this folder. */
  folder: string;
  remove: () => void;
}

/** Packs and installs the library. */
export function installed(): Installed {
  const parent = mkdtempSync(join(tmpdir(), 'firstseen-runtimes-'));
  const folder = join(parent, 'program');
  install(folder, packed('firstseen').path);
  for (const name of ['suite.mjs', 'program.mjs'])
    copyFileSync(join(import.meta.dirname, '..', name), join(folder, name));
  return { folder, remove: () => rmSync(parent, { recursive: true, force: true }) };
}

const run = promisify(execFile);

/** The output of a program that runs in a folder. */
export async function outputOf(folder: string, command: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(command, args, { cwd: folder, env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } });
  return stdout;
}

/** The answers of a runtime by the names of the calls in suite.mjs. */
export type Answers = Readonly<Record<string, unknown>>;

/** What program.mjs prints. */
export interface ProgramAnswers {
  own: Answers;
  given: Answers;
}

/** The answers of the Node that runs the tests, which those of all runtimes must equal. */
export async function expectedAnswers({ folder }: Installed): Promise<Answers> {
  const { own }: ProgramAnswers = JSON.parse(await outputOf(folder, process.execPath, 'program.mjs'));
  return own;
}
