// The server of HTTP: finds the route of a request, checks what it gives, and sends the reply.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { errorCodeOf } from '../../base/errors.js';
import { type Certificates, tlsOptions } from '../security/tls.js';
import { mayDo, type Role, type ServerState } from '../session.js';
import { readBody, readParameters } from './checks.js';
import { checkOrigin } from './origin.js';
import { HttpProblem, problemBody, problemOf } from './problem.js';
import { isChanging, type Route, type RouteReply } from './route.js';
import { routeOf } from './routes.js';
import { untilAskable, untilChangeable, untilSafe } from './safety.js';

/** How long a client may take for the head of a request. */
const HEAD_MILLISECONDS = 10_000;
/** How long a connection may be idle between two requests: longer than proxies keep theirs. */
const KEEP_MILLISECONDS = 65_000;
/** How long a client may send nothing of a body, or read nothing of a reply. */
const IDLE_MILLISECONDS = 300_000;
/** Seconds after which a client may ask again. */
const RETRY_SECONDS = '1';
const DEFAULT_USER = 'default';

export interface HttpOptions {
  /** Whether everybody who reaches the server may use it. */
  isOpen: boolean;
  mostConnections: number;
  /** With them, connections are encrypted. */
  certificates?: Certificates | undefined;
}

/** The role of a request. @throws HttpProblem E_TOKEN for a wrong token */
function roleOf({ headers }: IncomingMessage, { authenticate }: ServerState): Role {
  if (authenticate === undefined) return 'admin';
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) return 'none';
  const role = authenticate(DEFAULT_USER, token);
  if (role !== undefined) return role;
  throw new HttpProblem('E_TOKEN', 'the token is wrong', { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
}

/** @throws HttpProblem E_TOKEN or E_ROLE unless a request may do what a route does */
function checkRole(route: Route, incoming: IncomingMessage, server: ServerState): void {
  if (route.role === 'none') return;
  const role = roleOf(incoming, server);
  if (mayDo(role, route.role)) return;
  if (role !== 'none')
    throw new HttpProblem('E_ROLE', `the role ${role} may not do this; use a token of the role ${route.role}`);
  const detail = 'the request has no token; send the header Authorization: Bearer TOKEN';
  throw new HttpProblem('E_TOKEN', detail, { 'WWW-Authenticate': 'Bearer' });
}

/** @throws HttpProblem E_LOADING until the data folder was read. A server that will stop serves what comes before. */
function checkPhase({ isAlways }: Route, { phase }: ServerState): void {
  if (isAlways || phase !== 'loading') return;
  throw new HttpProblem('E_LOADING', 'the server reads its data folder; try again', { 'Retry-After': RETRY_SECONDS });
}

/** JSON, in which a number that is too large for a program is a text. */
function jsonOf(body: object): string {
  const text = JSON.stringify(body, (_key, value) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  });
  return `${text}\n`;
}

function send(response: ServerResponse, { status, body, type = 'application/json', headers = {} }: RouteReply): void {
  if (body === undefined) {
    response.writeHead(status, headers).end();
    return;
  }
  const text = typeof body === 'string' ? body : jsonOf(body);
  const own = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, { ...own, ...headers }).end(text);
}

/** The problem of an error that no request should cause. The server goes on. */
function unexpected(error: unknown): HttpProblem {
  process.emitWarning(error as Error);
  return new HttpProblem({ code: errorCodeOf(error), status: 500 }, `the server failed: ${(error as Error).message}`);
}

function problemFor(error: unknown): HttpProblem {
  try {
    return problemOf(error);
  } catch (other) {
    return unexpected(other);
  }
}

function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

/** Answers one request. */
async function serveRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  server: ServerState,
  { isOpen }: HttpOptions,
): Promise<void> {
  checkOrigin(incoming.headers, isOpen);
  const [path = '', query = ''] = splitUrl(incoming.url ?? '/');
  const { route, name } = routeOf(incoming.method ?? 'GET', path);
  checkRole(route, incoming, server);
  checkPhase(route, server);
  const parameters = readParameters(route, new URLSearchParams(query), incoming);
  const body = await readBody(route.body, incoming);
  const request = { name, parameters, body, incoming };
  if ('stream' in route) return route.stream(request, server, response);
  const hasChanged = isChanging(route);
  await (hasChanged ? untilChangeable(server) : untilAskable(server));
  const reply = await route.run(request, server);
  await untilSafe(server, hasChanged);
  send(response, reply);
}

function sendProblem(response: ServerResponse, problem: HttpProblem): void {
  // What was sent cannot be taken back. A reply that does not end says that it is not whole.
  if (response.headersSent) response.destroy();
  else
    send(response, {
      status: problem.status,
      body: problemBody(problem),
      type: 'application/problem+json',
      headers: problem.headers,
    });
}

const connectionLimits = {
  headersTimeout: HEAD_MILLISECONDS,
  keepAliveTimeout: KEEP_MILLISECONDS,
  // A stream may last for any time, as long as something comes.
  requestTimeout: 0,
  noDelay: true,
} as const;

export interface HttpListener {
  server: Server;
  renew(certificates: Certificates): void;
}

/** A server that does not listen yet. */
export function createHttpServer(server: ServerState, options: HttpOptions): HttpListener {
  const answer = (incoming: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    serveRequest(incoming, response, server, options).catch((error) => sendProblem(response, problemFor(error)));
  };
  const { certificates, mostConnections } = options;
  const encrypted = certificates && createTlsServer({ ...connectionLimits, ...tlsOptions(certificates) }, answer);
  const http = encrypted ?? createServer(connectionLimits, answer);
  http.setTimeout(IDLE_MILLISECONDS);
  http.maxConnections = mostConnections;
  return { server: http, renew: (renewed) => encrypted?.setSecureContext(tlsOptions(renewed)) };
}
