// Runs the command without starting a process for each run: a process of its own stays for the next command. It takes a quarter of the
// time of a start. Inside the test process it would take half of it, because each run has a memory of a hundred megabytes, and V8 then
// looks through all objects of the tests.

import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandOptions, type CommandResult, runFirstseen } from './command.js';

const program = fileURLToPath(new URL('./runnerprocess.mjs', import.meta.url));

type Answer = { id: number } & ({ result: { code: number; stdout: Uint8Array; stderr: string } } | { problem: string });

interface Waiting {
  settle(result: CommandResult): void;
  reject(error: Error): void;
}

class Runner {
  /** The variables that the process has, as a text. */
  readonly environment = environmentText();
  /** A process that has ended takes no more runs. */
  hasEnded = false;
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #runs = 0;
  #takesMore = true;

  constructor() {
    this.#process = fork(program, { serialization: 'advanced', execArgv: ['--single-threaded-gc'] });
    this.#process.on('message', (answer: Answer) => this.#settle(answer));
    this.#process.on('exit', () => {
      this.hasEnded = true;
      for (const { reject } of this.#waiting.values()) reject(new Error('the process of the command has ended'));
    });
    this.#letEnd();
  }

  run(args: readonly string[], { cwd, stdin = [], env = {} }: CommandOptions): Promise<CommandResult> {
    const id = this.#runs++;
    this.#process.ref();
    this.#process.channel?.ref();
    return new Promise((settle, reject) => {
      this.#waiting.set(id, { settle, reject });
      this.#process.send({ id, args, cwd: resolve(cwd), stdin, env });
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#letEnd();
    if ('problem' in answer) waiting?.reject(new Error(answer.problem));
    else waiting?.settle({ ...answer.result, stdout: Buffer.from(answer.result.stdout), signal: null });
  }

  /** Ends the process after the runs that have begun. */
  end(): void {
    this.#takesMore = false;
    if (this.#waiting.size === 0) this.#letEnd();
  }

  /** Lets the process of the tests end. The other one ends with it. */
  #letEnd(): void {
    if (!this.#takesMore && this.#process.connected) this.#process.disconnect();
    this.#process.unref();
    this.#process.channel?.unref();
  }
}

function environmentText(): string {
  return JSON.stringify(process.env);
}

let runner: Runner | undefined;

/**
 * Runs the command as `runFirstseen` does, with the same answers, except that it starts no process. Runs that are begun side by side
 * follow one another. The laboratory, a package of its own that writes to the streams of its process, gets a process.
 */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  if (args[0] === 'lab') return runFirstseen(args, options);
  // A process that starts has the variables of its parent.
  if (runner?.environment !== environmentText() || runner.hasEnded) {
    runner?.end();
    runner = new Runner();
  }
  return runner.run(args, options);
}

/**
 * Runs a command that takes a limit of records, with a small one unless the arguments have one. Room for the default limit takes most of the
 * memory of a short run, and half of its time.
 */
export function runWithSmallRecords(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const limit = args.includes('--max-record') ? [] : ['--max-record', '64KiB'];
  return runCommand([...args, ...limit], options);
}
