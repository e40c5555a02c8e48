// HTTP for monitors: whether the worker lives, whether it is ready, and its metrics. Paths and replies are those of the server.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { KafkaClient } from '../../io/kafka/contract.js';
import { aliveReply, type HealthReply, metricsReply, readinessReply, textReply } from '../../monitor/health.js';
import { listen, type ServiceAddress } from '../../monitor/listen.js';
import { problemText } from '../../options/flagnames.js';
import {
  allMetrics,
  holdupLines,
  type Monitored,
  PartitionEnds,
  phaseOf,
  type Watched,
  type WatchedHoldups,
} from './metrics.js';

async function replyTo(path: string, watched: Monitored | undefined, starting: WatchedHoldups): Promise<HealthReply> {
  if (path === '/livez') return aliveReply;
  if (path !== '/readyz' && path !== '/metrics')
    return textReply(404, 'not found: this port serves /livez, /readyz and /metrics\n');
  // A worker that takes over from an old group is not there yet.
  if (watched === undefined) return readinessReply('loading', holdupLines({ holdups: starting }, 'loading'));
  if (path === '/metrics') return metricsReply(await allMetrics(watched));
  const phase = phaseOf(watched);
  return readinessReply(phase, holdupLines(watched, phase));
}

async function answer(
  { method, url = '/' }: IncomingMessage,
  response: ServerResponse,
  watched: Monitored | undefined,
  starting: WatchedHoldups,
): Promise<void> {
  const isRead = method === 'GET' || method === 'HEAD';
  const [path] = url.split('?', 1) as [string];
  const failed = (error: unknown) => textReply(503, `${problemText(error)}\n`);
  const { status, body, type } = isRead
    ? await replyTo(path, watched, starting).catch(failed)
    : textReply(405, 'only GET is allowed\n');
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(method === 'HEAD' ? undefined : body);
}

export interface HealthServer {
  port: number;
  close(): void;
}

/**
 * Starts to answer.
 * @param watchedNow gives the worker, once there is one
 * @param starting the watchers of the start, before there is one
 * @throws FirstseenError E_USAGE when the address cannot be had
 */
export async function serveHealth(
  address: Pick<ServiceAddress, 'host' | 'port'>,
  client: KafkaClient,
  watchedNow: () => Watched | undefined,
  starting: WatchedHoldups = {},
): Promise<HealthServer> {
  const ends = new PartitionEnds(client);
  const server = createServer((request, response) => {
    const watched = watchedNow();
    answer(request, response, watched && { ...watched, ends }, starting).catch(() => response.destroy());
  });
  const port = await listen(server, { ...address, option: 'httpPort', service: 'the worker' });
  return {
    port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
