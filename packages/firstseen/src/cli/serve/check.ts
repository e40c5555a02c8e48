// `firstseen serve --check`: asks the server that runs with these options whether it answers.

import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { FirstseenError } from '../../base/errors.js';
import type { Certificates } from '../../serve/security/tls.js';

const WAIT_MILLISECONDS = 5000;
/** The address of this machine to ask where a server listens on every interface. */
const anyAddress: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': 'localhost' };
/** A server that needs a token or a certificate, and is asked without, runs too. */
const ANSWERS = /^(?:\+PONG|-NOAUTH )/;

export interface CheckedServer {
  host: string;
  port: number;
  certificates: Certificates | undefined;
}

/** The connection to a server. Nothing secret is said to it, so it need not prove who it is. */
function socketTo({ host, port, certificates }: CheckedServer): Socket {
  const address = { host: anyAddress[host] ?? host, port };
  if (!certificates) return connect(address);
  // Its own certificate is often good for a client too.
  const { cert, key } = certificates;
  return connectTls({ ...address, cert, key, rejectUnauthorized: false });
}

function notReady({ host, port }: CheckedServer, problem: string): FirstseenError {
  return new FirstseenError('E_SERVER', `the server at ${host}:${port} ${problem}`, {
    remedy: 'start it with the same options, or read its messages',
  });
}

/**
 * Resolves if the server answers.
 * @throws FirstseenError E_SERVER when it does not, or reads its data folder.
 */
export function checkServer(server: CheckedServer): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = socketTo(server);
    let [answer, isEncrypted] = ['', false];
    const fail = (problem: string) => {
      socket.destroy();
      reject(notReady(server, problem));
    };
    socket.setTimeout(WAIT_MILLISECONDS, () => fail(`does not answer within ${WAIT_MILLISECONDS} ms`));
    // A server that has encrypted, and then ends the connection, wants a certificate that it knows. So it runs.
    const finishWith = (problem: string) => {
      if (isEncrypted && server.certificates?.ca) resolve();
      else fail(problem);
    };
    socket.on('secureConnect', () => {
      isEncrypted = true;
    });
    socket.on('error', ({ message }) => finishWith(`cannot be reached: ${message}`));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
      if (!answer.includes('\r\n')) return;
      if (!ANSWERS.test(answer)) fail(`answers ${answer.trim()}`);
      socket.destroy();
      resolve();
    });
    socket.on('end', () => finishWith('closes the connection'));
    socket.write('PING\r\n');
  });
}
