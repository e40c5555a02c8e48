// firstseen serve --check, which asks a running server.

import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { certificatePath } from '../serve/support/certificates.js';
import { temporaryFolder } from './support/command.js';
import { runCommand } from './support/runner.js';
import { start } from './support/server.js';

async function check(port: number, flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const args = ['serve', '--check', '--port', String(port), ...flags];
  const { code, stdout, stderr } = await runCommand(args, { cwd: temporaryFolder(), env });
  return [code, `${stdout}${stderr}`];
}

const isWell = [0, ''];

test('a server that runs answers, and one that does not run is an error', async () => {
  const { port, kill } = await start(temporaryFolder(), '--in-memory');
  expect(await check(port)).toEqual(isWell);
  expect(await check(port, ['--in-memory'], { FIRSTSEEN_HOST: '0.0.0.0' })).toEqual(isWell);
  await kill('SIGTERM');
  expect(await check(port)).toEqual([
    1,
    expect.stringMatching(/the server at 127.0.0.1:\d+ cannot be reached.*E_SERVER/),
  ]);
  expect(await check(0)).toEqual([2, expect.stringMatching(/--check cannot find a server with the port 0/)]);
});

test('a server that needs a token or certificates is asked without secrets', async () => {
  const tls = ['--tls-cert', certificatePath('server.pem'), '--tls-key', certificatePath('server.key')];
  const ca = ['--tls-ca', certificatePath('authority.pem')];
  const stranger = ['--tls-ca', certificatePath('stranger.pem')];
  for (const flags of [tls, [...tls, ...ca], [...tls, ...stranger]]) {
    const { port, kill } = await start(temporaryFolder(), '--in-memory', ...flags);
    const [code] = await check(port, flags);
    expect([flags, code]).toEqual([flags, 0]);
    await kill('SIGTERM');
  }
  const env = { FIRSTSEEN_TOKEN_ADMIN: 'admin-0123456789' };
  const { port, kill } = await start({ cwd: temporaryFolder(), env }, '--in-memory');
  expect(await check(port)).toEqual(isWell);
  await kill('SIGTERM');
});

test.each([
  ['-LOADING the server is reading its data folder\r\n', /answers -LOADING the server is reading its data folder/],
  ['HTTP/1.1 400 Bad Request\r\n\r\n', /answers HTTP\/1.1 400 Bad Request/],
  ['', /closes the connection/],
])('the answer %j is an error', async (answer, problem) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  expect(await check(port)).toEqual([1, expect.stringMatching(problem)]);
  server.close();
});
