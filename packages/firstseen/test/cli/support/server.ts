// Starts the built command as a server.

import { type CommandOptions, type CommandResult, finished, startFirstseen } from './command.js';

type StartOptions = Pick<CommandOptions, 'cwd' | 'env'>;

export interface Started {
  port: number;
  /** What it wrote to standard error so far. */
  messages(): string;
  /** Sends a signal. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal, and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<CommandResult>;
}

/** Starts a server on a free port. It has printed its address. */
export async function start(options: string | StartOptions, ...flags: string[]): Promise<Started> {
  const child = startFirstseen(
    ['serve', '--port', '0', '--http-port', '0', ...flags],
    typeof options === 'string' ? { cwd: options } : options,
  );
  const ended = finished(child);
  let messages = '';
  child.stderr.on('data', (text) => {
    messages += text;
  });
  const port = await new Promise<number>((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (text) => {
      printed += text;
      const found = /redis protocol: [^:]+:(\d+)/.exec(printed)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return {
    port,
    messages: () => messages,
    signal: (signal) => void child.kill(signal),
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
