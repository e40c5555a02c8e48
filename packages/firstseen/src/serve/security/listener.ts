// The socket that takes connections, which are encrypted if there are certificates.

import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { sharingReads } from './sharedreads.js';
import { type Certificates, type OnPlain, tlsOptions, watchHandshakes } from './tls.js';

/** A client may close its side and wait for its replies. */
const HALF_OPEN = { allowHalfOpen: true } as const;

export interface ListenerOptions {
  certificates?: Certificates | undefined;
  maxConnections: number;
  /** The time for a command, and for a handshake. */
  requestMilliseconds: number;
  /** Called for a connection that is ended because there are too many. */
  onDrop: () => void;
  onPlain: OnPlain;
}

export interface Listener {
  server: Server;
  renew(certificates: Certificates): void;
  /** Ends what is no connection yet. */
  endHandshakes(): void;
}

/** The server of the system, which encrypts if there are certificates. */
export function listenerOf(
  { certificates, maxConnections, requestMilliseconds, onDrop, onPlain }: ListenerOptions,
  accept: (socket: Socket) => void,
): Listener {
  if (!certificates) {
    const server = createServer({ ...HALF_OPEN, pauseOnConnect: true }, sharingReads(accept));
    return { server, renew: () => undefined, endHandshakes: () => undefined };
  }
  const server = createTlsServer({ ...tlsOptions(certificates, requestMilliseconds), ...HALF_OPEN }, accept);
  // Clients in the middle of a handshake count too.
  server.maxConnections = maxConnections;
  server.on('drop', onDrop);
  const endHandshakes = watchHandshakes(server, onPlain);
  return {
    server,
    renew: (renewed) => server.setSecureContext(tlsOptions(renewed, requestMilliseconds)),
    endHandshakes,
  };
}
