import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { checkCertificates, tlsOptions } from '../../src/serve/security/tls.js';
import { Tokens } from '../../src/serve/security/tokens.js';
import type { RunningServer } from '../../src/serve/server.js';
import { certificate, pairOf } from './support/certificates.js';
import { Client } from './support/client.js';
import { withServer } from './support/server.js';

const reading = 'reading-0123456789';
const observing = 'observing-0123456789';
const [admin, newAdmin] = ['admin-0123456789', 'admin-9876543210'];

function allTokens(): Tokens {
  return new Tokens([
    { role: 'read', token: reading },
    { role: 'observe', token: observing },
    { role: 'admin', token: admin },
    { role: 'admin', token: newAdmin },
  ]);
}

const authenticate = (tokens: Tokens) => (user: string, token: string) => tokens.authenticate(user, token);

describe('tokens', () => {
  test('give the role of any of them to the user default, and to the user of that role', () => {
    const tokens = allTokens();
    expect(tokens.authenticate('default', reading)).toBe('read');
    expect(tokens.authenticate('default', observing)).toBe('observe');
    expect(tokens.authenticate('admin', admin)).toBe('admin');
    expect(tokens.authenticate('admin', newAdmin)).toBe('admin');
    for (const [user, token] of [
      ['admin', reading],
      ['read', admin],
      ['somebody', admin],
      ['default', ''],
      ['default', `${admin} `],
      ['default', admin.slice(0, -1)],
      ['none', admin],
    ] as const) {
      expect([user, token, tokens.authenticate(user, token)]).toEqual([user, token, undefined]);
    }
  });

  test('can be replaced', () => {
    const tokens = allTokens();
    tokens.replace([{ role: 'admin', token: newAdmin }]);
    expect([admin, newAdmin].map((token) => tokens.authenticate('default', token))).toEqual([undefined, 'admin']);
  });

  test('decide what a client may do', () =>
    withServer(
      async (client, { port }) => {
        expect(await client.send('PING')).toMatch(/^-NOAUTH/);
        expect(await client.send('FS.LIST')).toMatch(/^-NOAUTH/);
        expect(await client.send('AUTH', 'wrong-token-0123456789')).toMatch(/^-WRONGPASS/);
        expect(await client.send('AUTH', 'observe', reading)).toMatch(/^-WRONGPASS/);
        expect(await client.send('PING')).toMatch(/^-NOAUTH/);
        expect(await client.send('AUTH', admin)).toBe('+OK');
        expect(await client.send('FS.CREATE', 'd', 'memory', '1KiB')).toBe('+OK');

        const observer = await Client.open(port);
        expect(await observer.send('AUTH', 'observe', observing)).toBe('+OK');
        expect(await observer.send('FS.OBSERVE', 'd', 'a')).toEqual(['+distinct']);
        expect(await observer.send('FS.DROP', 'd')).toMatch(/^-NOPERM/);
        expect(await observer.send('BF.INSERT', 'new', 'CAPACITY', '100', 'ITEMS', 'a')).toMatch(/^-NOPERM/);
        expect(await observer.send('BF.INSERT', 'd', 'CAPACITY', '100', 'ITEMS', 'a')).toEqual([0]);
        expect(await observer.send('FS.LIST')).toEqual(['d']);

        const reader = await Client.open(port);
        expect(await reader.send('HELLO', '3', 'AUTH', 'default', reading)).toBeInstanceOf(Map);
        expect(await reader.send('FS.TEST', 'd', 'a')).toEqual(['+duplicate']);
        expect(await reader.send('FS.OBSERVE', 'd', 'b')).toMatch(/^-NOPERM/);
        // A wrong password leaves the client as it was.
        expect(await reader.send('AUTH', 'wrong-token-0123456789')).toMatch(/^-WRONGPASS/);
        expect(await reader.send('FS.TEST', 'd', 'b')).toEqual(['+distinct']);
        expect(await reader.send('RESET')).toBe('+RESET');
        expect(await reader.send('FS.TEST', 'd', 'b')).toMatch(/^-NOAUTH/);
        observer.close();
        reader.close();
      },
      { authenticate: authenticate(allTokens()) },
    ));
});

const authority = certificate('authority.pem');

