// The server: named detectors that clients of Redis speak to.

import type { Server, Socket } from 'node:net';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { Connection } from './connection.js';
import { DataFolder, type DataFolderOptions } from './log/datafolder.js';
import type { Recovered } from './log/recover.js';
import { KeyMaps } from './maps/keymaps.js';
import type { Planning } from './planning/planning.js';
import { ErrorReply } from './resp/replies.js';
import { ReplyWriter } from './resp/writer.js';
import { listenerOf } from './security/listener.js';
import type { Certificates } from './security/tls.js';
import { newSession, type Role, type ServerState, type Session } from './session.js';
import { type DeclaredDetector, makeDeclared } from './store/declared.js';
import { DetectorStore } from './store/store.js';

export interface ServeOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** The most memory of all detectors together. */
  memoryBytes: number;
  mostDetectors: number;
  mostConnections: number;
  /** Whether a detector is keyed if its options do not say. */
  isKeyed?: boolean | undefined;
  /** Memory of a filter that is made when an element is added to it. */
  autoCreateBytes?: number | undefined;
  /** Detectors that exist before the first client. */
  detectors?: readonly DeclaredDetector[] | undefined;
  /** Maps of keys of Redis to detectors, as `parseKeyMap` reads them. */
  maps?: readonly string[] | undefined;
  /** Where changes are logged; left out, they are only in memory. */
  data?: Omit<DataFolderOptions, 'onLoss' | 'onWarning'> | undefined;
  version: string;
  /** Makes plans of detectors; in this thread by default. */
  planning?: Planning | undefined;
  /** Told what an administrator should know. */
  onWarning?: ((message: string) => void) | undefined;
  /** Encrypts the connections. */
  certificates?: Certificates | undefined;
  authenticate?: ((user: string, password: string) => Role | undefined) | undefined;
}

const MOST_NAME_BYTES = 512;
const MOST_CONNECTIONS = new ErrorReply('ERR max number of clients reached');

/** A server that listens. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** What the data folder had. */
  readonly recovered: Recovered | undefined;
  /** Rejects with E_OUTPUT when the disk lost what it was given: the server must end. */
  readonly failed: Promise<never>;
  /** Takes other certificates for the connections that come. */
  renewCertificates(certificates: Certificates): void;
  /** Stops accepting, ends the connections, and frees the detectors. */
  close(): Promise<void>;
}

/** The error for an address that the server cannot have. */
function listenError(error: NodeJS.ErrnoException, { host, port }: ServeOptions): FirstseenError {
  const [hostName, portName] = [optionName('host'), optionName('port')];
  const isTaken = error.code === 'EADDRINUSE';
  return new FirstseenError('E_USAGE', `the server cannot listen on ${host}:${port}: ${error.message}`, {
    remedy: isTaken
      ? phrase`stop what listens there, or give another ${portName}`
      : phrase`give another ${hostName} or ${portName}`,
    cause: error,
  });
}

function listen(server: Server, options: ServeOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
    server.listen({ host: options.host, port: options.port, backlog: 511 }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : options.port);
    });
  });
}

/** The connections of a server. */
class Connections {
  readonly sessions = new Map<number, Session>();
  readonly #connections = new Map<number, Connection>();
  readonly #writer = new ReplyWriter();
  #latestId = 0;

  accept(socket: Socket, server: ServerState, most: number): void {
    if (this.sessions.size >= most) {
      server.counts.refusedConnections++;
      this.#writer.write(MOST_CONNECTIONS);
      socket.on('error', () => undefined);
      socket.end(this.#writer.take(), 'latin1', () => socket.destroy());
      return;
    }
    server.counts.connections++;
    const id = ++this.#latestId;
    const session = newSession(server, id, `${socket.remoteAddress}:${socket.remotePort}`);
    this.sessions.set(id, session);
    this.#connections.set(id, new Connection({ socket, session, server, writer: this.#writer }));
    socket.on('close', () => {
      this.sessions.delete(id);
      this.#connections.delete(id);
    });
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close();
  }
}

/**
 * Starts a server.
 * @throws FirstseenError E_USAGE when the address cannot be had.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host, memoryBytes, mostDetectors, mostConnections, autoCreateBytes, version, authenticate } = options;
  const { planning, isKeyed } = options;
  const maps = new KeyMaps(options.maps);
  const store = new DetectorStore({
    ...{ memoryBytes, mostDetectors, mostNameBytes: MOST_NAME_BYTES, planning, isKeyed },
  });
  const loss = failure();
  const data = await openData(options, store, loss.fail);
  const connections = new Connections();
  const counts = { connections: 0, refusedConnections: 0, commands: 0, errors: 0 };
  const { sessions } = connections;
  const startedAt = Date.now();
  const state = {
    store,
    maps,
    data,
    sessions,
    counts,
    version,
    port: options.port,
    startedAt,
    autoCreateBytes,
    authenticate,
  };
  const listener = listenerOf(options, (socket) => connections.accept(socket, state, mostConnections));
  const { server } = listener;
  try {
    await makeDeclared(store, options.detectors ?? []);
    state.port = await listen(server, options);
  } catch (error) {
    await data?.close();
    throw error;
  }
  return {
    ...{ host, port: state.port, recovered: data?.recovered, failed: loss.failed },
    renewCertificates: listener.renew,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      listener.endHandshakes();
      connections.close();
      await closed;
      await data?.close();
      store.close();
    },
  };
}

function lossError(cause: unknown): FirstseenError {
  const problem = `the disk did not keep the log: ${(cause as Error).message}`;
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

async function openData(
  { data, onWarning = () => undefined }: ServeOptions,
  store: DetectorStore,
  onLoss: (error: unknown) => void,
): Promise<DataFolder | undefined> {
  return data && DataFolder.open({ ...data, onLoss, onWarning }, store);
}
