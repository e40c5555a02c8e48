// HTTP for monitors: whether the worker lives, whether it is ready, and its metrics. Paths and replies are those of the server.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import type { KafkaClient } from '../io/kafka/contract.js';
import { PartitionEnds } from './ends.js';
import { holdupLines, type Monitored, phaseOf, type Watched, workerMetricsText } from './metrics.js';

interface Reply {
  status: number;
  body: string;
  type?: string;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

async function replyTo(path: string, watched: Monitored | undefined): Promise<Reply> {
  if (path === '/livez') return { status: 200, body: 'ok\n' };
  if (path !== '/readyz' && path !== '/metrics')
    return { status: 404, body: 'not found: this port serves /livez, /readyz and /metrics\n' };
  // A worker that takes over from an old group is not there yet.
  if (watched === undefined) return { status: 503, body: 'loading\n' };
  if (path === '/metrics') return { status: 200, body: await workerMetricsText(watched), type: METRICS_TYPE };
  const phase = phaseOf(watched);
  return { status: phase === 'ready' ? 200 : 503, body: `${phase}\n${holdupLines(watched)}` };
}

async function answer(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  watched: Monitored | undefined,
): Promise<void> {
  const isRead = method === 'GET' || method === 'HEAD';
  const [path] = url.split('?', 1) as [string];
  const failed = (error: unknown): Reply => ({ status: 503, body: `${(error as Error).message}\n` });
  const {
    status,
    body,
    type = 'text/plain',
  } = isRead ? await replyTo(path, watched).catch(failed) : { status: 405, body: 'only GET is allowed\n' };
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(method === 'HEAD' ? undefined : body);
}

export interface HealthServer {
  port: number;
  close(): void;
}

interface Address {
  host: string;
  port: number;
}

function listen(server: Server, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const problem = `the worker cannot listen on ${host}:${port}: ${cause.message}`;
      const remedy = phrase`give another ${optionName('host')} or ${optionName('httpPort')}`;
      reject(new FirstseenError('E_USAGE', problem, { remedy, cause }));
    });
    server.listen({ host, port }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Starts to answer.
 * @param watchedNow gives the worker, once there is one
 * @throws FirstseenError E_USAGE when the address cannot be had
 */
export async function serveHealth(
  address: Address,
  client: KafkaClient,
  watchedNow: () => Watched | undefined,
): Promise<HealthServer> {
  const ends = new PartitionEnds(client);
  const server = createServer((request, response) => {
    const watched = watchedNow();
    answer(request, response, watched && { ...watched, ends }).catch(() => response.destroy());
  });
  const port = await listen(server, address);
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
