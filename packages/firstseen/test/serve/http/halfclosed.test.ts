// Clients that close their side after their requests, and read their replies then.

import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectEncrypted } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { certificate, pairOf } from '../support/certificates.js';
import { ask, askJson, withHttp } from '../support/http.js';

const MEMORY = { memory: '64KiB' };
const certificates = { ...pairOf('server'), ca: undefined };

function post(path: string, body: string, type = 'text/plain'): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
  return `${head}\r\n\r\n${body}`;
}

function put(path: string, body: object): string {
  return post(path, JSON.stringify(body), 'application/json').replace('POST', 'PUT');
}

/** Sends all, closes its side, and returns all that comes then. */
async function endThenRead(socket: Socket, sent: string): Promise<string> {
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  socket.end(sent);
  await once(socket, 'close');
  return received;
}

function plain(port: number): Socket {
  return connectPlain({ port, host: '127.0.0.1', allowHalfOpen: true });
}

const pipeline = [
  put('/detectors/d', MEMORY),
  ...Array.from({ length: 20 }, () => post('/detectors/d/observe', 'k\n')),
];

function statusesOf(received: string): string[] {
  return [...received.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status as string);
}

const replies = ['201', ...Array.from({ length: 20 }, () => '200')];

describe('a client that has closed its side', () => {
  test('is sent the replies to all that it requested before', () =>
    withHttp(async (port) => {
      expect(statusesOf(await endThenRead(plain(port), pipeline.join('')))).toEqual(replies);
    }));

  test('is sent them over TLS too', () =>
    withHttp(
      async (port) => {
        const options = { ca: certificate('authority.pem'), servername: 'localhost', allowHalfOpen: true };
        const socket = connectEncrypted({ ...options, port, host: '127.0.0.1' });
        expect(statusesOf(await endThenRead(socket, pipeline.join('')))).toEqual(replies);
      },
      { certificates },
    ));

  test('does not wait for a claim that another one holds, and does not get it', () =>
    withHttp(async (port) => {
      await askJson(port, 'PUT', '/detectors/c', { ...MEMORY, claims: true });
      const { json: first } = await askJson(port, 'POST', '/detectors/c/claim', { key: 'a', lease: '10m' });
      const claim = post('/detectors/c/claim', '{"key":"a","wait":"10m"}', 'application/json');
      expect(await endThenRead(plain(port), claim)).toContain('"verdict":"pending"');
      await askJson(port, 'POST', '/detectors/c/abort', { key: 'a', token: first.token });
      const { json: next } = await askJson(port, 'POST', '/detectors/c/claim', { key: 'a' });
      expect(next.verdict).toBe('distinct');
    }));

  test('is told of a body that is not whole, of which nothing is observed', () =>
    withHttp(async (port) => {
      await askJson(port, 'PUT', '/detectors/d', MEMORY);
      const sent = post('/detectors/d/observe', 'key\n').slice(0, -2);
      expect(statusesOf(await endThenRead(plain(port), sent))).toEqual(['400']);
      const { text } = await ask(port, 'POST', '/detectors/d/observe', { body: 'key\n', type: 'text/plain' });
      expect(text).toContain('distinct');
    }));
});
