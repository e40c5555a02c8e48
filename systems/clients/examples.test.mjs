// The programs of examples/clients pass each line once, also between two runs, and ship each order once.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { has } from '../../tools/fetch.mjs';
import { freePorts } from '../../tools/ports.mjs';
import { repository } from '../../tools/support/paths.mjs';
import { sendAll } from './conformance/compare.mjs';
import { creations, maps } from './conformance/mapped.mjs';
import { fetchGoRedis, fetchJedis, fetchRedisPy, fetchRedisRs } from './support/fetch.mjs';
import { startFirstseen, startRedis } from './support/servers.mjs';

const folder = join(repository, 'examples/clients');
const python = fetchRedisPy();
const go = fetchGoRedis();
const java = fetchJedis();
const rust = fetchRedisRs();
const missingCli = has('redis-cli', '--version') ? undefined : 'redis-cli is not installed';
const missingRedis = has('redis-server', '--version') ? undefined : 'redis-server is not installed';
/** The detectors of the programs, as their first lines name them. */
const detectors = ['FS.CREATE lines MEMORY 64MiB', 'FS.CREATE orders CLAIMS LEASE 30s WINDOW 1d MEMORY 64MiB'];

function run([program, ...args], { env = {}, ...options }) {
  return spawnSync(program, args, { env: { ...process.env, ...env }, encoding: 'utf8', ...options });
}

/** A port on which nothing listens. One that is free now may be that of another program a moment later. */
const AWAY_PORT = 1;

/** Copies an example to where its packages are. */
function copied(name, to) {
  cpSync(join(folder, name), join(to.folder, to.path));
  return to.folder;
}

/** By language: how its program is run, with its options. */
const observing = {
  Python: { ...python, command: () => [python.python, join(folder, 'observe.py')] },
  shell: { missing: missingCli, command: () => ['sh', join(folder, 'observe.sh')] },
};
const claiming = {
  Python: { ...python, command: () => [python.python, join(folder, 'claim.py')] },
  shell: { missing: missingCli, command: () => ['sh', join(folder, 'claim.sh')] },
  Go: {
    ...go,
    command: () => ['go', 'run', '-C', copied('claim.go', { folder: go.folder, path: 'claim.go' }), 'claim.go'],
  },
  Java: { ...java, command: () => ['java', '-cp', `${java.libs}/*`, join(folder, 'Claim.java')] },
  Rust: {
    ...rust,
    command: () => {
      const cwd = copied('claim.rs', { folder: rust.folder, path: 'src/main.rs' });
      return ['cargo', 'run', '--quiet', '--manifest-path', join(cwd, 'Cargo.toml')];
    },
  },
};

describe('the examples of clients', () => {
  let server;
  before(async () => {
    server = await startFirstseen({ maps });
    await sendAll(server.port, [...creations, ...detectors]);
  });
  after(() => server.stop());

  for (const [name, { missing, command }] of Object.entries(observing)) {
    const passed = (input, port, whenAway) =>
      run(command(), { input, env: { FIRSTSEEN_PORT: String(port), WHEN_AWAY: whenAway } });

    test(`lines, ${name}`, { skip: missing ?? false }, () => {
      const first = passed(`${name}\nb ${name}\n${name}\n`, server.port, 'stop');
      assert.deepEqual([first.status, first.stdout], [0, `${name}\nb ${name}\n`], first.stderr);
      assert.equal(passed(`b ${name}\nc ${name}\n`, server.port, 'pass').stdout, `c ${name}\n`);
    });

    test(`lines, ${name}, while the server is away`, { skip: missing ?? false }, () => {
      const stopped = passed('a\n', AWAY_PORT, 'stop');
      assert.notEqual(stopped.status, 0);
      assert.equal(stopped.stdout, '');
      const { status, stdout, stderr } = passed('a\na\n', AWAY_PORT, 'pass');
      assert.deepEqual([status, stdout], [0, 'a\na\n'], stderr);
    });
  }

  for (const [i, [name, { missing, command }]] of Object.entries(claiming).entries()) {
    const [one, other, wrong] = [`47${i}1`, `47${i}2`, `x${i}`];
    const shipped = (input, port, whenAway) =>
      run(command(), { input, env: { FIRSTSEEN_PORT: String(port), WHEN_AWAY: whenAway } });

    test(`orders, ${name}`, { skip: missing ?? false }, () => {
      const { status, stdout, stderr } = shipped([one, wrong, one, wrong, ''].join('\n'), server.port, 'stop');
      assert.deepEqual([status, stdout], [0, `shipped ${one}\n`], stderr);
      // An order that fails is free again.
      assert.equal(stderr.split(wrong).length, 3, stderr);
      assert.equal(shipped(`${one}\n${other}\n`, server.port, 'pass').stdout, `shipped ${other}\n`);
    });

    test(`orders, ${name}, while the server is away`, { skip: missing ?? false }, () => {
      const stopped = shipped(`${one}\n`, AWAY_PORT, 'stop');
      assert.notEqual(stopped.status, 0);
      assert.equal(stopped.stdout, '');
      const passed = shipped(`${one}\n${wrong}\n${one}\n`, AWAY_PORT, 'pass');
      assert.deepEqual([passed.status, passed.stdout], [0, `shipped ${one}\nshipped ${one}\n`], passed.stderr);
    });
  }

  test('Redis and the server side by side', { skip: python.missing ?? missingRedis ?? false }, async () => {
    const redis = await startRedis('redis-server');
    try {
      const compared = (input, port) =>
        run([python.python, join(folder, 'compare.py')], {
          input,
          env: { REDIS_PORT: String(redis.port), FIRSTSEEN_PORT: String(port) },
        });
      const both = compared('a\nb\na\n', server.port);
      assert.deepEqual([both.status, both.stdout], [0, 'a\nb\n'], both.stderr);
      assert.match(both.stderr, /new to both: 2\nseen by both: 1\nnew to Redis only: 0\nnew to firstseen only: 0/);
      const [port] = await freePorts(1);
      const alone = compared('a\nc\n', port);
      assert.deepEqual([alone.status, alone.stdout], [0, 'c\n'], alone.stderr);
      assert.match(alone.stderr, /not compared: 2\n/);
    } finally {
      await redis.stop();
    }
  });
});
