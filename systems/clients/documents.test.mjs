// The commands in the documents about keys of Redis answer what is beside them, and none is an error. Those that move a detector move it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { has } from '../../tools/fetch.mjs';
import { firstseen, repository } from '../../tools/support/paths.mjs';
import { startFirstseen } from './support/servers.mjs';

const ASK = 'redis-cli -p 6390 ';
const CURL = 'curl ';
const PLAN = 'npx firstseen plan ';
const missing = ['redis-cli', 'curl']
  .filter((program) => !has(program, '--version'))
  .map((program) => `${program} is not installed`)[0];

const textOf = (name) => readFileSync(join(repository, name), 'utf8');
const [beginning] = textOf('docs/SERVER.md').split('\n## ');
const [, keysOfRedis] = /(\n## Keys of Redis\n[\s\S]*?)\n## /.exec(textOf('docs/SERVER.md'));
const documents = {
  'SERVER.md, the beginning': beginning,
  'SERVER.md, Keys of Redis': keysOfRedis,
  'FROM-REDIS.md': textOf('docs/FROM-REDIS.md'),
};

/** The lines of the blocks for a shell. */
function linesOf(text) {
  return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block]) => block.trim().split(/\n */));
}

/** The command for a server on other ports. What redis-cli prints is what it prints to a terminal. */
function onPorts(command, { port, httpPort }) {
  return command.startsWith(ASK)
    ? `redis-cli -e --no-raw -p ${port} ${command.slice(ASK.length)}`
    : command.replace('localhost:6391', `127.0.0.1:${httpPort}`);
}

/** What a command prints. */
function answerOf(command, server) {
  const shell = onPorts(command, server);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' });
  assert.equal(status, 0, `${command}: ${stdout}${stderr}`);
  return stdout.trim();
}

for (const [name, text] of Object.entries(documents)) {
  const lines = linesOf(text);
  describe(name, () => {
    let server;
    before(async () => {
      const starts = lines.filter((line) => line.startsWith('npx firstseen serve'));
      const maps = starts.flatMap((line) => [...line.matchAll(/--map '([^']*)'/g)].map(([, map]) => map));
      const [, declared] = /^```json\n([\s\S]*?)^```$/m.exec(text) ?? [];
      if (declared === undefined) server = await startFirstseen({ maps, memory: '1GiB' });
      else {
        assert.deepEqual(JSON.parse(declared).map, maps);
        const config = join(mkdtempSync(join(tmpdir(), 'firstseen-test-')), 'serve.json');
        writeFileSync(config, declared);
        server = await startFirstseen({ config, memory: '1GiB' });
        rmSync(dirname(config), { recursive: true });
      }
    });
    after(() => server.stop());

    test('what is asked', { skip: missing ?? false }, () => {
      for (const line of lines.filter((one) => one.startsWith(ASK) || one.startsWith(CURL))) {
        const [command, answer] = line.split(' # ');
        const found = answerOf(command, server);
        if (answer !== undefined) assert.equal(found, answer, line);
      }
    });

    test('what is planned', () => {
      for (const line of lines.filter((one) => one.startsWith(PLAN))) {
        const args = [firstseen, 'plan', ...line.slice(PLAN.length).split(' ')];
        const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
        const [, capacity] = /exactwindow .* full after ([0-9,]+) distinct/.exec(stdout) ?? [];
        assert.equal(status, 0);
        assert.ok(text.includes(`full after ${capacity} distinct`), stdout);
      }
    });
  });
}

describe('HTTP.md, Move a detector', () => {
  const [, text] = /(\n## Move a detector\n[\s\S]*?)\n## /.exec(textOf('docs/HTTP.md'));
  const [, script] = /^```sh\n([\s\S]*?)^```$/m.exec(text);
  let servers;
  before(async () => {
    servers = await Promise.all([startFirstseen(), startFirstseen()]);
  });
  after(() => Promise.all(servers.map((server) => server.stop())));

  test('the detector goes on at the other server, with its claims', { skip: missing ?? false }, () => {
    const [from, to] = servers;
    const ask = (server, ...words) => answerOf(`${ASK}${words.join(' ')}`, server);
    ask(from, 'FS.CREATE', 'orders', 'CLAIMS', 'MEMORY', '64KiB');
    ask(from, 'FS.CLAIM', 'orders', 'held', 'TOKEN', 'mine');
    ask(from, 'FS.OBSERVE', 'orders', 'done');
    const folder = mkdtempSync(join(tmpdir(), 'firstseen-test-'));
    const moved = script
      .replaceAll('http://old:6391', `http://127.0.0.1:${from.httpPort}`)
      .replaceAll('http://new:6391', `http://127.0.0.1:${to.httpPort}`);
    const { status, stderr } = spawnSync('sh', ['-e', '-c', moved], { encoding: 'utf8', cwd: folder });
    rmSync(folder, { recursive: true });
    assert.equal(status, 0, stderr);
    assert.equal(ask(from, 'FS.LIST'), '(empty array)');
    assert.match(ask(to, 'FS.TEST', 'orders', 'done'), /duplicate/);
    assert.match(ask(to, 'FS.CLAIM', 'orders', 'held'), /pending/);
    assert.equal(ask(to, 'FS.COMMIT', 'orders', 'held', 'mine'), '(integer) 1');
  });
});
