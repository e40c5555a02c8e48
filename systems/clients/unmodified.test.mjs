// Clients of others connect, reserve, add, ask, send pipelines and transactions, read BF.INFO and see errors as errors. With keys that have a
// map, they set, claim and commit, libraries of locks hold, extend and release them, and the duplicate filter of scrapy-redis works.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { repository } from '../../tools/support/paths.mjs';
import { sendAll } from './conformance/compare.mjs';
import { creations, maps } from './conformance/mapped.mjs';
import {
  fetchCeleryOnce,
  fetchGoRedis,
  fetchJedis,
  fetchNodeClients,
  fetchRedisPy,
  fetchScrapyRedis,
} from './support/fetch.mjs';
import { startFirstseen } from './support/servers.mjs';

const programs = join(repository, 'systems/clients/programs');

/** Runs a program of a client to its end. */
function ran(command, args, options = {}) {
  return new Promise((resolve) => {
    execFile(command, args, options, (error, output, errors) => resolve({ error, text: `${output}${errors}` }));
  });
}

const node = fetchNodeClients();
const python = fetchRedisPy();
const go = fetchGoRedis();
const java = fetchJedis();
const scrapy = fetchScrapyRedis();
const celery = fetchCeleryOnce();

/** Runs a program of Go. */
function ranGo(name, ...args) {
  cpSync(join(programs, 'go', name), join(go.folder, name));
  return ran('go', ['run', name, ...args], { cwd: go.folder });
}

/** By the name of a client: the versions that it speaks, and how its program is run; or why it cannot be. */
const clients = {
  'node-redis': {
    ...node,
    versions: [2, 3],
    run: (port, version) => ran(process.execPath, [join(programs, 'node/noderedis.mjs'), node.folder, port, version]),
  },
  ioredis: {
    ...node,
    versions: [2],
    run: (port) => ran(process.execPath, [join(programs, 'node/ioredis.mjs'), node.folder, port]),
  },
  'redis-py': {
    ...python,
    versions: [2, 3],
    run: (port, version) => ran(python.python, [join(programs, 'python/redispy.py'), port, version]),
  },
  'go-redis': {
    ...go,
    versions: [2, 3],
    run: (port, version) => ranGo('goredis.go', port, version),
  },
  Jedis: {
    ...java,
    versions: [2, 3],
    run: (port, version) =>
      ran('java', ['-cp', `${java.libs}/*`, join(programs, 'java/JedisTest.java'), port, version]),
  },
  'redlock and redis-semaphore': {
    ...node,
    versions: [2],
    run: (port) => ran(process.execPath, [join(programs, 'node/locks.mjs'), node.folder, port]),
  },
  'locks of redis-py': {
    ...python,
    versions: [2, 3],
    run: (port, version) => ran(python.python, [join(programs, 'python/redispylock.py'), port, version]),
  },
  'celery-once': {
    ...celery,
    versions: [2],
    run: (port) => ran(celery.python, [join(programs, 'python/celeryonce.py'), port]),
  },
  'redsync and redislock': { ...go, versions: [3], run: (port) => ranGo('golocks.go', port) },
  'scrapy-redis': {
    ...scrapy,
    versions: [2],
    run: (port) =>
      ran(scrapy.python, [join(programs, 'python/scrapyredis.py'), port, join(repository, 'docs/FROM-REDIS.md')]),
  },
};

describe('unmodified clients', () => {
  let server;
  before(async () => {
    server = await startFirstseen({ maps });
    await sendAll(server.port, creations);
  });
  after(() => server.stop());

  for (const [name, { missing, versions, run }] of Object.entries(clients)) {
    for (const version of versions) {
      test(`${name}, version ${version} of the protocol`, { skip: missing ?? false }, async () => {
        const { error, text } = await run(String(server.port), String(version));
        assert.equal(error, null, text);
      });
    }
  }
});
