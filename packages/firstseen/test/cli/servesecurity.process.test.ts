// The built command as a server with tokens and certificates.

import { chmodSync, copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { certificate, certificatePath } from '../serve/support/certificates.js';
import { Client } from '../serve/support/client.js';
import { freePort } from '../serve/support/freeport.js';
import { finished, startFirstseen, temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';
import { start } from './support/server.js';

const [admin, reading, later] = ['admin-0123456789', 'reading-0123456789', 'later-0123456789'];

/** A file that only its owner can read. */
function secretFile(cwd: string, name: string, text: string): void {
  writeFileSync(join(cwd, name), text, { mode: 0o600 });
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(10);
}

/** The name in the certificate of a server. */
function nameOf(port: number): Promise<string | string[] | undefined> {
  return new Promise((resolve, reject) => {
    const ca = certificate('authority.pem');
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', ca }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('tokens are in files and variables, and are read again at SIGHUP', async () => {
  const cwd = temporaryFolder();
  secretFile(cwd, 'admin', `# since May\n${admin}\n\n`);
  const env = { FIRSTSEEN_TOKEN_READ: reading, FIRSTSEEN_HOST: '0.0.0.0' };
  const server = await start({ cwd, env }, '--token-admin-file', 'admin', '--in-memory');
  const client = await Client.open(server.port);
  expect(await client.send('PING')).toMatch(/^-NOAUTH/);
  expect(await client.send('AUTH', admin)).toBe('+OK');
  expect(await client.send('FS.CREATE', 'd', 'memory', '1KiB')).toBe('+OK');
  expect(await client.send('AUTH', 'read', reading)).toBe('+OK');
  expect(await client.send('FS.DROP', 'd')).toMatch(/^-NOPERM/);
  secretFile(cwd, 'admin', 'short');
  server.signal('SIGHUP');
  await until(() => server.messages().includes('stay as they were: line 1 of admin is not a token'));
  expect(await client.send('AUTH', admin)).toBe('+OK');
  secretFile(cwd, 'admin', `${later}\n`);
  server.signal('SIGHUP');
  await until(() => server.messages().includes('read tokens and certificates again'));
  expect(await client.send('AUTH', admin)).toMatch(/^-WRONGPASS/);
  expect(await client.send('AUTH', later)).toBe('+OK');
  client.close();
  const { code, stdout } = await server.kill('SIGTERM');
  expect([code, stdout.toString()]).toEqual([0, expect.stringContaining('\nclients: with a token\n')]);
});

test('SIGHUP while the data folder is read does not end a server', async () => {
  const cwd = temporaryFolder();
  secretFile(cwd, 'admin', admin);
  const first = await start(cwd);
  const make = { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"memory": "1MiB"}' };
  expect((await fetch(`${first.url}detectors/d`, make)).status).toBe(201);
  const body = new BigUint64Array(1e6).map((_, i) => BigInt(i));
  const observe = { method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body };
  expect((await fetch(`${first.url}detectors/d/observe?emit=counts`, observe)).status).toBe(200);
  await first.kill('SIGKILL');
  const port = await freePort();
  const flags = ['--port', '0', '--http-port', String(port), '--token-admin-file', 'admin'];
  const child = startFirstseen(['serve', ...flags], { cwd });
  const phase = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      (reply) => reply.text(),
      () => 'away\n',
    );
  for (let found = await phase(); found !== 'ready\n'; found = await phase()) {
    expect(child.exitCode ?? child.signalCode).toBeNull();
    if (found === 'loading\n') child.kill('SIGHUP');
  }
  child.kill('SIGTERM');
  expect((await finished(child)).code).toBe(0);
});

test('a server without tokens and certificates stops at SIGHUP', async () => {
  const { kill } = await start(temporaryFolder(), '--in-memory');
  expect((await kill('SIGHUP')).code).toBe(0);
});

test('certificates are read again at SIGHUP', async () => {
  const cwd = temporaryFolder();
  const use = (name: string) => {
    for (const ending of ['pem', 'key']) copyFileSync(certificatePath(`${name}.${ending}`), join(cwd, `tls.${ending}`));
    chmodSync(join(cwd, 'tls.key'), 0o600);
  };
  use('server');
  const server = await start(cwd, '--tls-cert', 'tls.pem', '--tls-key', 'tls.key', '--in-memory');
  expect(await nameOf(server.port)).toBe('server');
  use('renewed');
  server.signal('SIGHUP');
  await until(() => server.messages().includes('read tokens and certificates again'));
  expect(await nameOf(server.port)).toBe('renewed');
  chmodSync(join(cwd, 'tls.key'), 0o644);
  server.signal('SIGHUP');
  await until(() => server.messages().includes('every user of this machine can read tls.key; take that'));
  const { stdout } = await server.kill('SIGTERM');
  expect(stdout.toString()).toContain('\nclients: of this machine, encrypted\n');
});

test('an address that other machines reach needs tokens, or certificates of clients', async () => {
  const cwd = temporaryFolder();
  const problem = async (flags: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stderr } = await runCommand(['serve', '--in-memory', '--port', '0', ...flags], { cwd, env });
    return `${code} ${stderr}`;
  };
  const [cert, key] = ['server.pem', 'server.key'].map(certificatePath) as [string, string];
  const tls = ['--tls-cert', cert, '--tls-key', key];
  expect(await problem(['--host', '0.0.0.0'])).toMatch(
    /^2 firstseen: --host 0\.0\.0\.0 can be reached from other machines.*; give --token-admin-file, or --tls-ca/,
  );
  expect(await problem(tls, { FIRSTSEEN_HOST: '::' })).toMatch(/FIRSTSEEN_HOST :: can be reached from other machines/);
  expect(await problem(tls.slice(0, 2))).toMatch(/^2 firstseen: --tls-cert requires --tls-key; give --tls-key/);
  expect(await problem(tls.slice(2))).toMatch(/^2 firstseen: --tls-key requires --tls-cert/);
  expect(await problem(['--tls-ca', cert])).toMatch(/^2 firstseen: --tls-ca requires --tls-cert/);
  expect(await problem(['--tls-cert', cert, '--tls-key', certificatePath('client.key')])).toMatch(
    /^1 .*the certificate cannot be used: .*; give --tls-cert and --tls-key that belong together.*E_INPUT/s,
  );
  expect(await problem(['--tls-cert', 'none', '--tls-key', key])).toMatch(
    /^1 .*cannot read none, which --tls-cert names: there is no such file/,
  );
  expect(await problem(['--token-read-file', 'none'])).toMatch(/cannot read none, which --token-read-file names/);
  secretFile(cwd, 'empty', '\n# none\n');
  expect(await problem(['--token-read-file', 'empty'])).toMatch(
    /^2 firstseen: empty has no token; give a token a line/,
  );
  secretFile(cwd, 'blank', `${admin}\nhas a blank inside\n`);
  const withBlank = await problem(['--token-read-file', 'blank']);
  expect(withBlank).toMatch(/^2 firstseen: line 2 of blank is not a token; .*openssl rand -hex 32/);
  expect(withBlank).not.toContain('inside');
  expect(await problem([], { FIRSTSEEN_TOKEN_READ: admin, FIRSTSEEN_TOKEN_ADMIN: admin })).toMatch(
    /^2 firstseen: the roles read and admin have a token in common/,
  );
});
