// Routes about the server itself.

import { metricsOf } from '../metrics.js';
import { metricsText } from '../metrictext.js';
import type { Route } from '../route.js';

export const serverRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/livez',
    summary: 'tells that the process answers',
    role: 'none',
    isAlways: true,
    replies: { 200: { help: 'it does', types: ['text/plain'] } },
    run: () => ({ status: 200, body: 'ok\n', type: 'text/plain' }),
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
    run: (_request, { server: { phase } }) => ({
      status: phase === 'ready' ? 200 : 503,
      body: `${phase}\n`,
      type: 'text/plain',
    }),
  },
  {
    method: 'GET',
    path: '/metrics',
    summary: 'returns the metrics of the server and its detectors, in the text format of Prometheus',
    role: 'read',
    isAlways: true,
    replies: { 200: { help: 'the metrics', types: ['text/plain'] } },
    async run(_request, { server, counts }) {
      const body = metricsText(await metricsOf(server, counts));
      return { status: 200, body, type: 'text/plain; version=0.0.4; charset=utf-8' };
    },
  },
];
