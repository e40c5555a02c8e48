// Routes about the server itself.

import { aliveReply, metricsReply, readinessReply } from '../../../monitor/health.js';
import { metricsOf } from '../metrics.js';
import type { Route } from '../route.js';

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/livez',
    summary: 'tells that the process answers',
    role: 'none',
    isAlways: true,
    replies: { 200: { help: 'it does', types: ['text/plain'] } },
    run: () => aliveReply,
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'tells whether requests are served: not while the data folder is read, and not while the server stops',
    role: 'none',
    isAlways: true,
    replies: {
      200: { help: 'they are', types: ['text/plain'] },
      503: { help: 'they are not: `loading` or `draining`', types: ['text/plain'] },
    },
    run: (_request, { server: { phase } }) => readinessReply(phase),
  },
  {
    method: 'GET',
    path: '/metrics',
    summary: 'returns the metrics of the server and its detectors, in the text format of Prometheus',
    role: 'read',
    isAlways: true,
    replies: { 200: { help: 'the metrics', types: ['text/plain'] } },
    run: async (_request, { server, counts }) => metricsReply(await metricsOf(server, counts)),
  },
];
