// The server of HTTP: finds the route of a request, checks what it gives, and sends the reply.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createEncryptedServer } from 'node:https';
import { errorCodeOf, shownValue } from '../../base/errors.js';
import type { Phase } from '../../monitor/health.js';
import { maxLoggedBytes } from '../log/records.js';
import type { TimeLimits } from '../patience.js';
import { type Certificates, tlsOptions, watchHandshakes } from '../security/tls.js';
import { mayDo, type Role, type ServerState } from '../session.js';
import { checkOrigin, readBody, readParameters } from './checks.js';
import { HttpCounts } from './counts.js';
import { CountedResponse, Pipelines } from './pipelines.js';
import { HttpProblem, problemOf, retryLater } from './problem.js';
import { hasGone, safeHeaders, send, sendProblem } from './reply.js';
import { isChanging, type Route, type RouteContext } from './route.js';
import { routeOf } from './routes.js';
import { untilAskable, untilChangeable, untilSafe } from './safety.js';
import { SharedScanner } from './scanner.js';
import { noTunnel, Unparsed } from './unparsed.js';
import { Departures } from './waits.js';
import { EVENT_STREAM } from './watch/watch.js';

/** The time that a client may take for the head of a request, unless a command may take less. */
const HEAD_MILLISECONDS = 10_000;
/** The most bytes of a head. Each connection may hold one that is not whole. */
const MAX_HEAD_BYTES = 2 ** 13;
/** Each header takes memory, however short it is. */
const MAX_HEADERS = 128;
/**
 * The time for which a connection may be idle between two requests if no limit is asked for: longer than proxies keep
 * theirs.
 */
const KEEP_MILLISECONDS = 65_000;
/** The time for which a client may send nothing of a body, or read nothing of a reply, if no limit is asked for. */
const IDLE_MILLISECONDS = 300_000;
/** Time between two looks at the heads that have not come. */
const LOOK_MILLISECONDS = 1000;
const DEFAULT_USER = 'default';
/** The status of a request whose client left before the end of its reply, as proxies count it. */
const CLIENT_GONE = 499;
/** The bytes of a claim in a body: a key of a few characters, its quotes and a comma. */
const CLAIM_BYTES = 8;

export interface HttpOptions extends TimeLimits {
  /** Encrypts the connections. */
  certificates?: Certificates | undefined;
  /** True if everybody who reaches the server may use it. */
  isOpen: boolean;
  maxConnections: number;
}