/** A client that encrypts; the error of a handshake that fails. */
function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket | Error> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', ca: authority, ...options });
    socket.on('error', resolve);
    // A server that refuses the certificate of a client says so after its own handshake.
    socket.once('secureConnect', () => socket.write('PING\r\n'));
    socket.once('data', () => resolve(socket));
    socket.once('close', () => resolve(new Error('closed')));
  });
}

/** The name that a server has in its certificate. */
async function nameOf(port: number): Promise<string | string[] | undefined> {
  const socket = (await openTls(port)) as TLSSocket;
  const name = socket.getPeerCertificate().subject.CN;
  socket.destroy();
  return name;
}

describe('encrypted connections', () => {
  const certificates = { ...pairOf('server'), ca: undefined };

  test('take clients that encrypt, and no others', () =>
    withServer(
      async (plain, { port, renewCertificates }) => {
        expect(await plain.send('PING')).toBeUndefined();
        expect(await nameOf(port)).toBe('server');
        const socket = (await openTls(port)) as TLSSocket;
        const client = new Client(socket);
        expect(await client.send('FS.CREATE', 'd', 'memory', '64KiB')).toBe('+OK');
        const keys = Array.from({ length: 20_000 }, (_, i) => `key ${i}`);
        expect(await client.send('FS.ADD', 'd', ...keys)).toBe(keys.length);
        renewCertificates({ ...pairOf('renewed'), ca: undefined });
        expect(await nameOf(port)).toBe('renewed');
        expect(await client.send('PING')).toBe('+PONG');
        // A client that closes its side still gets its replies.
        client.socket.end('PING\r\n');
        expect(await client.take(2)).toEqual(['+PONG', undefined]);
      },
      { certificates },
    ));

  test('tell an administrator of clients that do not encrypt, on both ports', async () => {
    const warnings: string[] = [];
    const options = { certificates, httpPort: 0, onWarning: (message: string) => void warnings.push(message) };
    const speak = async (text: string, portOf: (server: RunningServer) => number) =>
      withServer(async (client, server) => {
        const plain = await Client.open(portOf(server));
        plain.socket.write(text);
        expect(await plain.take(1)).toEqual([undefined]);
        client.close();
      }, options);
    await speak('*1\r\n$4\r\nPING\r\n', ({ port }) => port);
    await speak('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', ({ httpPort }) => httpPort as number);
    expect(warnings).toEqual([
      expect.stringMatching(/127\.0\.0\.1:\d+ speaks a protocol without encryption, not TLS: its connection is ended$/),
      expect.stringMatching(/127\.0\.0\.1:\d+ speaks HTTP without encryption, not TLS: its connection is ended$/),
    ]);
  });

  test('let a handshake take no longer than a command may', () => {
    const timeOf = (requestMilliseconds: number) => tlsOptions(certificates, requestMilliseconds).handshakeTimeout;
    expect([timeOf(3000), timeOf(60_000)]).toEqual([3000, 10_000]);
  });

  test('ask clients for certificates of an authority', () =>
    withServer(
      async (_, { port }) => {
        const known = await openTls(port, pairOf('client'));
        expect(known).not.toBeInstanceOf(Error);
        (known as TLSSocket).destroy();
        expect(await openTls(port)).toBeInstanceOf(Error);
        expect(await openTls(port, pairOf('foreign'))).toBeInstanceOf(Error);
      },
      { certificates: { ...certificates, ca: authority } },
    ));

  test('need a certificate and its key', () => {
    checkCertificates(certificates);
    expect(() => checkCertificates({ ...certificates, key: certificate('client.key') })).toThrow(
      /^the certificate cannot be used: .*; give tlsCert and tlsKey that belong together/,
    );
    expect(() => checkCertificates({ ...certificates, cert: Buffer.from('none') })).toThrow(/cannot be used/);
  });

  test('need authorities that can be read, if clients need certificates', () => {
    const check = (ca: Buffer) => checkCertificates({ ...certificates, ca });
    check(Buffer.concat([authority, Buffer.from('# another one\n'), pairOf('server').cert]));
    const cut = authority.subarray(0, authority.length / 2);
    for (const ca of ['', 'none', certificate('server.key'), cut, Buffer.concat([authority, cut])]) {
      expect(() => check(Buffer.from(ca))).toThrow(/^the authorities of clients cannot be used: .*; give tlsCa with/);
    }
  });
});
