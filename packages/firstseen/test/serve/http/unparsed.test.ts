// Bytes that are not an HTTP/1.1 request get a problem as the answer, like every request that is refused.

import { expect, test } from 'vitest';
import { ask, askJson, problemIn, RawClient, withHttp } from '../support/http.js';

const HOST = 'Host: 127.0.0.1\r\n';

test.each([
  ['no HTTP', 'hello\r\n\r\n', 400, 'E_HTTP'],
  ['another version', `GET / HTTP/9.9\r\n${HOST}\r\n`, 400, 'E_HTTP'],
  ['a header without a colon', `GET /livez HTTP/1.1\r\n${HOST}a b\r\n\r\n`, 400, 'E_HTTP'],
  ['two lengths', `GET / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'E_HTTP'],
  ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400, 'E_HTTP'],
  ['two hosts', `GET /livez HTTP/1.1\r\n${HOST}Host: example.org\r\n\r\n`, 400, 'E_HTTP'],
  ['a host twice', `GET /livez HTTP/1.1\r\n${HOST}${HOST}\r\n`, 400, 'E_HTTP'],
  ['long headers', `GET /livez HTTP/1.1\r\n${HOST}a: ${'b'.repeat(20_000)}\r\n\r\n`, 431, 'E_HEAD_SIZE'],
  [
    'headers of nine thousand bytes',
    `GET /livez HTTP/1.1\r\n${HOST}a: ${'b'.repeat(9000)}\r\n\r\n`,
    431,
    'E_HEAD_SIZE',
  ],
  ['many headers', `GET /livez HTTP/1.1\r\n${HOST}${'a:b\r\n'.repeat(200)}\r\n`, 431, 'E_HEAD_SIZE'],
  ['an expectation', `GET /livez HTTP/1.1\r\n${HOST}Expect: much\r\nConnection: close\r\n\r\n`, 417, 'E_HTTP'],
  ['a request of HTTP/0.9', 'GET /detectors\r\n\r\n', 505, 'E_HTTP'],
  ['a request of HTTP/2.0', `GET /detectors HTTP/2.0\r\n${HOST}\r\n`, 505, 'E_HTTP'],
  ['a tunnel', 'CONNECT example.org:80 HTTP/1.1\r\nHost: example.org\r\n\r\n', 405, 'E_METHOD'],
])('%s', (_name, sent, status, code) =>
  withHttp(async (port) => {
    const client = await RawClient.open(port);
    client.socket.write(sent);
    expect(problemIn(await client.untilEnd())).toEqual([status, code]);
    expect(client.received).toMatch(/^X-Content-Type-Options: nosniff\r$/m);
  }),
);

test.each(['gzip, chunked', 'GZIP,chunked', 'identity, chunked'])(
  'a body with the transfer coding %s is refused before any of it is a key',
  (coding) =>
    withHttp(async (port) => {
      await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
      const client = await RawClient.open(port);
      const head = `POST /detectors/d/observe HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      client.socket.write(`${head}2\r\na\n\r\n0\r\n\r\n`);
      expect(problemIn(await client.untilEnd())).toEqual([501, 'E_HTTP']);
      const { json } = await ask(port, 'GET', '/detectors/d');
      expect(json).toMatchObject({ stats: { observed: 0 } });
    }),
);

test('a body that is not what its head says is a problem, and what was answered before is whole', () =>
  withHttp(async (port) => {
    const client = await RawClient.open(port);
    client.socket.write(`GET /livez HTTP/1.1\r\n${HOST}\r\n`);
    await client.until(/ok\n$/);
    client.socket.write(
      `POST /plan HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    );
    const [first, second] = (await client.untilEnd()).split(/(?=HTTP\/1\.1 \d)/);
    expect(first).toMatch(/^HTTP\/1\.1 200 [\s\S]*ok\n$/);
    expect(problemIn(second as string)).toEqual([400, 'E_HTTP']);
  }));

test('a reply that is being sent is not mixed with a problem', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { memory: '64KiB' });
    const client = await RawClient.open(port);
    const body = `${'a\n'.repeat(50_000)}`;
    const head = `POST /detectors/d/observe HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n`;
    client.socket.write(`${head}${body.length.toString(16)}\r\n${body}\r\n`);
    await client.until(/duplicate/);
    client.socket.write('zz\r\n');
    expect(await client.untilEnd()).not.toMatch(/E_HTTP/);
  }));
