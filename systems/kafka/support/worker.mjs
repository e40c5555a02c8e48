// `firstseen kafka` as a process that can be killed and stopped.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { childrenOf, signal } from '../../../tools/processes.mjs';

const STOP_MILLISECONDS = 30_000;
const POSITION = /^firstseen_kafka_position_offset\{partition="([0-9]+)"\}$/;

export class Worker {
  #output = '';
  #ended;

  constructor(child) {
    this.child = child;
    this.#ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (this.#output += chunk));
  }

  /** Starts a worker. It is ready later. @param wordsOf makes a command of one that would start it */
  static start({ main, flags, wordsOf = (words) => words }) {
    const [command, ...words] = wordsOf([process.execPath, main, 'kafka', '--http-port', '0', ...flags]);
    return new Worker(spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  get output() {
    return this.#output;
  }

  /** The last line that it said. */
  get lastLine() {
    return this.#output.trimEnd().split('\n').at(-1);
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
    const text = (await this.#ask('metrics')) ?? '';
    return new Map([...text.matchAll(/^([a-z][^ ]*) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));
  }

  /** What it answers to a path; undefined when it does not. */
  async #ask(path) {
    const port = /^http: \S+:([0-9]+)/m.exec(this.#output)?.[1];
    if (port === undefined) return undefined;
    try {
      return await (await fetch(`http://127.0.0.1:${port}/${path}`)).text();
    } catch {
      return undefined;
    }
  }

  /** Offsets of the first records that it did not emit, by partition as a text. */
  async positions() {
    const places = Array.from(await this.metrics(), ([name, value]) => [POSITION.exec(name)?.[1], value]);
    return new Map(places.filter(([partition]) => partition !== undefined));
  }

  /** The number of records that it has emitted, whatever became of them. Transactions before them have pointers only. */
  async given() {
    const counts = [...(await this.metrics())].filter(([name]) => name.startsWith('firstseen_kafka_records_total'));
    return counts.reduce((sum, [, count]) => sum + count, 0);
  }

  /** What it answers whether it is ready; nothing when it does not answer. */
  async readiness() {
    return (await this.#ask('readyz')) ?? '';
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
