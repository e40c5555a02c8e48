// Takes snapshots in another process, so that the worker never waits for a replay.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { lowerPriority } from '../io/system/priority.js';
import type { Snapshotter } from './replay.js';
import type { ProcessTask } from './snapshotprocess.js';
import type { TakenSnapshot } from './snapshots.js';

const MOST_CHARACTERS = 10_000;

/** What a process writes to a stream. */
function collected(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => {
    text = (text + chunk).slice(0, MOST_CHARACTERS);
  });
  return () => text;
}

/** Takes each snapshot in a process of its own. The task is not in its arguments, which others can see, because it may have a password. */
export function snapshotInProcess(client: ProcessTask['client']): Snapshotter {
  const program = fileURLToPath(new URL('./kafkasnapshot.js', import.meta.url));
  return async (task) => {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] });
    lowerPriority(child);
    // A worker that ends does not wait for a snapshot. The process ends with its input.
    child.unref();
    for (const stream of child.stdio) (stream as Socket).unref();
    const [written, problem] = [collected(child.stdout), collected(child.stderr)];
    child.stdin.on('error', () => undefined);
    child.stdin.write(`${JSON.stringify({ task, client } satisfies ProcessTask)}\n`);
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    if (code === 0) return JSON.parse(written()) as TakenSnapshot;
    throw new Error(problem().trim() || `the process ended with ${signal ?? code}`);
  };
}
