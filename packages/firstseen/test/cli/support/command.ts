// Runs the built command as a separate process.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const mainPath = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export interface CommandOptions {
  cwd: string;
  /** The pieces to write to standard input, which is then closed. The input is empty if this is absent. */
  stdin?: readonly Uint8Array[];
  env?: Readonly<Record<string, string>>;
}

export interface CommandResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: string;
}

/** Starts the command with pipes for its standard streams. */
export function startFirstseen(
  args: readonly string[],
  { cwd, env = {} }: Pick<CommandOptions, 'cwd' | 'env'>,
): ChildProcess & { stdin: NodeJS.WritableStream; stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, [mainPath, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // If the command exits before it has read everything, writes to the pipe fail.
  child.stdin.on('error', () => {});
  return child;
}

/** Collects the outputs of a process until it ends. */
export function finished(child: ReturnType<typeof startFirstseen>): Promise<CommandResult> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
    );
  });
}

/** Whether a process sleeps, and the processor time that it has used so far. */
function activityOf({ pid }: ChildProcess): { isAsleep: boolean; ticks: number } {
  // The program name, in parentheses, may contain spaces. The text after it starts with the third field of proc(5).
  const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return { isAsleep: state === 'S', ticks: Number(fields[10]) + Number(fields[11]) };
}

/** Waits until a started command is idle because it waits for the other end of a pipe. */
export async function waiting(child: ChildProcess): Promise<void> {
  if (process.platform !== 'linux') return sleep(3000);
  let quietRounds = 0;
  for (let last = -1; quietRounds < 8; ) {
    await sleep(50);
    const { isAsleep, ticks } = activityOf(child);
    quietRounds = isAsleep && ticks === last ? quietRounds + 1 : 0;
    last = ticks;
  }
}

export async function runFirstseen(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const child = startFirstseen(args, options);
  const result = finished(child);
  for (const piece of options.stdin ?? []) {
    if (!child.stdin.write(piece))
      await new Promise((resolve) => child.stdin.once('drain', resolve).once('close', resolve));
  }
  child.stdin.end();
  return result;
}

/** Creates a folder that is removed after the current test. A concurrent test must pass its own `onTestFinished`. */
export function temporaryFolder(whenFinished: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'firstseen-test-'));
  // A snapshot that a stopped worker is still writing may add a file meanwhile.
  whenFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}
