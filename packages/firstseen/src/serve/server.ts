// The server: named detectors that clients of Redis and of HTTP share.

import type { Server as HttpServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { FirstseenError } from '../base/errors.js';
import { isLoopback } from '../base/loopback.js';
import { shownPath } from '../io/system/paths.js';
import { listen } from '../monitor/listen.js';
import type { ValuesOf } from '../options/filled.js';
import type { addressRows, serverRows } from '../options/serve.js';
import { ClientMemory, clientMemoryLimit } from './clientmemory.js';
import { mapProblem } from './commands/mapped.js';
import { Connection } from './connection.js';
import { connectionLimit } from './connectionlimit.js';
import { ForeignConnections } from './foreign.js';
import { History } from './history/history.js';
import { createHttpServer } from './http/listener.js';
import { endAfterLinger } from './linger.js';
import { DataFolder, type DataFolderOptions } from './log/datafolder.js';
import { MARKER } from './log/files.js';
import type { Recovered } from './log/recover.js';
import { KeyMaps } from './maps/keymaps.js';
import type { TimeLimits } from './patience.js';
import type { Planning } from './planning/planning.js';
import { KeyBatch } from './resp/batch.js';
import { ErrorReply } from './resp/replies.js';
import { ReplyWriter } from './resp/writer.js';
import { KnownScripts } from './scripts/known.js';
import { listenerOf } from './security/listener.js';
import type { Certificates } from './security/tls.js';
import { limitsFor, newCounts, newSession, type Role, type ServerState, type Session } from './session.js';
import { aheadWarning } from './store/aheadclocks.js';
import { checkMadeByItself, type DeclaredDetector, makeDeclared } from './store/declared.js';
import { DetectorStore } from './store/store.js';

/** The options of a server: those of its rows, and what the command makes of the others. */
export interface ServeOptions
  extends Omit<ValuesOf<(typeof addressRows)[number]>, 'httpPort' | 'redisOnly'>,
    ValuesOf<(typeof serverRows)[number]> {
  /** Without one, the server does not speak HTTP. */
  httpPort?: number | undefined;
  memoryBytes: number;
  /** The memory of the container or machine, in which snapshots are written too and clients are served; any by default. */
  machineBytes?: number | undefined;
  /** Detectors that exist before the first client. */
  detectors?: readonly DeclaredDetector[] | undefined;
  /** The options of the folder in which changes are logged; left out, they are only in memory. */
  data?: Omit<DataFolderOptions, 'onLoss' | 'onWarning' | 'stopping'> | undefined;
  version: string;
  /** Makes plans of detectors; in this thread by default. */
  planning?: Planning | undefined;
  /** Ends a start that is not complete. */
  stopping?: AbortSignal | undefined;
  /** Told what an administrator should know. */
  onWarning?: ((message: string) => void) | undefined;
  /** Encrypts the connections. */
  certificates?: Certificates | undefined;
  authenticate?: ((user: string, password: string) => Role | undefined) | undefined;
}

/** Time between two looks at all connections. */
const LOOK_MILLISECONDS = 1000;
const MAX_NAME_BYTES = 512;
const MAX_CONNECTIONS = new ErrorReply('ERR max number of clients reached');

/** A server that listens. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Undefined if the server does not speak HTTP. */
  readonly httpPort: number | undefined;
  /** The result of the recovery of the data folder. */
  readonly recovered: Recovered | undefined;
  /** The id of the data folder, if this start made it. */
  readonly newFolderId: string | undefined;
  /** The number of detectors at the start, and the names of those that were declared and made by it: they are empty. */
  readonly detectors: number;
  readonly madeEmpty: readonly string[];
  /** Rejects with E_OUTPUT when the disk lost what it was given: the server must end. */
  readonly failed: Promise<never>;
  /** Takes other certificates for the connections that come. */
  renewCertificates(certificates: Certificates): void;
  /** Tells those who ask whether it is ready that it will stop, and serves as before. Resolves when the connections may end. */
  drain(): Promise<void>;
  /** Stops accepting, ends the connections, and frees the detectors. */
  close(): Promise<void>;
}

/** The connections of a server. */
class Connections {
  readonly sessions = new Map<number, Session>();
  readonly #connections = new Map<number, Connection>();
  readonly #shared = { writer: new ReplyWriter(), keys: new KeyBatch() };
  #latestId = 0;
  #watch: NodeJS.Timeout | undefined;

