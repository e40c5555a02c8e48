// Encrypted connections: certificates of the server and of its clients.

import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, type Server, type TlsOptions } from 'node:tls';
import { FirstseenError, optionName, phrase } from '../../base/errors.js';

/** The contents of the files of certificates. */
export interface Certificates {
  /** Of the server, with those between it and its authority. */
  cert: Buffer;
  key: Buffer;
  /** Authorities of the certificates that clients must have; undefined if they need none. */
  ca: Buffer | undefined;
}

/** Cuts off clients that do not end the handshake. */
const HANDSHAKE_MILLISECONDS = 10_000;

function contextOptions({ cert, key, ca }: Certificates): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ...(ca && { ca }) };
}

const headOfCertificate = /^-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;

/** @throws FirstseenError E_INPUT unless all certificates of a file can be read, and there are some */
function checkAuthorities(ca: Buffer): void {
  const blocks = ca.toString('latin1').split(/^(?=-----BEGIN )/m);
  const certificates = blocks.filter((block) => headOfCertificate.test(block));
  try {
    // TLS takes a file without any, and lets nobody in. It leaves out what follows one that it cannot read.
    if (certificates.length === 0) throw new Error('the file has no certificate in PEM');
    for (const block of certificates) new X509Certificate(block);
  } catch (cause) {
    throw new FirstseenError('E_INPUT', `the authorities of clients cannot be used: ${(cause as Error).message}`, {
      remedy: phrase`give ${optionName('tlsCa')} with certificates in PEM`,
      cause,
    });
  }
}

/** @throws FirstseenError E_INPUT for files that are no certificates, or do not belong together. */
export function checkCertificates(certificates: Certificates): void {
  if (certificates.ca) checkAuthorities(certificates.ca);
  try {
    createSecureContext(contextOptions(certificates));
  } catch (cause) {
    throw new FirstseenError('E_INPUT', `the certificate cannot be used: ${(cause as Error).message}`, {
      remedy: phrase`give ${optionName('tlsCert')} and ${optionName('tlsKey')} that belong together, in PEM, without a passphrase`,
      cause,
    });
  }
}

/**
 * The options of a server that encrypts, of `node:tls` or `node:https`.
 * @param requestMilliseconds the time for a command, which a handshake may not take either
 */
export function tlsOptions(certificates: Certificates, requestMilliseconds: number): TlsOptions {
  const asksClients = certificates.ca !== undefined;
  return {
    ...contextOptions(certificates),
    handshakeTimeout: Math.min(HANDSHAKE_MILLISECONDS, requestMilliseconds),
    requestCert: asksClients,
    rejectUnauthorized: asksClients,
  };
}

/** The errors of handshakes by what the client has sent in place of one. */
const plainProtocols: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'HTTP',
  ERR_SSL_HTTPS_PROXY_REQUEST: 'HTTP',
  ERR_SSL_WRONG_VERSION_NUMBER: 'a protocol',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'a protocol',
};

/** Told of a client that does not encrypt: its address, and the protocol that it speaks. */
export type OnPlain = (address: string, protocol: string) => void;

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/**
 * Watches the handshakes of a server, also of one of HTTP: a server that stops does not wait for them.
 * @returns how to end those that are not done
 */
export function watchHandshakes(server: Server, onPlain: OnPlain): () => void {
  const handshakes = new Map<string, Socket>();
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket);
    handshakes.set(name, socket);
    socket.once('close', () => handshakes.delete(name));
  });
  server.on('secureConnection', (socket) => handshakes.delete(nameOf(socket)));
  server.on('tlsClientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    const protocol = plainProtocols[code];
    if (protocol !== undefined)
      onPlain(`${socket.remoteAddress}:${socket.remotePort}`, `${protocol} without encryption`);
    socket.destroy();
  });
  return () => {
    for (const socket of handshakes.values()) socket.destroy();
  };
}
