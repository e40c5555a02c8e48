// `firstseen kafka` as a process that can be killed and stopped.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf, signal } from '../../tools/processes.mjs';

const STOP_MILLISECONDS = 30_000;

export class Worker {
  #output = '';
  #ended;

  constructor(child) {
    this.child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (this.#output += chunk));
  }

  /** Starts a worker. It is ready later. */
  static start({ main, flags }) {
    const args = [main, 'kafka', '--http-port', '0', ...flags];
    return new Worker(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get output() {
    return this.#output;
  }

  get hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** The processes that it started, and theirs. */
  get descendants() {
    const children = childrenOf(this.child.pid);
    return [...children, ...children.flatMap(childrenOf)];
  }

  /** The numbers of its metrics by name and labels; none when it does not answer. */
  async metrics() {
    const port = /^http: \S+:([0-9]+)/m.exec(this.#output)?.[1];
    if (port === undefined) return new Map();
    try {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return new Map([...text.matchAll(/^([a-z][^ ]*) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));
    } catch {
      return new Map();
    }
  }

  pause() {
    this.child.kill('SIGSTOP');
  }

  resume() {
    this.child.kill('SIGCONT');
  }

  /** Kills it, and what it started, unless `isAlone`. */
  async kill({ isAlone = false } = {}) {
    const descendants = isAlone ? [] : this.descendants;
    this.child.kill('SIGKILL');
    for (const pid of descendants) signal(pid, 'SIGKILL');
    await this.#ended;
  }

  /** Waits for its end. @returns its exit code */
  async ended() {
    const [code] = await this.#ended;
    return code;
  }

  /** Asks it to stop. @returns its exit code */
  async stop() {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MILLISECONDS);
    const code = await this.ended();
    clearTimeout(timer);
    return code;
  }
}
