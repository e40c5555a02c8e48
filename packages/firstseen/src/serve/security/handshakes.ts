// Clients in the middle of a handshake, which a server that stops does not wait for.

import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Watches the handshakes of a server, also of one of HTTP. @returns how to end those that are not done */
export function watchHandshakes(server: Server): () => void {
  const handshakes = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.set(name, socket);
    socket.once('close', () => handshakes.delete(name));
  });
  server.on('secureConnection', (socket) => handshakes.delete(nameOf(socket)));
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return () => {
    for (const socket of handshakes.values()) socket.destroy();
  };
}
