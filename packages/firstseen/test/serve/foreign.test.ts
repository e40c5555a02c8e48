// Programs that speak another protocol on the port of Redis: their connection ends, and nothing after the first sign of it is run. The
// requests are what browsers send for a page that posts a body of commands with `fetch(url, { method: 'POST', mode: 'no-cors', body })`.

import { describe, expect, test } from 'vitest';
import { ForeignConnections } from '../../src/serve/foreign.js';
import { encode } from './support/client.js';
import { type FakeClient, fakeClient, fakeServer, settled } from './support/fakesocket.js';

const commands = 'FS.CREATE attacked\r\nFS.DROP kept\r\n';
const arrays = encode('FS.CREATE', 'attacked').toString();

const firefox = (body: string) =>
  [
    'POST / HTTP/1.1',
    'Host: 127.0.0.1:6379',
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'Accept: */*',
    'Accept-Language: en-US,en;q=0.5',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Content-Type: text/plain;charset=UTF-8',
    `Content-Length: ${body.length}`,
    'Origin: http://attacker.example',
    'Connection: keep-alive',
    'Sec-Fetch-Dest: empty',
    'Sec-Fetch-Mode: no-cors',
    'Sec-Fetch-Site: cross-site',
    '',
    body,
  ].join('\r\n');

const chromium = (body: string) =>
  [
    'POST / HTTP/1.1',
    'Host: redis.attacker.example:6379',
    'Connection: keep-alive',
    `Content-Length: ${body.length}`,
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
    'Content-Type: text/plain;charset=UTF-8',
    'Accept: */*',
    'Origin: http://attacker.example',
    'Referer: http://attacker.example/',
    'Accept-Encoding: gzip, deflate',
    'Accept-Language: en-US,en;q=0.9',
    '',
    body,
  ].join('\r\n');

/** A handshake of TLS, and in it a name of a host that has commands. */
const tls = Buffer.concat([Buffer.from('160301006c0100006803034a', 'hex'), Buffer.from(`\r\n${commands}`)]);
/** A request to a relay (RFC 8489), which a page can make a browser send over TCP, with a name of a user that has commands. */
const stun = Buffer.concat([
  Buffer.from('000300642112a442000102030405060708090a0b00060050', 'hex'),
  Buffer.from(`\r\n${commands}`),
]);

const inputs: [protocol: string, bytes: string | Uint8Array][] = [
  ['HTTP of Firefox, lines of commands', firefox(commands)],
  ['HTTP of Firefox, commands as arrays', firefox(arrays)],
  ['HTTP of Chromium, lines of commands', chromium(commands)],
  ['HTTP of Chromium, commands as arrays', chromium(arrays)],
  ['HTTP whose method is a command', `GET /${'a'.repeat(5000)} HTTP/1.1\r\nHost: a\r\n\r\n${commands}`],
  ['HTTP whose method is another command', `AUTH / HTTP/1.0\r\n\r\n${commands}`],
  ['HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${commands}`],
  ['RTSP', `SET rtsp://a/b RTSP/1.0\r\n${commands}`],
  ['SIP', `INFO sip:a@b SIP/2.0\r\n${commands}`],
  ['HTTP in small letters', `get / http/1.1\r\n${commands}`],
  ['SHOUTCAST', `GET / SHOUTCAST/1.0\r\n${commands}`],
  ['memcached that stores', `set a 0 0 ${commands.length}\r\n${commands}`],
  ['memcached that compares', `cas a 0 -1 ${commands.length} 7 noreply\r\n${commands}`],
  ['memcached that reads', `get a b c\r\n${commands}`],
  ['memcached that reads one key', `get a 0 0\r\n${commands}`],
  ['TLS', tls],
  ['STUN', stun],
  ['SMTP', `EHLO a\r\n${commands}`],
  ['SSH', `SSH-2.0-OpenSSH_9.6\r\n${commands}`],
  ['a proxy, version 1', `PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n${commands}`],
  ['a proxy, version 2', Buffer.from(`\r\n\r\n\0\r\nQUIT\n${commands}`)],
  ['a line of headers', `Host: a\r\n${commands}`],
];

async function clientWithKept(): Promise<FakeClient> {
  const server = fakeServer();
  fakeClient({ server }).socket.send(encode('FS.CREATE', 'kept', 'MEMORY', '64KiB'));
  while (server.store.count === 0) await settled();
  return fakeClient({ server });
}

describe.each(inputs)('%s', (_name, bytes) => {
  test.each(['together', 'byte by byte'])('ends the connection, and nothing is run: %s', async (form) => {
    const { socket, server } = await clientWithKept();
    const chunks = form === 'together' ? [bytes] : Array.from(Buffer.from(bytes), (byte) => Uint8Array.of(byte));
    for (const chunk of chunks) socket.send(chunk);
    await settled();
    expect([server.store.find('attacked') !== undefined, server.store.find('kept') !== undefined]).toEqual([
      false,
      true,
    ]);
    expect(socket.writableEnded).toBe(true);
    expect(socket.written).toMatch(/^-ERR [^\r]+\r\n$/);
    expect([server.foreignConnections.count, server.counts.errors]).toEqual([1, 1]);
  });
});

test('a client of TLS is answered at its first byte', async () => {
  const { socket } = await clientWithKept();
  socket.send(tls.subarray(0, 1));
  await settled();
  expect(socket.written).toBe('-ERR Protocol error: this port speaks the protocol of Redis, not TLS\r\n');
});

test('commands before another protocol are answered, and a person may type', async () => {
  const { socket, server } = await clientWithKept();
  socket.send('PING\r\n  ping "h\u00e9 HTTP/1.1"\r\n');
  socket.send(Buffer.concat([encode('NOSUCH'), encode('ECHO', 'GET / HTTP/1.1\r\n'), encode('ECHO', '\x16')]));
  await settled();
  expect([socket.writableEnded, server.foreignConnections.count]).toEqual([false, 0]);
  socket.send('ECHO a\r\nNOSUCH\r\nECHO b\r\n');
  await settled();
  expect(socket.written.slice(-80)).toMatch(/\$1\r\na\r\n-ERR unknown command 'NOSUCH'[^\r]*\r\n$/);
  expect(socket.writableEnded).toBe(true);
});

test('connections are told of at once, then once a minute with their number', () => {
  const warnings: string[] = [];
  const connections = new ForeignConnections((message) => warnings.push(message));
  for (let i = 0; i < 1000; i++) connections.add(`10.0.0.${i % 250}:1`, 'HTTP');
  expect(connections.count).toBe(1000);
  expect(warnings).toEqual(['10.0.0.0:1 speaks HTTP, not the protocol of Redis: its connection is ended']);
});
