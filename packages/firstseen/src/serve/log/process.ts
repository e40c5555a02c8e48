// Compacts the log in another process, so that the server never waits for it.
//
// To start a process, the system copies the tables of the memory of the one that asks, which stops a server of 600 MiB for 19 ms. So a shell
// that is started while the server is small starts it in its place.

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Compactor, type CompactTask, PROGRESS } from './supervision.js';

const MAX_ERROR_CHARACTERS = 1000;

/** Runs a process for each line, and tells how it ended: what it wrote, a line with its exit code, and NUL. */
const SCRIPT = `while IFS= read -r task; do "$0" "$1" "$task" < /dev/null 2>&1; printf '\\n%s\\0' "$?"; done`;

type Supervision = Parameters<Compactor>[1];

function programPath(): string {
  return fileURLToPath(new URL('./compact.js', import.meta.url));
}

function withoutProgress(text: Buffer): string {
  return text.toString().replaceAll(PROGRESS, '');
}

/** The pipes of a process; none if the system could not start it. */
function pipesOf({ stdio }: ChildProcess): readonly (ChildProcess['stdio'][number] | undefined)[] {
  return (stdio as ChildProcess['stdio'] | undefined) ?? [];
}

/** Ends a process, also one that is stopped, and does not wait for it: its system may not be able to end it now. */
function endNow(child: ChildProcess): void {
  child.kill('SIGKILL');
  for (const pipe of pipesOf(child)) pipe?.destroy();
  child.unref();
}

function failure(written: string, ending: string | number | null): Error {
  return new Error(written.trim() || `the process ended with ${ending}`);
}

/** Starts the process from this one. Its last pipe ends with this process, and so does the other one (compactprocess.ts). */
const compactFromHere: Compactor = (task, { onProgress, signal }) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [programPath(), JSON.stringify(task)], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    });
    let written = '';
    child.stderr?.on('data', (text: Buffer) => {
      onProgress();
      written = (written + withoutProgress(text)).slice(0, MAX_ERROR_CHARACTERS);
    });
    signal.addEventListener('abort', () => endNow(child));
    child.on('error', reject);
    child.on('close', (code, signal) => (code === 0 ? resolve() : reject(failure(written, signal ?? code))));
  });

/** A shell that starts the processes, one at a time. */
class Launcher {
  readonly #shell: ChildProcess;
  #written = '';
  #hasEnded = false;
  #settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #onProgress: () => void = () => undefined;

  constructor() {
    const stdio: StdioOptions = ['pipe', 'pipe', 'ignore', 'pipe'];
    // A group of its own, with the processes that it starts, which are ended together.
    this.#shell = spawn('/bin/sh', ['-c', SCRIPT, process.execPath, programPath()], { stdio, detached: true });
    this.#shell.stdout?.on('data', (text: Buffer) => this.#read(text));
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.on('error', ({ message }) => this.#end(message));
    this.#shell.on('exit', () => this.#end());
    this.#shell.unref();
    this.#hold(false);
  }

  /** Keeps this process while a task is done, and only then: a server that stops waits for its snapshots, and not for the shell. */
  #hold(isBusy: boolean): void {
    for (const pipe of pipesOf(this.#shell) as readonly (Partial<Pick<Socket, 'ref' | 'unref'>> | null)[]) {
      if (isBusy) pipe?.ref?.();
      else pipe?.unref?.();
    }
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  compact(task: CompactTask, { onProgress, signal }: Supervision): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#onProgress = onProgress;
      signal.addEventListener('abort', () => this.#kill());
      this.#hold(true);
      this.#shell.stdin?.write(`${JSON.stringify(task)}\n`);
    });
  }

  #read(text: Buffer): void {
    this.#onProgress();
    this.#written += withoutProgress(text);
    if (!this.#written.endsWith('\0')) return;
    const [, written = '', code] = /^(.*)\n([0-9]+)\0$/s.exec(this.#written) ?? [];
    this.#written = '';
    this.#hold(false);
    if (code === '0') this.#settle?.resolve();
    else this.#settle?.reject(failure(written.slice(0, MAX_ERROR_CHARACTERS), code ?? 'no code'));
    this.#settle = undefined;
  }

  /** Ends it and what it has started, also what is stopped. */
  #kill(): void {
    const { pid } = this.#shell;
    // Its number may be another's.
    if (this.#hasEnded || pid === undefined) return;
    process.kill(-pid, 'SIGKILL');
    this.#end();
  }

  /** Ends the launcher. The process that it has started ends too. */
  #end(cause = ''): void {
    this.#hasEnded = true;
    for (const pipe of pipesOf(this.#shell)) pipe?.destroy();
    this.#settle?.reject(failure(cause, 'the shell that started it'));
    this.#settle = undefined;
  }
}

/**
 * Returns a function that runs compactprocess.ts, one task at a time. Make it while this process has little memory. The
 * tasks end when this process does.
 */
export function launchCompactor(): Compactor {
  if (process.platform === 'win32') return compactFromHere;
  const launcher = new Launcher();
  // Where there is no shell, or it has ended.
  return (task, supervision) =>
    launcher.hasEnded ? compactFromHere(task, supervision) : launcher.compact(task, supervision);
}
