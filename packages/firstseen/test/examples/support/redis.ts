// A queue of BullMQ on a Redis of its own, which listens on a socket in a folder and stores nothing.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';

export interface RedisQueue {
  /** Where the Redis listens. */
  socket: string;
  queue: Queue;
  close(): Promise<void>;
}

/** Starts a Redis with an empty queue. */
export async function startRedisQueue(folder: string, name: string): Promise<RedisQueue> {
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
