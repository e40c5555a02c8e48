// What holds for all routes: paths, methods, parameters, roles, origins, and the time before and after the server serves.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { DataFolder } from '../../../src/serve/log/datafolder.js';
import { type ServeOptions, serve } from '../../../src/serve/server.js';
import type { Role } from '../../../src/serve/session.js';
import { Client } from '../support/client.js';
import { dataIn, newFolder } from '../support/folder.js';
import { freePort } from '../support/freeport.js';
import { ask, askJson, RawClient, withHttp } from '../support/http.js';
import { testServer } from '../support/server.js';

const tokens: Record<string, Role> = { reader: 'read', writer: 'observe', owner: 'admin' };
const authenticate = (_user: string, password: string) => tokens[password];
const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

test('detectors that clients of Redis make are listed and described', () =>
  withHttp(async (port, server) => {
    const client = await Client.open(server.port);
    await client.send('FS.CREATE', 'a/b ü', 'algorithm', 'bloom', 'memory', '64KiB', 'seed', '18446744073709551615');
    await client.send('FS.OBSERVE', 'a/b ü', 'x', 'x');
    client.close();
    const { status, json, headers } = await ask(port, 'GET', '/detectors');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(json).toEqual({
      detectors: [{ name: 'a/b ü', algorithm: 'bloom', memoryBytes: 65536, observed: 2, duplicates: 1 }],
    });
    const one = await ask(port, 'GET', `/detectors/${encodeURIComponent('a/b ü')}`);
    expect(one.json).toMatchObject({ name: 'a/b ü', seed: '18446744073709551615', stats: { observed: 2 } });
    expect(one.json.stats).not.toHaveProperty('load');
    const loaded = await ask(port, 'GET', `/detectors/${encodeURIComponent('a/b ü')}?load=true`);
    expect(loaded.json.stats).toHaveProperty('load');
  }));

test('a path, a method, a parameter or a name that there is not is refused with what there is', () =>
  withHttp(async (port) => {
    const problem = async (method: string, path: string) => {
      const { status, json, headers } = await ask(port, method, path);
      expect(headers['content-type']).toBe('application/problem+json');
      expect(json).toMatchObject({ status, title: expect.any(String) });
      return [status, json.code, json.detail];
    };
    expect(await problem('GET', '/detector')).toEqual([404, 'E_NOT_FOUND', expect.stringContaining('/openapi.json')]);
    expect(await problem('GET', '/detectors/x')).toEqual([
      404,
      'E_NOT_FOUND',
      expect.stringContaining('PUT /detectors/x'),
    ]);
    expect(await problem('PATCH', '/detectors')).toEqual([405, 'E_METHOD', expect.stringContaining('use GET')]);
    expect((await ask(port, 'PATCH', '/detectors')).headers.allow).toBe('GET, HEAD');
    expect((await ask(port, 'HEAD', '/page/events')).headers['content-type']).toBe('text/event-stream');
    expect(await problem('GET', '/detectors/%ff')).toEqual([400, 'E_REQUEST', expect.stringContaining('%ff')]);
    expect(await problem('GET', '/detectors?x=1')).toEqual([400, 'E_REQUEST', expect.stringContaining('"x"')]);
    expect(await problem('GET', '/detectors/x?load=yes')).toEqual([
      400,
      'E_REQUEST',
      expect.stringContaining('true, false'),
    ]);
    expect(await problem('GET', '/detectors/x?load=true&load=true')).toEqual([
      400,
      'E_REQUEST',
      expect.stringContaining('2 times'),
    ]);
    expect((await ask(port, 'HEAD', '/detectors')).text).toBe('');
  }));

test('a target may have the scheme and the host, as clients of proxies send it', () =>
  withHttp(async (port) => {
    for (const [target, status] of [
      ['http://127.0.0.1/livez', 200],
      ['HTTPS://name:1/detectors?x=1', 400],
      ['http://name', 200],
      ['http://name?', 200],
    ] as const) {
      expect([target, (await ask(port, 'GET', target)).status]).toEqual([target, status]);
    }
  }));

test('a client that goes away in the middle of its request is no failure of the server', () =>
  withHttp(async (port) => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    await askJson(port, 'PUT', '/detectors/d', { memory: '1KiB' });
    const head = (method: string, path: string, header: string) =>
      `${method} /detectors/d${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\nContent-Length: 99\r\n\r\n{`;
    for (const [method, path, header] of [
      ['PUT', '', 'Content-Type: application/json'],
      ['POST', '/observe', 'Content-Type: text/plain\r\nIdempotency-Key: a'],
    ] as const) {
      const client = await RawClient.open(port);
      client.socket.write(head(method, path, header));
      const isCounted = `{method="${method}",path="/detectors/{name}${path}",`;
      await ask(port, 'GET', '/livez');
      client.socket.resetAndDestroy();
      while (!(await ask(port, 'GET', '/metrics')).text.includes(isCounted)) await sleep(1);
    }
    expect(warnings).not.toHaveBeenCalled();
    warnings.mockRestore();
  }));

