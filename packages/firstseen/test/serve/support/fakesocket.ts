// A socket whose test decides when what was written is away, so that a slow reader is the same on every machine.

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ClientMemory } from '../../../src/serve/clientmemory.js';
import { Connection } from '../../../src/serve/connection.js';
import { ForeignConnections } from '../../../src/serve/foreign.js';
import { History } from '../../../src/serve/history/history.js';
import { KeyMaps } from '../../../src/serve/maps/keymaps.js';
import { KeyBatch } from '../../../src/serve/resp/batch.js';
import { ReplyWriter } from '../../../src/serve/resp/writer.js';
import { KnownScripts } from '../../../src/serve/scripts/known.js';
import { knownLimits, newCounts, newSession, type ServerState, type Session } from '../../../src/serve/session.js';
import { DetectorStore } from '../../../src/serve/store/store.js';

export class FakeSocket extends Duplex {
  written = '';
  #waiting: (() => void)[] = [];
  /** Whether what is written is away at once. */
  isFast = true;

  constructor(highWaterMark: number) {
    super({ writableHighWaterMark: highWaterMark, allowHalfOpen: true });
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written += chunk.toString('latin1');
    if (this.isFast) done();
    else this.#waiting.push(done);
  }

  /** Lets what was written be away. */
  flush(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Bytes from the client, which the connection takes at once unless it has paused. */
  send(bytes: string | Uint8Array): void {
    this.push(Buffer.from(bytes));
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

/** What a server is to a connection, with a store of 64 MiB. */
export function fakeServer(changed: Partial<ServerState> = {}): ServerState {
  const store = new DetectorStore({ memoryBytes: 2 ** 26, maxDetectors: 100, maxNameBytes: 512 });
  return {
    phase: 'ready',
    data: undefined,
    store,
    history: new History(store),
    maps: new KeyMaps(),
    scripts: new KnownScripts(),
    sessions: new Map(),
    counts: newCounts(),
    clientMemory: new ClientMemory(2 ** 26),
    foreignConnections: new ForeignConnections(),
    version: '1.2.3',
    port: 1,
    startedAt: 0,
    autoCreateBytes: undefined,
    authenticate: undefined,
    requestLimits: knownLimits,
    ...changed,
  };
}

export interface FakeClient {
  socket: FakeSocket;
  session: Session;
  connection: Connection;
  server: ServerState;
}

/** A connection over a socket that holds so many bytes before it asks to wait. */
export function fakeClient({ highWaterMark = 2 ** 14, server = fakeServer() } = {}): FakeClient {
  const socket = new FakeSocket(highWaterMark);
  const session = newSession(server, 1, 'fake');
  const shared = { writer: new ReplyWriter(), keys: new KeyBatch() };
  const connection = new Connection({ socket: socket as unknown as Socket, session, server, shared });
  return { socket, session, connection, server };
}

/** Lets everything happen that waits for nothing but its turn, and detectors that are being made. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
