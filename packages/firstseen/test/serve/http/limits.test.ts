// The limits of the server hold for HTTP too: sizes, times, and encrypted connections.

import { once } from 'node:events';
import { type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../src/serve/server.js';
import { certificate, pairOf } from '../support/certificates.js';
import { ask, askJson, problemIn, RawClient, withHttp } from '../support/http.js';
import { testServer } from '../support/server.js';

const lines = 'text/plain';

describe('the bytes of a command', () => {
  test('limit a body that is read as a whole, and a record', () =>
    withHttp(
      async (port) => {
        await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
        const large = await askJson(port, 'PUT', '/detectors/e', { memory: '64KiB', seed: '1'.repeat(2000) });
        expect([large.status, large.json.code]).toEqual([413, 'E_BODY_SIZE']);
        const whole = { body: 'a\n'.repeat(600), type: lines, headers: { 'Idempotency-Key': 'i' } };
        expect((await ask(port, 'POST', '/detectors/d/observe', whole)).status).toBe(413);
        const record = { body: `${'b'.repeat(2000)}\n`, type: lines };
        const { status, json } = await ask(port, 'POST', '/detectors/d/test', record);
        expect([status, json.detail]).toEqual([400, expect.stringMatching(/1024|1,024|1KiB/)]);
        // A body that is a stream has any length.
        const many = { body: 'a\n'.repeat(5000), type: lines };
        expect((await ask(port, 'POST', '/detectors/d/observe', many)).status).toBe(200);
      },
      { requestBytes: 1024 },
    ));
});

describe('what all clients together have sent', () => {
  const requestBytes = 2 ** 20;
  /** Of these bodies, one is more than the 16 MiB that all clients together may take. */
  const bodies = Array.from({ length: 19 }, () => 'a'.repeat(900_000));

  /** Sends the beginnings of requests. @returns the reply to the client that is ended */
  async function firstEnded(port: number, beginnings: readonly string[]): Promise<string> {
    const clients = await Promise.all(beginnings.map(() => RawClient.open(port)));
    clients.forEach(({ socket }, i) => void socket.write(beginnings[i] as string));
    const reply = await Promise.race(clients.map((client) => client.untilEnd()));
    expect((await ask(port, 'GET', '/metrics')).text).toMatch(/\nfirstseen_evicted_connections_total 1\n/);
    for (const { socket } of clients) socket.destroy();
    return reply;
  }

  function head(path: string, type: string, framing: string): string {
    return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: ${type}\r\n${framing}\r\n\r\n`;
  }

  test('limits bodies that are read as a whole: one client may try again later', () =>
    withHttp(
      async (port) => {
        const plan = head('/plan', 'application/json', 'Content-Length: 1000000');
        const reply = await firstEnded(
          port,
          bodies.map((body) => plan + body),
        );
        expect(problemIn(reply)).toEqual([503, 'E_CLIENT_MEMORY']);
        expect(reply).toContain('\r\nRetry-After: 1\r\n');
      },
      { requestBytes },
    ));

  test('limits records: one client is told what became of those before', () =>
    withHttp(
      async (port) => {
        await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
        const observe = head('/detectors/d/observe', lines, 'Content-Length: 2000000');
        const reply = await firstEnded(
          port,
          bodies.map((body) => `${observe}one\n${body}`),
        );
        expect(problemIn(reply)).toEqual([503, 'E_CLIENT_MEMORY']);
        expect(reply).toMatch(/\r\nRetry-After: 1\r\n.*"records":1,.*"reply":"(distinct|duplicate)\\n"/s);
      },
      { requestBytes },
    ));

  test('limits records whose reply has begun: it has no end', () =>
    withHttp(
      async (port) => {
        await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
        const observe = head('/detectors/d/observe', lines, 'Transfer-Encoding: chunked');
        const reply = await firstEnded(
          port,
          bodies.map((body) => `${observe}4\r\none\n\r\n${body.length.toString(16)}\r\n${body}\r\n`),
        );
        expect(reply).not.toContain('\r\n0\r\n');
        expect(reply).toMatch(/^HTTP\/1.1 200 OK\r\n.*(distinct|duplicate)\n\r\n$/s);
      },
      { requestBytes },
    ));
});

describe('the times of clients', () => {
  const begin = 'POST /plan HTTP/1.1\r\nHost: 127.0.0.1\r\n';
  const times = { requestMilliseconds: 100, idleMilliseconds: 200 };

  test('limit the head of a request', () =>
    withHttp(
      async (port) => {
        const client = await RawClient.open(port);
        client.socket.write(begin);
        expect(problemIn(await client.untilEnd())).toEqual([408, 'E_HEAD_TIME']);
      },
      { ...times, idleMilliseconds: 1e6 },
    ));

  test('limit a body that is read as a whole', () =>
    withHttp(
      async (port) => {
        const client = await RawClient.open(port);
        client.socket.write(`${begin}Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{`);
        expect(await client.untilEnd()).toMatch(/^HTTP.1.1 408 .*"E_BODY_TIME"/s);
      },
      { ...times, idleMilliseconds: 1e6 },
    ));

  test('limit how long nothing comes: between two requests, and in the middle of a body', () =>
    withHttp(
      async (port) => {
        await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
        const between = await RawClient.open(port);
        between.socket.write('GET /livez HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
        expect(await between.untilEnd()).toMatch(/^HTTP.1.1 200 /);
        const within = await RawClient.open(port);
        within.socket.write(
          'POST /detectors/d/test HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\na\n',
        );
        await within.untilEnd();
        expect(within.received).not.toMatch(/distinct/);
      },
      { ...times, requestMilliseconds: 1e6 },
    ));
});

/** What an encrypted request is answered; the error of a handshake that fails. */
function askTls(port: number, options: RequestOptions = {}): Promise<{ status: number; name: unknown } | Error> {
  return new Promise((resolve) => {
    const authority = certificate('authority.pem');
    const asked = { port, host: '127.0.0.1', path: '/detectors', agent: false, ca: authority, ...options };
    const outgoing = request(asked, (incoming) => {
      const { subject } = (incoming.socket as TLSSocket).getPeerCertificate();
      incoming.resume();
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, name: subject.CN }));
    });
    outgoing.on('error', resolve).end();
  });
}

describe('encrypted requests', () => {
  const certificates = { ...pairOf('server'), ca: undefined };

  test('are answered, also with other certificates', () =>
    withHttp(
      async (port, { renewCertificates }) => {
        expect(await askTls(port)).toEqual({ status: 200, name: 'server' });
        renewCertificates({ ...pairOf('renewed'), ca: undefined });
        expect(await askTls(port)).toEqual({ status: 200, name: 'renewed' });
        const plain = await RawClient.open(port);
        plain.socket.write('GET /detectors HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
        expect(await plain.untilEnd()).not.toMatch(/HTTP/);
      },
      { certificates },
    ));

  test('need a token, if there are any', () =>
    withHttp(
      async (port) => {
        expect(await askTls(port)).toMatchObject({ status: 401 });
        expect(await askTls(port, { headers: { Authorization: 'Bearer right' } })).toMatchObject({ status: 200 });
      },
      { certificates, authenticate: (_user, token) => (token === 'right' ? 'admin' : undefined) },
    ));

  test('need a certificate of an authority, if it is asked for', () =>
    withHttp(
      async (port) => {
        expect(await askTls(port, pairOf('client'))).toMatchObject({ status: 200 });
        expect(await askTls(port)).toBeInstanceOf(Error);
        expect(await askTls(port, pairOf('foreign'))).toBeInstanceOf(Error);
      },
      { certificates: { ...certificates, ca: certificate('authority.pem') } },
    ));

  test('a server that stops does not wait for handshakes', async () => {
    const server = await serve({ ...testServer, httpPort: 0, certificates });
    const ports = [server.port, server.httpPort as number];
    const sockets = ports.map((port) => connect({ port, host: '127.0.0.1' }));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(Buffer.of(22, 3, 1));
    }
    // A whole request, so that the server has taken the connections before it.
    expect(await askTls(server.httpPort as number)).toMatchObject({ status: 200 });
    const ended = Promise.all(sockets.map((socket) => once(socket, 'close')));
    await server.close();
    await ended;
  }, 5000);
});
