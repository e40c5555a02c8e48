// Routes that claim keys, and settle claims.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Client } from '../support/client.js';
import { dataIn, killedNow, newFolder } from '../support/folder.js';
import { ask, askJson, withHttp } from '../support/http.js';

/** Waits until the server has a number of connections, with the one that asks. */
async function untilOpen(port: number, count: number): Promise<void> {
  const open = async () =>
    /firstseen_open_connections\{protocol="http"\} (\d+)/.exec((await ask(port, 'GET', '/metrics')).text)?.[1];
  while ((await open()) !== String(count)) await sleep(5);
}

/** Asks a detector for claims. */
function asking(port: number) {
  return async (verb: string, body: object, name = 'd') => {
    const { status, json } = await askJson(port, 'POST', `/detectors/${name}/${verb}`, body);
    return status === 200 ? json : [status, json.code];
  };
}

function withClaims(run: (ask: ReturnType<typeof asking>, redisPort: number) => Promise<void>): Promise<void> {
  return withHttp(async (port, server) => {
    await askJson(port, 'PUT', '/detectors/d', { claims: true, memory: '1MiB' });
    await askJson(port, 'PUT', '/detectors/plain', { memory: '64KiB' });
    await run(asking(port), server.port);
  });
}

test('a claim is committed once, by its token', () =>
  withClaims(async (ask) => {
    expect(await ask('claim', { key: 'k', token: 'mine', lease: '30s' })).toEqual({
      verdict: 'distinct',
      token: 'mine',
    });
    expect(await ask('claim', { key: 'k', token: 'mine' })).toEqual({ verdict: 'distinct', token: 'mine' });
    const pending = await ask('claim', { key: 'k' });
    expect(pending).toEqual({ verdict: 'pending', remainingMilliseconds: expect.any(Number) });
    expect(await ask('commit', { key: 'k', token: 'other' })).toEqual({ done: false });
    expect(await ask('extend', { key: 'k', token: 'mine' })).toEqual({ done: true });
    expect(await ask('commit', { key: 'k', token: 'mine' })).toEqual({ done: true });
    expect(await ask('claim', { key: 'k' })).toEqual({ verdict: 'duplicate' });
    expect(await ask('claim', { key: 'free' })).toEqual({
      verdict: 'distinct',
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  }));

test('keys that are not UTF-8 are refused, so that none is taken for another', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { claims: true, memory: '1MiB' });
    const headers = { 'Content-Type': 'application/json' };
    for (const body of [Buffer.from('{"key":"job-\xff"}', 'latin1'), Buffer.from('{"key":"job-\\ud801"}')]) {
      const { status, text } = await ask(port, 'POST', '/detectors/d/claim', { headers, body });
      expect([status, text]).toEqual([400, expect.stringMatching(/UTF-8|surrogate/)]);
    }
    expect(await askJson(port, 'POST', '/detectors/d/claim', { key: 'job-\u{1f600}\ufffd' })).toMatchObject({
      status: 200,
    });
  }));

test('a key that is aborted is free, and a client that waits gets it, also with one of Redis', () =>
  withClaims(async (ask, redisPort) => {
    await ask('claim', { key: 'é', token: 'ä' });
    const waiting = ask('claim', { key: 'é', token: 'next', wait: 60_000 });
    const client = await Client.open(redisPort);
    expect(await client.send('FS.ABORT', 'd', 'é', 'ä')).toBe(1);
    client.close();
    expect(await waiting).toEqual({ verdict: 'distinct', token: 'next' });
    expect(await ask('claim', { key: 'é', wait: 20 })).toMatchObject({ verdict: 'pending' });
    expect(await ask('abort', { key: 'é', token: 'next' })).toEqual({ done: true });
    expect(await ask('abort', { key: 'é', token: 'next' })).toEqual({ done: false });
  }));

test('a client that waits is told the answer of the commit, whatever protocol it came by', () =>
  withClaims(async (ask, redisPort) => {
    const client = await Client.open(redisPort);
    await client.send('FS.CLAIM', 'd', 'a', 'TOKEN', 't');
    await ask('claim', { key: 'b', token: 't' });
    const waiting = ask('claim', { key: 'a', wait: 60_000 });
    expect(await ask('claim', { key: 'a' })).toMatchObject({ verdict: 'pending' });
    expect(await client.send('FS.COMMIT', 'd', 'a', 't', 'ANSWER', 'bezahlt für ä')).toBe(1);
    expect(await waiting).toEqual({ verdict: 'duplicate', answer: 'bezahlt für ä' });
    expect(await ask('claim', { key: 'a' })).toEqual({ verdict: 'duplicate' });
    const other = client.send('FS.CLAIM', 'd', 'b', 'WAIT', '1h');
    expect(await ask('claim', { key: 'b' })).toMatchObject({ verdict: 'pending' });
    expect(await ask('commit', { key: 'b', token: 't', answer: 'ü' })).toEqual({ done: true });
    expect(await other).toEqual(['+duplicate', 'ü']);
    expect(await ask('commit', { key: 'b', token: 't', answer: 7 })).toEqual([400, 'E_REQUEST']);
    client.close();
  }));