  accept(socket: Socket, server: ServerState, most: number): void {
    if (this.sessions.size >= most) {
      server.counts.refusedConnections++;
      const { writer } = this.#shared;
      writer.write(MAX_CONNECTIONS);
      socket.on('error', () => undefined);
      socket.end(writer.take(), 'latin1', () => socket.destroy());
      return;
    }
    server.counts.connections++;
    const id = ++this.#latestId;
    const session = newSession(server, id, `${socket.remoteAddress}:${socket.remotePort}`);
    this.sessions.set(id, session);
    this.#connections.set(id, new Connection({ socket, session, server, shared: this.#shared }));
    socket.on('close', () => {
      this.sessions.delete(id);
      this.#connections.delete(id);
    });
  }

  /** Ends the connections of clients that take longer than they may, from now on. */
  watch(limits: TimeLimits): void {
    const shortest = Math.min(limits.requestMilliseconds, limits.idleMilliseconds ?? Number.POSITIVE_INFINITY);
    const look = () => {
      for (const connection of this.#connections.values()) connection.checkTime(performance.now(), limits);
    };
    this.#watch = setInterval(look, Math.min(LOOK_MILLISECONDS, shortest));
  }

  close(): void {
    clearInterval(this.#watch);
    for (const connection of this.#connections.values()) connection.close();
  }
}

/** The state of the server, which the server itself can change. */
type OwnState = { -readonly [Member in keyof ServerState]: ServerState[Member] };

function newState(options: ServeOptions, sessions: ServerState['sessions']): OwnState {
  const { memoryBytes, maxDetectors, port, autoCreateBytes, version, planning, authenticate, keyed, data } = options;
  const isKeyed = keyed === 'always' || (keyed === 'auto' && !isLoopback(options.host));
  // Without a log, no other process loads detectors.
  const machineBytes = data === undefined || data.durability === 'snapshot' ? undefined : options.machineBytes;
  const limits = { memoryBytes, machineBytes, maxDetectors, maxNameBytes: MAX_NAME_BYTES };
  const store = new DetectorStore({ ...limits, planning, isKeyed });
  const counts = newCounts();
  return {
    phase: 'loading',
    store,
    history: new History(store, { counts }),
    maps: new KeyMaps(options.maps),
    scripts: new KnownScripts(),
    data: undefined,
    sessions,
    counts,
    clientMemory: new ClientMemory(clientMemoryLimit(options)),
    foreignConnections: new ForeignConnections(options.onWarning),
    ...{ version, port, autoCreateBytes, authenticate },
    requestLimits: limitsFor(options.requestBytes),
    startedAt: Date.now(),
  };
}

/** Takes no more connections. Resolves when all have ended. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Ends a server of HTTP: requests that are being answered have a while. @param isHeld tells if replies wait for the disk */
async function closeHttp(http: HttpServer, isHeld: () => boolean): Promise<void> {
  const end = closed(http);
  http.closeIdleConnections();
  const stop = endAfterLinger(() => http.closeAllConnections(), isHeld);
  await end;
  stop();
}

/** The listeners for clients of Redis and of HTTP. */
interface Listeners {
  /** Takes connections. @returns the ports */
  listen(): Promise<{ port: number; httpPort: number | undefined }>;
  renew(certificates: Certificates): void;
  close(): Promise<void>;
}

function listenersFor(options: ServeOptions, state: ServerState, connections: Connections): Listeners {
  const { host, maxConnections, certificates, authenticate, requestMilliseconds } = options;
  const onDrop = () => {
    state.counts.refusedConnections++;
  };
  const onPlain = (address: string, protocol: string) => state.foreignConnections.add(address, protocol, 'TLS');
  const redis = listenerOf({ certificates, maxConnections, requestMilliseconds, onDrop, onPlain }, (socket) =>
    connections.accept(socket, state, maxConnections),
  );
  const isOpen = authenticate === undefined && certificates?.ca === undefined;
  const http = options.httpPort === undefined ? undefined : createHttpServer(state, { ...options, isOpen });
  return {
    async listen() {
      const service = 'the server';
      const port = await listen(redis.server, { host, port: options.port, option: 'port', service });
      const httpAddress = { host, port: options.httpPort ?? 0, option: 'httpPort', service } as const;
      return { port, httpPort: http && (await listen(http.server, httpAddress)) };
    },
    renew(renewed) {
      redis.renew(renewed);
      http?.renew(renewed);
    },
    async close() {
      const ended = [
        closed(redis.server),
        ...(http ? [closeHttp(http.server, () => state.data?.holdsReplies === true)] : []),
      ];
      redis.endHandshakes();
      http?.endHandshakes();
      http?.endWaits();
      connections.close();
      await Promise.all(ended);
    },
  };
}

/**
 * Starts a server. It listens before its data folder is read, and answers then that it is loading.
 * @throws FirstseenError E_USAGE when the address cannot be had; E_MEMORY when a filter that is made by itself never has room; the
 * reason of `stopping`.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { maxConnections, warning: filesWarning } = connectionLimit({
    maxConnections: options.maxConnections,
    ports: options.httpPort === undefined ? 1 : 2,
  });
  if (filesWarning !== undefined) options.onWarning?.(filesWarning);
  const connections = new Connections();
  const state = newState(options, connections.sessions);
  const loss = failure();
  const listeners = listenersFor({ ...options, maxConnections }, state, connections);
  const drain = async () => {
    state.phase = 'draining';
    await sleep(options.drainMilliseconds ?? 0);
  };
  const close = async () => {
    state.phase = 'draining';
    state.history.stop();
    await listeners.close();
    await state.data?.close();
    state.store.close();
  };
  try {
    const { detectors = [], autoCreateBytes, stopping } = options;
    stopping?.throwIfAborted();
    await checkMadeByItself(state.store, autoCreateBytes);
    connections.watch(options);
    const { port, httpPort } = await listeners.listen();
    state.port = port;
    state.data = await openData(options, state.store, loss.fail);
    const madeEmpty = await makeDeclared(state.store, detectors, stopping);
    checkMaps(state, options);
    await checkMadeByItself(state.store, autoCreateBytes, detectors);
    const warning = aheadWarning(state.store);
    if (warning !== undefined) options.onWarning?.(warning);
    state.history.start();
    state.phase = 'ready';
    const { host } = options;
    const recovered = state.data?.recovered;
    const renewCertificates = (renewed: Certificates) => listeners.renew(renewed);
    const { count } = state.store;
    const newFolderId = state.data?.origin === 'new' ? state.data.identity.id : undefined;
    const start = { recovered, newFolderId, detectors: count, madeEmpty, failed: loss.failed };
    return { host, port, httpPort, ...start, renewCertificates, drain, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws FirstseenError E_USAGE for a map and a declared detector that contradict each other; of others, an administrator is told */
function checkMaps(state: ServerState, { detectors = [], onWarning }: ServeOptions): void {
  for (const map of state.maps.all) {
    const mistake = mapProblem(map, state.store);
    if (mistake === undefined) continue;
    const { problem, remedy } = mistake;
    if (detectors.some(({ name }) => name === map.detector)) throw new FirstseenError('E_USAGE', problem, { remedy });
    onWarning?.(`${problem}; ${remedy}`);
  }
}

function lossError(cause: unknown): FirstseenError {
  // The folder is not ours any more.
  if (cause instanceof FirstseenError) return cause;
  const problem = `the log could not be synced to the disk: ${(cause as Error).message}`;
  return new FirstseenError('E_OUTPUT', problem, {
    remedy: 'check the disk, and start again: what was acknowledged before the last sync is there',
    cause,
  });
}

/** A promise that only rejects, and what rejects it. */
function failure(): { failed: Promise<never>; fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = (cause) => reject(lossError(cause));
  });
  // Who does not wait for it is not told.
  failed.catch(() => undefined);
  return { failed, fail };
}

function renamedWarning(folder: string, id: string): string {
  return `the data folder ${shownPath(folder)} had data, but no ${MARKER}: the file was re-created with the new id ${id}, and the data was read`;
}

async function openData(
  { data, onWarning = () => undefined, stopping }: ServeOptions,
  store: DetectorStore,
  onLoss: (error: unknown) => void,
): Promise<DataFolder | undefined> {
  if (data === undefined) return undefined;
  const folder = await DataFolder.open({ ...data, onLoss, onWarning, stopping }, store);
  if (folder.origin === 'renamed') onWarning(renamedWarning(data.folder, folder.identity.id));
  const { room } = store;
  if (room.leftBytes < 0)
    onWarning(
      `${room.excess}; give the server more memory, or drop a detector: until then, no detector can be created`,
    );
  const shortage = store.count > 0 ? store.room.shortage() : undefined;
  if (shortage !== undefined) onWarning(`${shortage}; give it more memory, or drop a detector`);
  return folder;
}
