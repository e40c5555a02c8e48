// Starts the built command as a server.

import { type CommandOptions, type CommandResult, finished, startFirstseen } from './command.js';

type StartOptions = Pick<CommandOptions, 'cwd' | 'env'>;

export interface Started {
  /** The address of HTTP, if there is one. */
  url: string;
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
  const args = ['serve', '--port', '0', '--http-port', '0', ...flags];
  return started(startFirstseen(args, typeof options === 'string' ? { cwd: options } : options));
}

/** A server that runs in a process, once it has printed its address. */
export async function started(child: ReturnType<typeof startFirstseen>): Promise<Started> {
  const ended = finished(child);
  let messages = '';
  child.stderr.on('data', (text) => {
    messages += text;
  });
  const printed = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      // The last line of the greeting.
      if (text.includes('memory for detectors')) resolve(text);
    });
    ended.then(({ stderr }) => reject(new Error(stderr)), reject);
  });
  return {
    port: Number(/redis protocol: \S*:(\d+)/.exec(printed)?.[1]),
    url: /http: (\S+)/.exec(printed)?.[1] ?? '',
    messages: () => messages,
    signal: (signal) => void child.kill(signal),
    kill(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