test('wrong bodies, other detectors and those that there are not are refused', () =>
  withClaims(async (ask) => {
    for (const verb of ['claim', 'commit', 'abort', 'extend']) {
      expect(await ask(verb, { key: 'k', token: 't' }, 'plain')).toEqual([409, 'E_CLAIMS']);
      expect(await ask(verb, { key: 'k', token: 't' }, 'none')).toEqual([404, 'E_NOT_FOUND']);
      expect(await ask(verb, { token: 't' })).toEqual([400, 'E_REQUEST']);
      expect(await ask(verb, { key: 'k', token: '' })).toEqual([400, 'E_REQUEST']);
      expect(await ask(verb, { key: 'k', tokn: 't', token: 't' })).toEqual([400, 'E_REQUEST']);
      expect(await ask(verb, { key: 7, token: 't' })).toEqual([400, 'E_REQUEST']);
    }
    expect(await ask('commit', { key: 'k' })).toEqual([400, 'E_REQUEST']);
    expect(await ask('claim', { key: 'k', lease: 'soon' })).toEqual([400, 'E_REQUEST']);
    expect(await ask('claim', { key: 'k', wait: '2d' })).toEqual([400, 'E_REQUEST']);
  }));

test('a client that has gone does not get the key that it waited for', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { claims: true, memory: '1MiB' });
    const claims = asking(port);
    await claims('claim', { key: 'k', token: 'first' });
    const aborted = new AbortController();
    const gone = fetch(`http://127.0.0.1:${port}/detectors/d/claim`, {
      method: 'POST',
      body: JSON.stringify({ key: 'k', token: 'gone', wait: 60_000 }),
      headers: { 'Content-Type': 'application/json' },
      signal: aborted.signal,
    });
    // Its request is the only one that is open, besides the one that asks.
    await untilOpen(port, 2);
    aborted.abort();
    await expect(gone).rejects.toThrow();
    await untilOpen(port, 1);
    const next = claims('claim', { key: 'k', token: 'next', wait: 60_000 });
    await claims('abort', { key: 'k', token: 'first' });
    expect(await next).toEqual({ verdict: 'distinct', token: 'next' });
  }));

test('claims that were answered are held after a kill', async () => {
  const folder = newFolder();
  let killed = '';
  await withHttp(
    async (port) => {
      await askJson(port, 'PUT', '/detectors/d', { claims: true, memory: '1MiB' });
      const ask = asking(port);
      await ask('claim', { key: 'held', token: 'mine', lease: '10m' });
      await ask('claim', { key: 'done', token: 'mine' });
      await ask('commit', { key: 'done', token: 'mine' });
      killed = killedNow(folder);
    },
    { data: dataIn(folder) },
  );
  await withHttp(
    async (port) => {
      const ask = asking(port);
      expect(await ask('claim', { key: 'held' })).toMatchObject({ verdict: 'pending' });
      expect(await ask('claim', { key: 'held', token: 'mine' })).toMatchObject({ verdict: 'distinct' });
      expect(await ask('claim', { key: 'done' })).toEqual({ verdict: 'duplicate' });
    },
    { data: dataIn(killed) },
  );
});

test('a client that waits for a key of a detector that is dropped is told so', () =>
  withClaims(async (ask, redisPort) => {
    await ask('claim', { key: 'k', token: 'a', lease: '1h' });
    const waiting = ask('claim', { key: 'k', wait: '1h' });
    await sleep(30);
    const client = await Client.open(redisPort);
    expect(await client.send('FS.DROP', 'd')).toBe('+OK');
    client.close();
    expect(await waiting).toEqual([404, 'E_NOT_FOUND']);
  }));

test('a body of keys takes no room that is kept for keys that are held', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { claims: true, memory: '1KiB' });
    const claims = asking(port);
    await claims('claim', { key: 'k', token: 't' });
    const keys = Array.from({ length: 200 }, (_, i) => `${i}\n`).join('');
    const observe = (body: string) => ask(port, 'POST', '/detectors/d/observe', { body, type: 'text/plain' });
    expect((await observe(keys)).text).toMatch(/besides 1 key that claims hold.*"E_FULL"/);
    expect((await observe('k\n0\n')).text).toBe('pending\nduplicate\n');
    expect(await claims('claim', { key: 'new' })).toEqual([507, 'E_FULL']);
    expect(await claims('commit', { key: 'k', token: 't' })).toEqual({ done: true });
  }));

test('many requests of one connection wait in turn, and Node warns of nothing', () =>
  withHttp(async (port) => {
    await askJson(port, 'PUT', '/detectors/d', { claims: true, memory: '1MiB' });
    await asking(port)('claim', { key: 'k', token: 'first' });
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const socket = connect(port, '127.0.0.1');
    const body = JSON.stringify({ key: 'k', wait: 5 });
    const head = `POST /detectors/d/claim HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body}`.repeat(20));
    let replies = '';
    for await (const chunk of socket) {
      replies += chunk;
      if (replies.split('"pending"').length > 20) break;
    }
    process.off('warning', note);
    expect(warnings).toEqual([]);
  }));
