// The built server as a process that can be killed, also with a defect.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childrenOf, commandOf } from '../../../tools/processes.mjs';
import { addDefect } from '../../../tools/support/defects.mjs';

const packageFolder = fileURLToPath(new URL('../../../packages/firstseen', import.meta.url));
const diskModule = new URL('./disk.mjs', import.meta.url).href;
const collectModule = new URL('./collect.mjs', import.meta.url).href;
const STOP_MILLISECONDS = 20_000;

export function newFolder() {
  return mkdtempSync(join(tmpdir(), 'firstseen-failures-'));
}

export function remove(folder) {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * A copy of the package as it is built, with a defect.
 * @throws Error unless each text of the defect is found once
 */
export function withDefect(defect) {
  const copy = newFolder();
  for (const name of ['dist', 'package.json']) cpSync(join(packageFolder, name), join(copy, name), { recursive: true });
  addDefect(copy, defect);
  return copy;
}

/** A server that runs. */
export class Server {
  #output = '';

  constructor(child) {
    this.child = child;
    this.ended = once(child, 'close');
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (this.#output += chunk));
  }

  /**
   * Starts a server, and waits until it listens.
   * @param options folder: the data folder, none in memory only; flags; program: the folder of the package; disk: as of
   * disk.mjs; collects: as of collect.mjs
   * @throws Error with what it says if it ends before
   */
  static async start({ folder, flags = [], program = packageFolder, disk, collects = false, environment = {} }) {
    const data = folder === undefined ? ['--in-memory'] : ['--data', folder];
    const args = [
      join(program, 'dist/cli/main.js'),
      'serve',
      '--port',
      '0',
      '--http-port',
      '0',
      '--memory',
      '256MiB',
      ...data,
      ...flags,
    ];
    const env = { ...process.env, ...environment };
    if (collects) env.NODE_OPTIONS = `--import=${collectModule}`;
    if (disk) Object.assign(env, { FAILURES_DISK: disk, NODE_OPTIONS: `--import=${diskModule}` });
    const server = new Server(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env }));
    await server.#listening();
    return server;
  }

  /** Makes a data folder, as before the first start of all. @throws Error with what it says if it fails */
  static initialize(folder) {
    const args = [join(packageFolder, 'dist/cli/main.js'), 'serve', '--init', '--data', folder];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }

  get output() {
    return this.#output;
  }

  get pid() {
    return this.child.pid;
  }

  get port() {
    return Number(/redis protocol: [^\n]*:([0-9]+)/.exec(this.#output)?.[1]);
  }

  /** The port for HTTP. */
  get httpPort() {
    return Number(/^http: \S+:([0-9]+)\/$/m.exec(this.#output)?.[1]);
  }

  /** What the process takes without garbage. It needs `collects`. */
  async memoryBytes() {
    const latest = () => [...this.#output.matchAll(/^collected: ([0-9]+)$/gm)];
    const before = latest().length;
    this.child.kill('SIGUSR2');
    while (latest().length === before) await Promise.race([once(this.child.stdout, 'data'), this.#failure()]);
    return Number(latest().at(-1)[1]);
  }

  /** The process that compacts the log; undefined if there is none, or if it is not its own program yet. */
  get compactor() {
    // A shell starts it.
    const found = childrenOf(this.pid).flatMap(childrenOf);
    return found.find((pid) => commandOf(pid).startsWith(process.execPath));
  }

  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Asks the server to stop. @returns its exit code */
  async stop() {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MILLISECONDS);
    const [code] = await this.ended;
    clearTimeout(timer);
    return code;
  }

  async #listening() {
    const line = /memory for detectors/;
    while (!line.test(this.#output)) await Promise.race([once(this.child.stdout, 'data'), this.#failure()]);
  }

  /** @throws Error once the server has ended */
  async #failure() {
    await this.ended;
    throw new Error(`the server ended: ${this.#output}`);
  }
}
