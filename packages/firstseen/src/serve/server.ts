// The server: named detectors that clients of Redis speak to.

import { createServer, type Server, type Socket } from 'node:net';
import { FirstseenError, optionName, phrase } from '../base/errors.js';
import { Connection } from './connection.js';
import { ErrorReply } from './resp/replies.js';
import { ReplyWriter } from './resp/writer.js';
import { newSession, type Role, type ServerState, type Session } from './session.js';
import { DetectorStore } from './store/store.js';

export interface ServeOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** The most memory of all detectors together. */
  memoryBytes: number;
  mostDetectors: number;
  mostConnections: number;
  /** Memory of a filter that is made when an element is added to it. */
  autoCreateBytes?: number | undefined;
  version: string;
  authenticate?: ((user: string, password: string) => Role | undefined) | undefined;
}

const MOST_NAME_BYTES = 512;
const MOST_CONNECTIONS = new ErrorReply('ERR max number of clients reached');

/** A server that listens. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
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
      socket.end(this.#writer.take(), 'latin1');
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
  const store = new DetectorStore({ memoryBytes, mostDetectors, mostNameBytes: MOST_NAME_BYTES });
  const connections = new Connections();
  let state: ServerState;
  const server = createServer({ allowHalfOpen: true }, (socket) => connections.accept(socket, state, mostConnections));
  const port = await listen(server, options);
  const counts = { connections: 0, refusedConnections: 0, commands: 0, errors: 0 };
  const { sessions } = connections;
  state = { store, sessions, counts, version, port, startedAt: Date.now(), autoCreateBytes, authenticate };
  return {
    host,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      connections.close();
      await closed;
      store.close();
    },
  };
}