/** The role of a request. @throws HttpProblem E_TOKEN for a wrong token */
function roleOf({ headers }: IncomingMessage, { authenticate }: Pick<ServerState, 'authenticate'>): Role {
  if (authenticate === undefined) return 'admin';
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  if (token === undefined) return 'none';
  const role = authenticate(DEFAULT_USER, token);
  if (role !== undefined) return role;
  throw new HttpProblem('E_TOKEN', 'the token is wrong', { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
}

/** @throws HttpProblem E_TOKEN or E_ROLE unless a request may do what a route does */
function checkRole(route: Route, incoming: IncomingMessage, server: Pick<ServerState, 'authenticate'>): void {
  if (route.role === 'none') return;
  const role = roleOf(incoming, server);
  if (mayDo(role, route.role)) return;
  if (role !== 'none')
    throw new HttpProblem('E_ROLE', `the role ${role} may not do this; use a token of the role ${route.role}`);
  const detail = 'the request has no token; send the header Authorization: Bearer TOKEN';
  throw new HttpProblem('E_TOKEN', detail, { 'WWW-Authenticate': 'Bearer' });
}

/** @throws HttpProblem E_LOADING until the data folder was read. A server that will stop serves what comes before. */
function checkPhase({ isAlways }: Route, phase: Phase): void {
  if (isAlways || phase !== 'loading') return;
  throw new HttpProblem('E_LOADING', 'the server is reading its data folder; try again', retryLater);
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

/** The path and the query of a target. Clients of proxies send the scheme and the host too. */
function splitTarget(target: string): [path: string, query: string] {
  const [path, query = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split(/\?(.*)/s);
  return [path || '/', query];
}

/** @throws HttpProblem E_HEAD_SIZE for a request of which `node:http` has left out headers: it keeps no more */
function checkHeaders({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length < 2 * MAX_HEADERS) return;
  const problem = `the request has ${MAX_HEADERS} headers or more; send fewer`;
  throw new HttpProblem('E_HEAD_SIZE', problem, { Connection: 'close' });
}

/** The versions of HTTP that the server speaks. The parser also takes requests without one, which have no headers, not even Host. */
const VERSIONS = ['1.0', '1.1'];
const CLOSING = { Connection: 'close' };

/** @throws HttpProblem E_HTTP for a request without what HTTP requires, or with what the server does not do */
function checkProtocol({ httpVersion, headers, headersDistinct }: IncomingMessage): void {
  const { host, expect, 'transfer-encoding': coding = 'chunked' } = headers;
  if (!VERSIONS.includes(httpVersion)) {
    const detail = `the request is of HTTP/${httpVersion}; send HTTP/1.1`;
    throw new HttpProblem({ code: 'E_HTTP', status: 505 }, detail, CLOSING);
  }
  const isHostMissing = httpVersion === '1.1' && host === undefined;
  if (isHostMissing) throw new HttpProblem('E_HTTP', 'the request has no Host header; send one', CLOSING);
  // Proxies may go by another one of them (RFC 9112, 3.2).
  const hosts = headersDistinct.host?.length ?? 0;
  if (hosts > 1) throw new HttpProblem('E_HTTP', `the request has ${hosts} Host headers; send one`, CLOSING);
  // The parser removes the chunks alone, so the bytes of another coding would be taken for keys (RFC 9112, 6.1).
  if (coding.toLowerCase() !== 'chunked') {
    const detail = `Transfer-Encoding is ${shownValue(coding)}; send chunked, and no compressed body`;
    throw new HttpProblem({ code: 'E_HTTP', status: 501 }, detail, CLOSING);
  }
  if (expect === undefined || expect.toLowerCase() === '100-continue') return;
  throw new HttpProblem(
    { code: 'E_HTTP', status: 417 },
    `Expect is ${shownValue(expect)}; send 100-continue, or leave it out`,
  );
}

/** Answers one request. @param onRoute told its route */
async function serveRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  context: RouteContext,
  { isOpen }: HttpOptions,
  onRoute: (route: Route) => void,
): Promise<void> {
  const { server } = context;
  const [path, query] = splitTarget(incoming.url ?? '/');
  const { route, name } = routeOf(incoming.method ?? 'GET', path);
  onRoute(route);
  checkHeaders(incoming);
  checkProtocol(incoming);
  // A client without a role gets no data.
  if (route.role !== 'none') checkOrigin(incoming.headers, isOpen);
  checkRole(route, incoming, server);
  checkPhase(route, server.phase);
  const parameters = readParameters(route, new URLSearchParams(query), incoming);
  const accept = () => {
    if (incoming.headers.expect !== undefined) response.writeContinue();
  };
  if ('stream' in route) return route.stream({ name, parameters, body: {}, incoming, accept }, context, response);
  accept();
  const { members: body, bytes } = await readBody(route.body, incoming, context.whole);
  const hasChanged = isChanging(route);
  await (hasChanged ? untilChangeable(server, loggedBytesOf(bytes)) : untilAskable(server));
  const reply = await route.run({ name, parameters, body, incoming, accept }, context);
  await untilSafe(server, hasChanged);
  send(response, reply);
}

/** The most bytes that the log needs for a change that a body asks for. */
function loggedBytesOf(bodyBytes: number): number {
  const records = Math.ceil(bodyBytes / CLAIM_BYTES);
  return maxLoggedBytes({ records, elements: records, textBytes: bodyBytes });
}

/** The status that a request is counted by. Who watches leaves at any time. */
function statusOf(response: ServerResponse): number {
  const isWatched = response.getHeader('Content-Type') === EVENT_STREAM;
  return response.writableFinished || isWatched ? response.statusCode : CLIENT_GONE;
}

/** Answers that a request failed. */
function refuse(incoming: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (hasGone(incoming)) return;
  // What was sent cannot be taken back. A reply that does not end says that it is not whole.
  if (response.headersSent) response.destroy();
  else sendProblem(response, problemFor(error));
}

/** The scanner of a server, which is made when it is first asked for. */
function sharedScanner(maxRecordBytes: number): RouteContext['scanner'] {
  let scanner: Promise<SharedScanner> | undefined;
  return () => {
    scanner ??= SharedScanner.open(maxRecordBytes).catch((error) => {
      // The next request may have more luck.
      scanner = undefined;
      throw error;
    });
    return scanner;
  };
}

/** A server of HTTP, and how it takes other certificates. */
export interface HttpListener {
  server: Server;
  renew(certificates: Certificates): void;
  /** Ends what is no connection yet. */
  endHandshakes(): void;
  /** Answers requests that wait for a claim. */
  endWaits(): void;
}

/** The options of `node:http`. */
function nodeOptionsOf({ requestMilliseconds, idleMilliseconds = KEEP_MILLISECONDS }: TimeLimits) {
  const headersTimeout = Math.min(HEAD_MILLISECONDS, requestMilliseconds);
  return {
    headersTimeout,
    connectionsCheckingInterval: Math.min(LOOK_MILLISECONDS, headersTimeout),
    keepAliveTimeout: idleMilliseconds,
    // A stream may last for any time, as long as something comes.
    requestTimeout: 0,
    // A request without one is answered as others are.
    requireHostHeader: false,
    maxHeaderSize: MAX_HEAD_BYTES,
    noDelay: true,
    ServerResponse: CountedResponse,
  } as const;
}

/** The option of encrypted connections. Others are half-open whenever the server allows it. */
const HALF_OPEN = { allowHalfOpen: true } as const;

/**
 * Lets a client that closes its side have the replies to what it requested before (RFC 9112, 9.6). Otherwise its changes are made, and it
 * is told nothing. `node:http` has the member, and no option for it.
 */
function allowHalfOpen(http: Server): void {
  (http as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
}

/** A server that does not listen yet. */
export function createHttpServer(server: ServerState, options: HttpOptions): HttpListener {
  const counts = new HttpCounts();
  const unparsed = new Unparsed((status) => counts.add(undefined, status, 0));
  const { certificates, requestMilliseconds, idleMilliseconds } = options;
  const { argumentBytes } = server.requestLimits;
  const whole = { bytes: argumentBytes, milliseconds: requestMilliseconds, memory: server.clientMemory };
  const departures = new Departures();
  const context: RouteContext = { server, counts, departures, whole, scanner: sharedScanner(argumentBytes) };
  const begin = (incoming: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
    unparsed.begin(incoming.socket, response);
    const began = performance.now();
    let route: Route | undefined;
    const onRoute = (one: Route) => {
      route = one;
    };
    response.once('close', () => counts.add(route, statusOf(response), (performance.now() - began) / 1000));
    serveRequest(incoming, response, context, options, onRoute).catch((error) => refuse(incoming, response, error));
  };
  const pipelines = new Pipelines(server.clientMemory);
  const answer = (incoming: IncomingMessage, response: CountedResponse) =>
    pipelines.add({ incoming, response, answer: () => begin(incoming, response) });
  const nodeOptions = nodeOptionsOf(options);
  const encrypted =
    certificates &&
    createEncryptedServer({ ...nodeOptions, ...HALF_OPEN, ...tlsOptions(certificates, requestMilliseconds) }, answer);
  const http = encrypted ?? createServer(nodeOptions, answer);
  allowHalfOpen(http);
  const onPlain = (address: string, protocol: string) => server.foreignConnections.add(address, protocol, 'TLS');
  const endHandshakes = encrypted ? watchHandshakes(encrypted, onPlain) : () => undefined;
  http.on('connection', (socket) => {
    counts.connections++;
    counts.open++;
    socket.once('close', () => counts.open--);
  });
  // A client that asks first is told to send its body once its request is known to be right.
  http.on('checkContinue', answer);
  http.on('checkExpectation', answer);
  http.on('clientError', (error, socket) => unparsed.refuse(error, socket));
  http.on('connect', (_incoming, socket) => unparsed.end(socket, noTunnel()));
  http.setTimeout(idleMilliseconds ?? IDLE_MILLISECONDS);
  http.maxHeadersCount = MAX_HEADERS;
  http.maxConnections = options.maxConnections;
  http.on('drop', () => counts.refusedConnections++);
  const renew = (renewed: Certificates) => encrypted?.setSecureContext(tlsOptions(renewed, requestMilliseconds));
  return { server: http, renew, endHandshakes, endWaits: () => departures.endAll() };
}
