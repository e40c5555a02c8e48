// A program of examples/services in a process of its own, with its folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryFolder } from '../../support/folders.js';

/** What the AWS SDK reads from the environment. */
const credentials = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };

export class Service {
  readonly #child: ChildProcess;
  #printed = '';
  readonly #ended: Promise<unknown>;

  constructor(program: string, args: readonly string[]) {
    const file = join(repositoryFolder, 'examples/services', program);
    this.#child = spawn(process.execPath, [file, ...args], {
      env: { ...process.env, ...credentials },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const collect = (chunk: Buffer) => {
      this.#printed += chunk.toString();
    };
    this.#child.stdout?.on('data', collect);
    this.#child.stderr?.on('data', collect);
    this.#ended = once(this.#child, 'close');
  }

  /** The port that it printed. */
  async port(): Promise<number> {
    await this.until(() => /listening on \d+\n/.test(this.#printed));
    return Number(/listening on (\d+)/.exec(this.#printed)?.[1]);
  }

  /** Waits for a condition. Fails if the program ends before. */
  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`the program ended: ${this.#printed}`);
      await sleep(2);
    }
  }

  /** Kills the program with SIGKILL, which it cannot handle. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}

/** The lines of a file that may not exist yet, without a last one that is not complete. */
export function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}
