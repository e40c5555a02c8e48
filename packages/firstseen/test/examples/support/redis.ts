// A queue of BullMQ on a Redis of its own, which listens on a socket in a folder and stores nothing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { repositoryFolder } from '../../support/folders.js';

/** What the tests use of bullmq and ioredis, which are installed with the examples. */
interface Job {
  returnvalue: unknown;
  data: unknown;
  getState(): Promise<string>;
  isCompleted(): Promise<boolean>;
  isFailed(): Promise<boolean>;
  retry(): Promise<void>;
}

interface Queue {
  add(name: string, data: object, options?: object): Promise<Job>;
  addBulk(jobs: readonly { name: string; data: object; opts: object }[]): Promise<unknown>;
  getCompleted(): Promise<Job[]>;
  getCompletedCount(): Promise<number>;
  getDelayedCount(): Promise<number>;
  close(): Promise<void>;
}

interface Packages {
  Queue: new (name: string, options: object) => Queue;
  Redis: new (socket: string, options: object) => { disconnect(): void };
}

/** Loads them from where they are installed. */
function loadPackages(): Packages {
  const require = createRequire(join(repositoryFolder, 'examples/package.json'));
  return { Queue: require('bullmq').Queue, Redis: require('ioredis').Redis };
}

export interface RedisQueue {
  /** Where the Redis listens. */
  socket: string;
  queue: Queue;
  close(): Promise<void>;
}

/** Starts a Redis with an empty queue. */
export async function startRedisQueue(folder: string, name: string): Promise<RedisQueue> {
  const { Queue, Redis } = loadPackages();
  const socket = join(folder, 'redis.sock');
  const redis = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(redis, 'close');
  for await (const chunk of redis.stdout) if (String(chunk).includes('eady to accept')) break;
  const connection = new Redis(socket, { maxRetriesPerRequest: null });
  const queue = new Queue(name, { connection });
  return {
    socket,
    queue,
    close: async () => {
      await queue.close();
      connection.disconnect();
      redis.kill('SIGKILL');
      await ended;
    },
  };
}