test('a request without the role of its route is refused, but for the health of the server', () =>
  withHttp(
    async (port) => {
      const none = await ask(port, 'GET', '/detectors');
      expect([none.status, none.json.code, none.headers['www-authenticate']]).toEqual([401, 'E_TOKEN', 'Bearer']);
      const wrong = await ask(port, 'GET', '/detectors', bearer('guess'));
      expect([wrong.status, wrong.json.code]).toEqual([401, 'E_TOKEN']);
      expect((await ask(port, 'GET', '/detectors', bearer('reader'))).status).toBe(200);
      expect((await ask(port, 'GET', '/livez')).status).toBe(200);
      expect((await ask(port, 'GET', '/readyz')).text).toBe('ready\n');
    },
    { authenticate },
  ));

test('what pages of other sites make a browser send is refused', () =>
  withHttp(async (port) => {
    const status = async (headers: Record<string, string>) =>
      (await ask(port, 'GET', '/detectors', { headers })).status;
    expect(await status({ Host: 'example.com' })).toBe(403);
    expect((await ask(port, 'GET', '/livez', { headers: { Host: 'example.com' } })).status).toBe(200);
    expect(await status({ Host: `localhost:${port}` })).toBe(200);
    expect(await status({ Host: `[::1]:${port}` })).toBe(200);
    expect(await status({ Host: '10.0.0.1' })).toBe(200);
    expect(await status({ Origin: 'http://example.com' })).toBe(403);
    expect(await status({ Origin: 'null' })).toBe(403);
    expect(await status({ Origin: `http://127.0.0.1:${port}` })).toBe(200);
    expect(await status({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await status({ 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
  }));

test('a name in the header Host is taken where a token is needed', () =>
  withHttp(
    async (port) => {
      const headers = { Host: 'dedup.example.com', ...bearer('reader').headers };
      expect((await ask(port, 'GET', '/detectors', { headers })).status).toBe(200);
    },
    { authenticate },
  ));

test('requests that follow one another on a connection are answered in their order', () =>
  withHttp(async (port) => {
    const client = await RawClient.open(port);
    const paths = ['/livez', '/detectors', '/nothing', '/readyz'];
    client.socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`).join(''));
    const received = await client.until(/ready\n$/);
    expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
    client.socket.destroy();
  }));

/** Starts a server, which goes on to read its data folder when it is told to. */
async function startLoading(options: Partial<ServeOptions> = {}) {
  const open = DataFolder.open.bind(DataFolder);
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let opening: () => void = () => undefined;
  const isOpening = new Promise<void>((resolve) => {
    opening = resolve;
  });
  const spy = vi.spyOn(DataFolder, 'open').mockImplementation(async (...given) => {
    opening();
    await gate;
    return open(...given);
  });
  const [port, httpPort] = [await freePort(), await freePort()];
  const starting = serve({ ...testServer, port, httpPort, data: dataIn(newFolder()), ...options });
  await isOpening;
  const finish = () => {
    spy.mockRestore();
    go();
    return starting;
  };
  return { port, httpPort, finish };
}

test('while the data folder is read, the server is alive but not ready, and commands get LOADING', async () => {
  const { port, httpPort, finish } = await startLoading();
  const client = await Client.open(port);
  const loading = '-LOADING the server is reading its data folder';
  expect(await client.send('PING')).toBe(loading);
  expect(await client.send('BF.RESERVE', 'f', '0.01', '100')).toBe(loading);
  expect(await client.send('CLIENT', 'SETNAME', 'me')).toBe('+OK');
  expect(await client.send('INFO', 'persistence')).toMatch(/loading:1/);
  expect((await ask(httpPort, 'GET', '/livez')).status).toBe(200);
  const ready = await ask(httpPort, 'GET', '/readyz');
  expect([ready.status, ready.text]).toEqual([503, 'loading\n']);
  const list = await ask(httpPort, 'GET', '/detectors');
  expect([list.status, list.json.code, list.headers['retry-after']]).toEqual([503, 'E_LOADING', '1']);
  const server = await finish();
  expect((await ask(httpPort, 'GET', '/readyz')).text).toBe('ready\n');
  expect(await client.send('BF.RESERVE', 'f', '0.01', '100')).toBe('+OK');
  expect(await client.send('INFO', 'persistence')).toMatch(/loading:0/);
  client.close();
  await server.close();
});

test('a client without a token is told that the data folder is read', async () => {
  const { port, finish } = await startLoading({ authenticate });
  const client = await Client.open(port);
  expect(await client.send('PING')).toMatch(/^-LOADING/);
  expect(await client.send('CLIENT', 'SETNAME', 'me')).toMatch(/^-NOAUTH/);
  expect(await client.send('AUTH', 'owner')).toBe('+OK');
  const server = await finish();
  client.close();
  await server.close();
});

test('a port of HTTP that is taken fails the start, and nothing goes on listening', () =>
  withHttp(async (httpPort) => {
    const port = await freePort();
    await expect(serve({ ...testServer, port, httpPort })).rejects.toMatchObject({
      code: 'E_USAGE',
      message: expect.stringMatching(/cannot listen on 127\.0\.0\.1:\d+.*another httpPort/),
    });
    await expect(Client.open(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  }));
