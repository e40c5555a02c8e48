// Routes of the page for people.

import { type PageFile, pageFiles, readPageFile } from '../../pagefiles.js';
import { HttpProblem } from '../problem.js';
import type { Route, RouteRequest } from '../route.js';
import { type Sorting, sortings } from '../watch/messages.js';
import { type WatchQuery, watch } from '../watch/watch.js';

/** The policy on what the page may load: its own files, and data of this server. */
const POLICY = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
  ...["frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"],
].join('; ');

const MAX_ROWS = 200;
const DEFAULT_ROWS = 50;
const MAX_OFFSET = 2 ** 31;

function fileRoute(path: string, name: PageFile, summary: string): Route {
  const type = pageFiles[name];
  return {
    method: 'GET',
    path,
    summary,
    role: 'none',
    isAlways: true,
    replies: { 200: { help: 'the file', types: [type.replace(/;.*/, '')] } },
    run: async () => ({
      status: 200,
      body: await readPageFile(name),
      type,
      headers: { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer' },
    }),
  };
}

/** A whole number of the query. @throws HttpProblem E_REQUEST */
function wholeOf({ parameters }: RouteRequest, name: string, least: number, most: number): number {
  const text = parameters[name] as string;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new HttpProblem('E_REQUEST', `${name} is ${text}; give a whole number from ${least} to ${most}`);
}

function queryOf(request: RouteRequest): WatchQuery {
  const { sort, order, filter = '', detector } = request.parameters;
  return {
    sorting: sort as Sorting,
    isDescending: order === 'descending',
    filter: filter as string,
    offset: wholeOf(request, 'offset', 0, MAX_OFFSET),
    limit: wholeOf(request, 'limit', 1, MAX_ROWS),
    name: detector as string | undefined,
  };
}

export const pageRoutes: readonly Route[] = [
  fileRoute('/', 'index.html', 'shows the server to people'),
  fileRoute('/page/main.js', 'main.js', 'the script of the page'),
  fileRoute('/page/style.css', 'style.css', 'the style of the page'),
  fileRoute('/page/icon.svg', 'icon.svg', 'the icon of the page'),
  {
    method: 'GET',
    path: '/page/events',
    summary: 'tells the page each second what the server does',
    role: 'read',
    parameters: [
      { name: 'detector', in: 'query', kind: 'text', help: 'the detector that is shown in detail' },
      { name: 'filter', in: 'query', kind: 'text', help: 'a text within names or algorithms' },
      { name: 'sort', in: 'query', kind: 'word', words: sortings, default: 'name', help: 'what the list is sorted by' },
      {
        name: 'order',
        in: 'query',
        kind: 'word',
        words: ['ascending', 'descending'],
        default: 'ascending',
        help: 'its order',
      },
      { name: 'offset', in: 'query', kind: 'text', default: '0', help: 'detectors of the list that are left out' },
      {
        name: 'limit',
        in: 'query',
        kind: 'text',
        default: String(DEFAULT_ROWS),
        help: 'the most detectors of the list',
      },
    ],
    replies: { 200: { help: 'server-sent events, each with one JSON object', types: ['text/event-stream'] } },
    stream: (request, { server }, response) => watch(queryOf(request), server, response),
  },
];
